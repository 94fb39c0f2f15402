import type { SimulatedAnswer } from '../http2/reply.ts'

/** What a push service can refuse a message with: as RFC 8030, 8291 and 8292 say, and what else push services do. */
const REFUSALS = {
  invalid: { status: 400, reason: 'BadRequest' },
  unauthenticated: { status: 401, reason: 'MissingAuthorization' },
  denied: { status: 403, reason: 'BadJwtToken' },
  notfound: { status: 404, reason: 'NotFound' },
  unregistered: { status: 410, reason: 'Unregistered' },
  large: { status: 413, reason: 'PayloadTooLarge' },
  encoding: { status: 415, reason: 'UnsupportedEncoding' },
  throttled: { status: 429, reason: 'TooManyRequests' },
  quota: { status: 429, reason: 'TooManyRequests', asksToWait: true },
  internal: { status: 500, reason: 'InternalServerError' },
  unavailable: { status: 503, reason: 'ServiceUnavailable' },
  busy: { status: 503, reason: 'ServiceUnavailable', asksToWait: true },
  moved: { status: 301, reason: 'MovedPermanently' },
} as const

export type WebPushRefusal = keyof typeof REFUSALS

export const WEBPUSH_REFUSALS = Object.keys(REFUSALS) as WebPushRefusal[]

/** "201 (Created)", with the address of the message (RFC 8030, 5). */
export function webPushAcceptance(origin: string, id: string): SimulatedAnswer {
  return { status: 201, headers: { location: `${origin}/message/${id}` }, body: '' }
}

/** `reason`: default the usual one. */
export function webPushRefusal(
  refusal: WebPushRefusal,
  retryAfterSeconds: number,
  reason: string = REFUSALS[refusal].reason,
): SimulatedAnswer {
  const { status, ...more } = REFUSALS[refusal]
  const wait = 'asksToWait' in more ? { 'retry-after': String(retryAfterSeconds) } : {}
  const elsewhere = refusal === 'moved' ? { location: 'https://127.0.0.1/elsewhere' } : {}
  return {
    status,
    headers: { 'content-type': 'application/json', ...wait, ...elsewhere },
    body: JSON.stringify({ reason }),
  }
}
