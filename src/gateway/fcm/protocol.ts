import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { Outcome } from '../gateway.ts'
import type { RetryPolicy } from '../../network/backoff.ts'
import { FCM_ANSWERS } from './answers.ts'
import type { FcmReply } from './answers.ts'
import { objectOf, readFcmError } from './error.ts'
import type { FcmError } from './error.ts'

/** What an answer of FCM means. */
export interface FcmVerdict {
  readonly outcome: Outcome
  /** Whether it may be the token that is at fault, though the answer reads as if all were: see `SuspectTokens`. */
  readonly isVague: boolean
  /** Whether APNs answered, through FCM: then it is an Apple device. */
  readonly isOfApple: boolean
}

const TAKEN: FcmVerdict = { outcome: { kind: 'accepted' }, isVague: false, isOfApple: false }

/** `retryAfterMs`: what a Retry-After asked for; `null` if there was none. `isFid`: it was sent to an installation ID. */
export function readFcm(status: number, body: string, retryAfterMs: number | null, isFid: boolean): FcmVerdict {
  const answer = objectOf(parse(body))
  if (status === 200 && typeof answer['name'] === 'string' && answer['name'] !== '') return TAKEN
  const error = readFcmError(answer)
  const said: FcmReply = { status, error, reason: reasonOf(status, error), afterMs: retryAfterMs, isFid }
  const row = FCM_ANSWERS.find(({ is }) => is(said))
  if (row === undefined) throw new Error(`no row for an answer with status ${status}`)
  return { outcome: row.outcome(said), isVague: row.isVague === true, isOfApple: error.apns !== null }
}

/** What an answer of FCM means, of itself. */
export function judgeFcm(status: number, body: string, retryAfterMs: number | null, isFid: boolean = false): Outcome {
  return readFcm(status, body, retryAfterMs, isFid).outcome
}

function reasonOf(status: number, { code, status: name, apns }: FcmError): string {
  if (status === 200) return 'HTTP 200 without a message name'
  const said = code ?? name ?? `HTTP ${status}`
  return apns === null ? said : `${said}: APNs ${apns.reason ?? apns.status}`
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

/**
 * How long one device waits after a passing fault: half of it at the least. Google asks for 10 s or more
 * (firebase.google.com/docs/cloud-messaging/scale-fcm).
 */
export const FCM_RETRY: RetryPolicy = { firstMs: 20 * SECOND_MS, longestMs: 30 * MINUTE_MS }
