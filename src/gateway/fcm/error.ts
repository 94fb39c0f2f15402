import { isJsonObject } from '../../text/json-object.ts'
import type { JsonObject } from '../../text/json-object.ts'

export interface FcmError {
  /** Whether a Google API answered, not an intermediary. */
  readonly isGoogles: boolean
  /** From FcmError, such as UNREGISTERED. */
  readonly code: string | null
  readonly status: string | null
  readonly hasDetails: boolean
  /** Set if the token or installation ID is the only invalid argument. */
  readonly concerns: 'token' | 'fid' | null
  readonly quotaOf: 'device' | 'project' | 'none'
  readonly apns: { readonly status: number; readonly reason: string | null } | null
}

export const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
export const APNS_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.ApnsError'
export const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest'
export const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo'
export const QUOTA_FAILURE = 'type.googleapis.com/google.rpc.QuotaFailure'

export function readFcmError(answer: JsonObject): FcmError {
  const { message, status, details } = objectOf(answer['error'])
  const list = arrayOf(details).map(objectOf)
  const named = (type: string) => list.find((detail) => detail['@type'] === type)
  const code = nameOf(named(FCM_ERROR)?.['errorCode'])
  const faults = arrayOf(named(BAD_REQUEST)?.['fieldViolations']).map((fault) => objectOf(fault)['field'])
  const quotas = arrayOf(named(QUOTA_FAILURE)?.['violations']).map(objectOf)
  // Google's quota service sends an ErrorInfo.
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

/** `{"statusCode": 410, "reason": "Unregistered"}` (FCM reference, "ApnsError"). */
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

/** Only identifiers may reach the log. */
function nameOf(value: unknown): string | null {
  return typeof value === 'string' && /^\w{1,64}$/.test(value) ? value : null
}
