import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import { isJsonObject } from '../../text/json-object.ts'
import type { JsonObject } from '../../text/json-object.ts'
import type { Outcome } from '../gateway.ts'
import type { RetryPolicy } from '../../network/backoff.ts'

/* What Google's pages "ErrorCode" and "Throttling and quotas" say of answers, without the sending. */

/** "If there is no Retry-After, wait 60 seconds" (Google, "Scale FCM": 429). */
const QUOTA_MS = MINUTE_MS

/** What an answer of FCM means. `retryAfterMs`: what a Retry-After asked for; `null` if there was none. */
export function judgeFcm(status: number, body: string, retryAfterMs: number | null): Outcome {
  const answer = objectOf(parse(body))
  if (status === 200) {
    if (typeof answer['name'] === 'string' && answer['name'] !== '') return { kind: 'accepted' }
    return { kind: 'deferred', afterMs: retryAfterMs, scope: 'either', reason: 'HTTP 200 without a message name' }
  }
  const error = readError(answer)
  const reason = error.code ?? error.status ?? `HTTP ${status}`
  if (isGone(status, error)) return { kind: 'unregistered', since: null, reason }
  if (error.code === 'SENDER_ID_MISMATCH' && status === 403) return { kind: 'rejected', blame: 'mismatch', reason }
  // Of a phone or browser that Firebase itself would need a key for (APNs, VAPID), which the operator may yet upload.
  if (error.code === 'THIRD_PARTY_AUTH_ERROR')
    return { kind: 'deferred', afterMs: retryAfterMs, scope: 'device', reason }
  // 404 without UNREGISTERED is an unknown project: no device is to be given up for it.
  if (status === 401 || status === 403 || status === 404) return { kind: 'misconfigured', reason }
  if (status === 429) {
    const scope = { device: 'device', project: 'credential', none: 'either' } as const
    return { kind: 'deferred', afterMs: retryAfterMs ?? QUOTA_MS, scope: scope[error.quotaOf], reason }
  }
  if (status === 408 || status === 500) return { kind: 'deferred', afterMs: retryAfterMs, scope: 'device', reason }
  if (status >= 400 && status < 500) {
    // A FID has one form, which no credential changes.
    if (error.concerns === 'fid') return { kind: 'rejected', blame: 'token', reason, certain: true }
    return { kind: 'rejected', blame: error.concerns === 'token' ? 'token' : 'push', reason }
  }
  // 503 and the like; or something that is not FCM answers.
  return { kind: 'deferred', afterMs: retryAfterMs, scope: 'either', reason }
}

/**
 * Google's page names UNREGISTERED, with 404. Of an installation ID its SDKs read UNREGISTERED_FID (firebase-admin,
 * `installation-id-not-registered`), of which no page says with what status.
 */
function isGone(status: number, { code, status: name }: FcmError): boolean {
  if (status < 400 || status > 499) return false
  return (code === 'UNREGISTERED' && status === 404) || (code ?? name) === 'UNREGISTERED_FID'
}

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest'
const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo'
const QUOTA_FAILURE = 'type.googleapis.com/google.rpc.QuotaFailure'

interface FcmError {
  /** Of the FcmError, such as UNREGISTERED. */
  readonly code: string | null
  /** Of the gRPC status, such as NOT_FOUND. */
  readonly status: string | null
  /** An invalid argument that is the token, or the installation ID, and nothing else. */
  readonly concerns: 'token' | 'fid' | null
  /** Whose quota is used up, as far as it is said. */
  readonly quotaOf: 'device' | 'project' | 'none'
}

function readError(answer: JsonObject): FcmError {
  const { message, status, details } = objectOf(answer['error'])
  const list = arrayOf(details).map(objectOf)
  const named = (type: string) => list.find((detail) => detail['@type'] === type)
  const code = nameOf(named(FCM_ERROR)?.['errorCode'])
  const faults = arrayOf(named(BAD_REQUEST)?.['fieldViolations']).map((fault) => objectOf(fault)['field'])
  const quotas = arrayOf(named(QUOTA_FAILURE)?.['violations']).map(objectOf)
  // Google's quota service, in front of FCM, says it with an ErrorInfo.
  const ofProject = quotas.length > 0 || named(ERROR_INFO)?.['reason'] === 'RATE_LIMIT_EXCEEDED'
  const text = faults.length === 0 && code === 'INVALID_ARGUMENT' && typeof message === 'string' ? message : ''
  const about = (field: string, words: RegExp) =>
    faults.length > 0 ? faults.every((fault) => fault === field) : words.test(text)
  return {
    code,
    status: nameOf(status),
    concerns: about('message.token', /registration token/i)
      ? 'token'
      : about('message.fid', /installation.id/i)
        ? 'fid'
        : null,
    quotaOf: quotas.some(ofDevice) ? 'device' : ofProject ? 'project' : 'none',
  }
}

function ofDevice({ subject, description }: JsonObject): boolean {
  return /device/i.test(`${String(subject)} ${String(description)}`)
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** An identifier: nothing else is repeated in logs. */
function nameOf(value: unknown): string | null {
  return typeof value === 'string' && /^\w{1,64}$/.test(value) ? value : null
}

/**
 * How long one device waits after a passing fault: half of it at the least. Google asks for 10 s or more
 * (firebase.google.com/docs/cloud-messaging/scale-fcm).
 */
export const FCM_RETRY: RetryPolicy = { firstMs: 20 * SECOND_MS, longestMs: 30 * MINUTE_MS }
