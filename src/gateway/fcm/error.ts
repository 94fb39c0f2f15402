import { isJsonObject } from '../../text/json-object.ts'
import type { JsonObject } from '../../text/json-object.ts'

/** What an answer of FCM says, as Google's error model has it (google.rpc.Status). */
export interface FcmError {
  /** Whether the body is an error of a Google API, and not a page of something in between. */
  readonly isGoogles: boolean
  /** Of the FcmError, such as UNREGISTERED. */
  readonly code: string | null
  /** Of the gRPC status, such as NOT_FOUND. */
  readonly status: string | null
  readonly hasDetails: boolean
  /** An invalid argument that is the token, or the installation ID, and nothing else. */
  readonly concerns: 'token' | 'fid' | null
  /** Whose quota is used up, as far as it is said. */
  readonly quotaOf: 'device' | 'project' | 'none'
  /** What APNs has answered to FCM; `null`: FCM does not say that it asked. */
  readonly apns: { readonly status: number; readonly reason: string | null } | null
}

const PACKAGE = 'type.googleapis.com/google.firebase.fcm.v1.'
const FCM_ERROR = `${PACKAGE}FcmError`
const APNS_ERROR = `${PACKAGE}ApnsError`
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest'
const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo'
const QUOTA_FAILURE = 'type.googleapis.com/google.rpc.QuotaFailure'

export function readFcmError(answer: JsonObject): FcmError {
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
    isGoogles: isJsonObject(answer['error']),
    code,
    status: nameOf(status),
    hasDetails: list.length > 0,
    concerns: about('message.token', /registration token/i)
      ? 'token'
      : about('message.fid', /installation.id/i)
        ? 'fid'
        : null,
    quotaOf: quotas.some(ofDevice) ? 'device' : ofProject ? 'project' : 'none',
    apns: apnsErrorIn(named(APNS_ERROR)),
  }
}

/** ApnsError: `{"statusCode": 410, "reason": "Unregistered"}` (FCM reference, "ApnsError"). */
function apnsErrorIn(detail: JsonObject | undefined): FcmError['apns'] {
  if (detail === undefined) return null
  const status = Number(detail['statusCode'] ?? detail['status_code'])
  return { status: Number.isInteger(status) ? status : 0, reason: nameOf(detail['reason']) }
}

function ofDevice({ subject, description }: JsonObject): boolean {
  return /device/i.test(`${String(subject)} ${String(description)}`)
}

export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** An identifier: nothing else is repeated in logs. */
function nameOf(value: unknown): string | null {
  return typeof value === 'string' && /^\w{1,64}$/.test(value) ? value : null
}
