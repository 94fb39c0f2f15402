import type { Outcome } from '../delivery.ts'

/* What Google's pages "ErrorCode" and "Throttling and quotas" say of answers, without the sending. */

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
