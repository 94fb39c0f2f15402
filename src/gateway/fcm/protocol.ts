import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { RetryPolicy } from '../../network/backoff.ts'
import { parseJsonObject } from '../../text/json-object.ts'
import type { Outcome } from '../gateway.ts'
import { FCM_ANSWERS } from './answers.ts'
import type { FcmReply } from './answers.ts'
import { readFcmError } from './error.ts'
import type { FcmError } from './error.ts'

export interface FcmVerdict {
  readonly outcome: Outcome
  /** See `SuspectTokens`. */
  readonly isVague: boolean
  readonly isOfApple: boolean
}

const TAKEN: FcmVerdict = { outcome: { kind: 'accepted' }, isVague: false, isOfApple: false }

/** `retryAfterMs`: from Retry-After; `null` without it. `isFid`: sent to an installation ID. */
export function readFcm(status: number, body: string, retryAfterMs: number | null, isFid: boolean): FcmVerdict {
  const answer = parseJsonObject(body) ?? {}
  if (status === 200 && typeof answer['name'] === 'string' && answer['name'] !== '') return TAKEN
  const error = readFcmError(answer)
  const said: FcmReply = { status, error, reason: reasonOf(status, error), afterMs: retryAfterMs, isFid }
  const row = FCM_ANSWERS.find(({ is }) => is(said))
  if (row === undefined) throw new Error(`no row for an answer with status ${status}`)
  return { outcome: row.outcome(said), isVague: row.isVague === true, isOfApple: error.apns !== null }
}

export function judgeFcm(status: number, body: string, retryAfterMs: number | null, isFid: boolean = false): Outcome {
  return readFcm(status, body, retryAfterMs, isFid).outcome
}

function reasonOf(status: number, { code, status: name, apns }: FcmError): string {
  if (status === 200) return 'HTTP 200 without a message name'
  const said = code ?? name ?? `HTTP ${status}`
  return apns === null ? said : `${said}: APNs ${apns.reason ?? apns.status}`
}

/** Google asks for 10 s or more (firebase.google.com/docs/cloud-messaging/scale-fcm). */
export const FCM_RETRY: RetryPolicy = { firstMs: 20 * SECOND_MS, longestMs: 30 * MINUTE_MS }
