import { APNS_ERROR, BAD_REQUEST, ERROR_INFO, FCM_ERROR } from '../../fcm/error.ts'
import type { SimulatedAnswer } from '../http2/reply.ts'

/** "Google API error model"; FCM reference, "ErrorCode". */
export type Detail = Readonly<Record<string, unknown>> & { readonly '@type': string }

export interface FieldViolation {
  /** `message.data[0].value`; absent: the whole request. */
  readonly field?: string
  readonly description: string
}

export interface GoogleError {
  readonly code: number
  readonly message: string
  /** The gRPC code, such as INVALID_ARGUMENT. */
  readonly status: string
  readonly details?: readonly Detail[]
}

export function googleError(error: GoogleError, headers: Readonly<Record<string, string>> = {}): SimulatedAnswer {
  return googleAnswer(error.code, { error }, headers)
}

/** Google indents its JSON. */
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

/** From Google's front end: 404 for an unknown address, 502 without a backend. */
export function googlePage(code: number, title: string): SimulatedAnswer {
  return {
    status: code,
    headers: { 'content-type': 'text/html; charset=UTF-8' },
    body: `<!DOCTYPE html>\n<html lang=en>\n<title>Error ${code} (${title})!!1</title>\n<p><b>${code}.</b> That’s an error.\n`,
  }
}

export function fcmErrorDetail(errorCode: string): Detail {
  return { '@type': FCM_ERROR, errorCode }
}

/** APNs' answer to FCM (FCM reference, "ApnsError"). */
export function apnsErrorDetail(statusCode: number, reason: string): Detail {
  return { '@type': APNS_ERROR, statusCode, reason }
}

/** FCM omits the list when a message is too big. */
export function badRequestDetail(fieldViolations?: readonly FieldViolation[]): Detail {
  return { '@type': BAD_REQUEST, fieldViolations }
}

export function errorInfoDetail(reason: string, metadata: Readonly<Record<string, string>>): Detail {
  return { '@type': ERROR_INFO, reason, domain: 'googleapis.com', metadata }
}

export function invalidArgument(message: string, details: readonly Detail[]): GoogleError {
  return { code: 400, message, status: 'INVALID_ARGUMENT', details }
}
