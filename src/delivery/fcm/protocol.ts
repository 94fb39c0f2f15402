import type { Message, Outcome } from '../delivery.ts'
import type { Notification } from '../../push/push.ts'
import { MAX_BADGE } from '../../push/push.ts'

/*
 * What Google's pages "REST Resource: projects.messages", "ErrorCode" and "Throttling and quotas" say, without the
 * sending.
 */

/** The part of a push's requests that is the same for all recipients. */
export interface RenderedFcm {
  /** The body for one recipient at `now` (ms since the Unix epoch). `badge`: `null` leaves it alone. */
  body(token: string, badge: number | null, now: number): string
}

/**
 * Renders a push once, so that for each recipient only token, badge and time to live are filled in.
 *
 * A push with text or sound is a notification message, at high priority. One without is a data message, at normal
 * priority: Google lowers the rank of apps whose urgent messages show nothing. So is a badge alone, since Android would
 * show an empty notification to carry it: it travels as `badge` in `data`, unless the payload has a field of that name.
 *
 * Repeats replace each other by the notification's `tag`, not by a collapse key: a device keeps only four of those, and
 * FCM throttles them.
 */
export function renderFcm({ push, notification, expiresAt }: Message): RenderedFcm {
  const { beforeBadge, badgeOf, afterBadge } = partsOf(push, notification)
  return {
    body(token, badge, now) {
      const count = badge === null ? '' : badgeOf(badge)
      const ttl = Math.min(Math.max(Math.ceil((expiresAt - now) / 1000), 0), MAX_TTL_SECONDS)
      return `{"message":{"token":${JSON.stringify(token)}${beforeBadge}${count}${afterBadge}"ttl":"${ttl}s"}}}`
    },
  }
}

/** FCM keeps a message for four weeks at the most (AndroidConfig, `ttl`). */
const MAX_TTL_SECONDS = 2_419_200

/**
 * Size in bytes of the largest body of a notification, without the token: FCM takes 4096. Google does not say how it
 * counts; this is the most it can be.
 */
export function fcmBytes(notification: Notification): number {
  const { badge } = notification
  const largest = badge === null ? null : 'set' in badge ? badge.set : MAX_BADGE
  const expiresAt = MAX_TTL_SECONDS * 1000
  return Buffer.byteLength(renderFcm({ push: ANY_PUSH, notification, expiresAt }).body('', largest, 0))
}

/** As long as any. */
const ANY_PUSH = '00000000-0000-7000-8000-000000000000'

function partsOf(push: string, { msg, sound, payload }: Notification) {
  const data = JSON.stringify(dataOf(payload ?? {}))
  if (!msg && !sound) {
    const comma = data === '{}' ? '' : ','
    const hasBadge = payload !== null && Object.hasOwn(payload, 'badge')
    return {
      beforeBadge: `,"data":${data.slice(0, -1)}`,
      badgeOf: (badge: number) => (hasBadge ? '' : `${comma}"badge":"${badge}"`),
      afterBadge: `},"android":{"priority":"normal",`,
    }
  }
  const text = msg ? `,"notification":${JSON.stringify({ body: msg })}` : ''
  const fields = data === '{}' ? '' : `,"data":${data}`
  const shown = JSON.stringify({ tag: push, ...(sound ? { sound } : undefined) }).slice(0, -1)
  return {
    beforeBadge: `${text}${fields},"android":{"priority":"high","notification":${shown}`,
    badgeOf: (badge: number) => `,"notification_count":${badge}`,
    afterBadge: '},',
  }
}

/** FCM takes strings only; anything else goes as its JSON text. */
function dataOf(payload: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(payload).map(
    ([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  )
  return Object.fromEntries(entries)
}

/** "If there is no Retry-After, wait 60 seconds" (Google, "Scale FCM": 429). */
const QUOTA_MS = 60_000

/** What an answer of FCM means. `retryAfterMs`: what a Retry-After asked for; `null` if there was none. */
export function judgeFcm(status: number, body: string, retryAfterMs: number | null): Outcome {
  const answer = objectOf(parse(body))
  if (status === 200) {
    if (typeof answer['name'] === 'string' && answer['name'] !== '') return { kind: 'accepted' }
    return { kind: 'deferred', afterMs: retryAfterMs, scope: 'credential', reason: 'HTTP 200 without a message name' }
  }
  const error = readError(answer)
  const reason = error.code ?? error.status ?? `HTTP ${status}`
  if (error.code === 'UNREGISTERED' && status === 404) return { kind: 'unregistered', since: null, reason }
  if (error.code === 'SENDER_ID_MISMATCH' && status === 403) return { kind: 'rejected', blame: 'mismatch', reason }
  // 404 without UNREGISTERED is an unknown project: no device is to be given up for it.
  if (status === 401 || status === 403 || status === 404) return { kind: 'misconfigured', reason }
  if (status === 429) {
    const scope = error.ofDevice ? 'device' : 'credential'
    return { kind: 'deferred', afterMs: retryAfterMs ?? QUOTA_MS, scope, reason }
  }
  if (status === 408 || status === 500) return { kind: 'deferred', afterMs: retryAfterMs, scope: 'device', reason }
  if (status >= 400 && status < 500) return { kind: 'rejected', blame: error.ofToken ? 'token' : 'push', reason }
  // 503 and the like; or something that is not FCM answers.
  return { kind: 'deferred', afterMs: retryAfterMs, scope: 'credential', reason }
}

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest'
const QUOTA_FAILURE = 'type.googleapis.com/google.rpc.QuotaFailure'

interface FcmError {
  /** Of the FcmError, such as UNREGISTERED. */
  readonly code: string | null
  /** Of the gRPC status, such as NOT_FOUND. */
  readonly status: string | null
  /** An invalid argument that is the token, and nothing but the token. */
  readonly ofToken: boolean
  /** A quota of this one device. */
  readonly ofDevice: boolean
}

function readError(answer: JsonObject): FcmError {
  const { message, status, details } = objectOf(answer['error'])
  const list = arrayOf(details).map(objectOf)
  const named = (type: string) => list.find((detail) => detail['@type'] === type)
  const code = nameOf(named(FCM_ERROR)?.['errorCode'])
  const faults = arrayOf(named(BAD_REQUEST)?.['fieldViolations']).map((fault) => objectOf(fault)['field'])
  const quotas = arrayOf(named(QUOTA_FAILURE)?.['violations']).map(objectOf)
  const aboutToken =
    faults.length > 0
      ? faults.every((field) => field === 'message.token')
      : code === 'INVALID_ARGUMENT' && typeof message === 'string' && /registration token/i.test(message)
  return {
    code,
    status: nameOf(status),
    ofToken: aboutToken,
    ofDevice: quotas.some(({ subject, description }) => /device/i.test(`${String(subject)} ${String(description)}`)),
  }
}

type JsonObject = Readonly<Record<string, unknown>>

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {}
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** An identifier: nothing else is repeated in logs. */
function nameOf(value: unknown): string | null {
  return typeof value === 'string' && /^\w{1,64}$/.test(value) ? value : null
}
