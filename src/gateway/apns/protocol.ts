import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { Environment } from '../../device/device.ts'
import { isApnsToken } from '../../device/push-token.ts'
import { blameClock } from '../clock-fault.ts'
import type { Outcome } from '../gateway.ts'
import type { RetryPolicy } from '../../network/backoff.ts'
import { APNS_ANSWERS } from './answers.ts'
import type { Meaning } from './answers.ts'

/*
 * What Apple's pages "Sending notification requests to APNs" and "Handling notification responses from APNs" say of
 * addresses and answers, without the sending.
 */

/**
 * The apns-id of one notification: a UUID of version 8 (RFC 9562, 5.8), the same on every repeat and another one for
 * each device of a push. The push's UUID (version 7) with the device's number (below 2^53) XORed into its last bits.
 */
export function apnsIdOf(push: string, device: number): string {
  if (push !== last.push) last = partsOf(push)
  const high = Math.floor(device / 0x100_0000)
  const low = hex24(last.low ^ device)
  // All but the busiest registries, in half the time.
  if (high === 0) return last.upToLow + low
  const middle = hex24(parseInt(push.slice(24, 30), 16) ^ high)
  // Above 48 bits: the lowest five of the group before.
  const above = Math.floor(high / 0x100_0000)
  const group = above === 0 ? push.slice(19, 23) : (parseInt(push.slice(19, 23), 16) ^ above).toString(16)
  return `${push.slice(0, 14)}8${push.slice(15, 19)}${group}-${middle}${low}`
}

/** What the ids of one push have in common. A broadcast asks for a hundred thousand of them. */
let last = { push: '', upToLow: '', low: 0 }

function partsOf(push: string): typeof last {
  return { push, upToLow: `${push.slice(0, 14)}8${push.slice(15, 30)}`, low: parseInt(push.slice(30), 16) }
}

function hex24(bits: number): string {
  return ((bits & 0xff_ffff) | 0x100_0000).toString(16).slice(1)
}

/** The path for a token. What Apple cannot have issued has none. */
export function apnsPath(token: string): string | null {
  return isApnsToken(token) ? `/3/device/${token}` : null
}

/** What the body of a refusal says: `{"reason":"…","timestamp":…}`. */
export interface ApnsRefusal {
  readonly reason: string | null
  /** Milliseconds since the Unix epoch; only with 410. */
  readonly timestamp: number | null
}

export function readApnsRefusal(body: string): ApnsRefusal {
  try {
    const { reason, timestamp } = (JSON.parse(body) ?? {}) as Record<string, unknown>
    return {
      reason: typeof reason === 'string' && /^\w{1,64}$/.test(reason) ? reason : null,
      timestamp: typeof timestamp === 'number' && timestamp > 0 ? timestamp : null,
    }
  } catch {
    return { reason: null, timestamp: null }
  }
}

/** What an answer of APNs means. `retryAfterMs`: what a Retry-After asked for; `null` if there was none. */
export function judgeApns(status: number, { reason, timestamp }: ApnsRefusal, retryAfterMs: number | null): Outcome {
  const known = reason === null ? undefined : APNS_ANSWERS[reason]
  const meaning = known?.[0] === status ? known[1] : meaningOf(status)
  // Apple says since when: what does not is something in between, and erases nobody.
  if (meaning === 'gone' && timestamp === null)
    return outcomesOf(reason ?? `HTTP ${status}`, null, retryAfterMs)['device later']
  return outcomesOf(reason ?? `HTTP ${status}`, timestamp, retryAfterMs)[meaning]
}

function outcomesOf(reason: string, since: number | null, afterMs: number | null): Record<Meaning, Outcome> {
  return {
    taken: { kind: 'accepted' },
    'bad token': { kind: 'rejected', blame: 'token', reason },
    mismatch: { kind: 'rejected', blame: 'mismatch', reason },
    'bad push': { kind: 'rejected', blame: 'push', reason },
    gone: { kind: 'unregistered', since, reason },
    configuration: { kind: 'misconfigured', reason },
    forbidden: { kind: 'misconfigured', reason, tries: FORBIDDEN_TRIES },
    'device later': { kind: 'deferred', afterMs, scope: 'device', reason },
    'all later': { kind: 'deferred', afterMs, scope: 'credential', reason },
    later: { kind: 'deferred', afterMs, scope: 'either', reason },
  }
}

/** Apple asks not to try again (developer.apple.com/forums/thread/807380); a credential may be put right meanwhile. */
const FORBIDDEN_TRIES = 3

/** Whether the word with which APNs ended a connection is about the credential: another connection would end likewise. */
export function refusesCredential(word: string): boolean {
  const meaning = APNS_ANSWERS[word]?.[1]
  return meaning === 'configuration' || meaning === 'forbidden'
}

function meaningOf(status: number): Meaning {
  if (status === 200) return 'taken'
  if (status === 401 || status === 403) return 'configuration'
  if (status === 408 || status === 410 || status === 429 || status === 500) return 'device later'
  // Also a redirect, or another success than APNs has: something that is not APNs answers.
  return status >= 400 && status < 500 ? 'bad push' : 'later'
}

/** How long one device waits after a passing fault: half of it at the least. Apple names no figure. */
export const APNS_RETRY: RetryPolicy = { firstMs: 2 * SECOND_MS, longestMs: 30 * MINUTE_MS }

/** A key for one environment only, which the other one refuses. Apple's page has the long name, its servers the short. */
export const WRONG_ENVIRONMENT = new Set([
  'BadEnvironmentKeyIdInToken',
  'BadEnvironmentKeyInToken',
  'BadCertificateEnvironment',
])

export const TAKEN_IN: Readonly<Record<Environment, Outcome>> = {
  production: { kind: 'accepted', environment: 'production' },
  sandbox: { kind: 'accepted', environment: 'sandbox' },
}

/** What Apple never issued is not sent to: gateways in front of Apple mind such paths, and slow down for them. */
export const BAD_TOKEN: Outcome = { kind: 'rejected', blame: 'token', reason: 'BadDeviceToken', certain: true }

/** Whether it is the provider token that APNs minds. */
export function refusesToken(status: number, reason: string | null): boolean {
  return status === 401 || status === 403 || reason === 'TooManyProviderTokenUpdates'
}

/** What Apple says of a provider token whose time of issue is not now, as far as this machine's clock is to blame. `isRenewed`: of a token that was made for it. */
export function blameTime(
  judged: Outcome,
  answered: { readonly date: string | null; readonly now: number },
  isRenewed: boolean,
): Outcome {
  if (judged.kind === 'accepted' || !TIMED.has(judged.reason)) return judged
  const blamed = blameClock(judged, { ...answered, whose: 'Apple' })
  if (blamed !== judged || !isRenewed || judged.reason !== 'ExpiredProviderToken') return blamed
  // Without a date in the answer, a token that was made a moment ago tells the same.
  return { ...judged, reason: "ExpiredProviderToken of a new token: is this machine's clock right?" }
}

const TIMED = new Set(['ExpiredProviderToken', 'InvalidProviderToken'])

/**
 * The first environment took the credential and not the token. What is wrong with the other one is then no reason to
 * hold up all other devices.
 */
export function settleBetween(first: Outcome, second: Outcome): Outcome {
  if (second.kind === 'misconfigured') return first
  return second.kind === 'deferred' ? { ...second, scope: 'device' } : second
}
