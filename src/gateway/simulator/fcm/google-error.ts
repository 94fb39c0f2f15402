import type { SimulatedAnswer } from '../http2/reply.ts'

/** The `details` of Google's errors that matter here ("Google API error model"; FCM reference, "ErrorCode"). */
export const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
const APNS_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.ApnsError'
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest'
const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo'

export type Detail = Readonly<Record<string, unknown>> & { readonly '@type': string }

export interface FieldViolation {
  /** `message.data[0].value`; absent for what concerns the whole request. */
  readonly field?: string
  readonly description: string
}

export interface GoogleError {
  /** The HTTP status. */
  readonly code: number
  readonly message: string
  /** The name of the gRPC code, such as INVALID_ARGUMENT. */
  readonly status: string
  readonly details?: readonly Detail[]
}

/** `headers`: beside the content type. Default none. */
export function googleError(error: GoogleError, headers: Readonly<Record<string, string>> = {}): SimulatedAnswer {
  return googleAnswer(error.code, { error }, headers)
}

/** `code`: the HTTP status. Google indents its JSON. */
export function googleAnswer(
  code: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): SimulatedAnswer {
  return {
    status: code,
    headers: { 'content-type': 'application/json; charset=UTF-8', ...headers },
    body: `${JSON.stringify(body, null, 2)}\n`,
  }
}

/** The pages of Google's front end, which are no JSON: 404 for an unknown address, 502 when nothing answers behind it. */
export function googlePage(code: number, title: string): SimulatedAnswer {
  return {
    status: code,
    headers: { 'content-type': 'text/html; charset=UTF-8' },
    body: `<!DOCTYPE html>\n<html lang=en>\n<title>Error ${code} (${title})!!1</title>\n<p><b>${code}.</b> That’s an error.\n`,
  }
}

/** FCM's own verdict on a message or its token. */
export function fcmErrorDetail(errorCode: string): Detail {
  return { '@type': FCM_ERROR, errorCode }
}

/** What APNs has answered to FCM, for an iPhone (FCM reference, "ApnsError"). */
export function apnsErrorDetail(statusCode: number, reason: string): Detail {
  return { '@type': APNS_ERROR, statusCode, reason }
}

/** Which fields of the request are wrong. FCM leaves the list out when a message is too big. */
export function badRequestDetail(fieldViolations?: readonly FieldViolation[]): Detail {
  return { '@type': BAD_REQUEST, fieldViolations }
}

export function errorInfoDetail(reason: string, metadata: Readonly<Record<string, string>>): Detail {
  return { '@type': ERROR_INFO, reason, domain: 'googleapis.com', metadata }
}

export function invalidArgument(message: string, details: readonly Detail[]): GoogleError {
  return { code: 400, message, status: 'INVALID_ARGUMENT', details }
}
