import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { Environment } from '../../device/device.ts'
import { isApnsToken } from '../../device/push-token.ts'
import type { RetryPolicy } from '../../network/backoff.ts'
import { parseJsonObject } from '../../text/json-object.ts'
import { blameClock } from '../clock-fault.ts'
import type { Outcome } from '../gateway.ts'
import { listedAnswer } from './answers.ts'
import type { Meaning } from './answers.ts'

/**
 * A version 8 UUID (RFC 9562, 5.8), the same on every retry: the push's version 7 UUID with the device's number (below
 * 2^53) XORed into its end.
 */
export function apnsIdOf(push: string, device: number): string {
  if (push !== last.push) last = partsOf(push)
  const high = Math.floor(device / 0x100_0000)
  const low = hex24(last.low ^ device)
  // Twice as fast, and the usual case.
  if (high === 0) return last.upToLow + low
  const middle = hex24(parseInt(push.slice(24, 30), 16) ^ high)
  const above = Math.floor(high / 0x100_0000)
  const group = above === 0 ? push.slice(19, 23) : (parseInt(push.slice(19, 23), 16) ^ above).toString(16)
  return `${push.slice(0, 14)}8${push.slice(15, 19)}${group}-${middle}${low}`
}

/** A broadcast makes 100,000 ids of one push. */
let last = { push: '', upToLow: '', low: 0 }

function partsOf(push: string): typeof last {
  return { push, upToLow: `${push.slice(0, 14)}8${push.slice(15, 30)}`, low: parseInt(push.slice(30), 16) }
}

function hex24(bits: number): string {
  return ((bits & 0xff_ffff) | 0x100_0000).toString(16).slice(1)
}

export function apnsPath(token: string): string | null {
  return isApnsToken(token) ? `/3/device/${token}` : null
}

export interface ApnsRefusal {
  readonly reason: string | null
  /** Only with 410. */
  readonly timestamp: number | null
}

export function readApnsRefusal(body: string): ApnsRefusal {
  const { reason, timestamp } = parseJsonObject(body) ?? {}
  return {
    reason: typeof reason === 'string' && /^\w{1,64}$/.test(reason) ? reason : null,
    timestamp: typeof timestamp === 'number' && timestamp > 0 ? timestamp : null,
  }
}

/** `retryAfterMs`: from Retry-After; `null` without it. */
export function judgeApns(status: number, { reason, timestamp }: ApnsRefusal, retryAfterMs: number | null): Outcome {
  const known = reason === null ? undefined : listedAnswer(reason)
  const meaning = known?.[0] === status ? known[1] : meaningOf(status)
  const outcomes = outcomesOf(reason ?? `HTTP ${status}`, timestamp, retryAfterMs)
  // Apple always sends a timestamp. Without it, an intermediary answered, and the device stays.
  return outcomes[meaning === 'gone' && timestamp === null ? 'device later' : meaning]
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

/** Apple says not to retry (developer.apple.com/forums/thread/807380), but the operator may fix the credential. */
const FORBIDDEN_TRIES = 3

/** Whether APNs closed a connection over the credential, and would close the next. */
export function refusesCredential(word: string): boolean {
  const meaning = listedAnswer(word)?.[1]
  return meaning === 'configuration' || meaning === 'forbidden'
}

function meaningOf(status: number): Meaning {
  if (status === 200) return 'taken'
  if (status === 401 || status === 403) return 'configuration'
  if (status === 408 || status === 410 || status === 429 || status === 500) return 'device later'
  // Not from APNs: a redirect, or another 2xx.
  return status >= 400 && status < 500 ? 'bad push' : 'later'
}

/** Per device. Apple names no figure. */
export const APNS_RETRY: RetryPolicy = { firstMs: 2 * SECOND_MS, longestMs: 30 * MINUTE_MS }

export const WRONG_ENVIRONMENT = new Set([
  'BadEnvironmentKeyIdInToken',
  'BadEnvironmentKeyInToken',
  'BadCertificateEnvironment',
])

export const TAKEN_IN: Readonly<Record<Environment, Outcome>> = {
  production: { kind: 'accepted', environment: 'production' },
  sandbox: { kind: 'accepted', environment: 'sandbox' },
}

/** Gateways slow down senders of invalid paths. */
export const BAD_TOKEN: Outcome = { kind: 'rejected', blame: 'token', reason: 'BadDeviceToken', certain: true }

export function refusesToken(status: number, reason: string | null): boolean {
  return status === 401 || status === 403 || reason === 'TooManyProviderTokenUpdates'
}

/** `isRenewed`: the token was just signed. */
export function blameTime(
  judged: Outcome,
  answered: { readonly date: string | null; readonly now: number },
  isRenewed: boolean,
): Outcome {
  if (judged.kind === 'accepted' || !TIMED.has(judged.reason)) return judged
  const blamed = blameClock(judged, { ...answered, whose: 'Apple' })
  if (blamed !== judged || !isRenewed || judged.reason !== 'ExpiredProviderToken') return blamed
  // Even without a date: a new token can't have expired.
  return { ...judged, reason: "ExpiredProviderToken of a new token: is this machine's clock right?" }
}

const TIMED = new Set(['ExpiredProviderToken', 'InvalidProviderToken'])

/**
 * The first environment accepted the credential but not the token, so trouble in the second concerns only this device.
 */
export function settleBetween(first: Outcome, second: Outcome): Outcome {
  if (second.kind === 'misconfigured') return first
  return second.kind === 'deferred' ? { ...second, scope: 'device' } : second
}
