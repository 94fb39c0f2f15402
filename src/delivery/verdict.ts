import { MINUTE_MS, SECOND_MS } from '../clock.ts'
import { DEVICE_REMOVED } from '../gateway/gateway.ts'
import type { Outcome, Recipient } from '../gateway/gateway.ts'
import { backoffMs } from '../network/backoff.ts'
import type { RetryPolicy } from '../network/backoff.ts'
import type { PauseReason } from './wait.ts'

/** For a lane whose gateway cannot be reached, or asks for a pause without saying how long. */
export const GATEWAY_RETRY: RetryPolicy = { firstMs: 1 * SECOND_MS, longestMs: 1 * MINUTE_MS }

/** For a misconfigured credential: then one notification is tried again. */
export const MISCONFIGURED_RETRY: RetryPolicy = { firstMs: 30 * SECOND_MS, longestMs: 10 * MINUTE_MS }

/** For a device that was reached before and whose token is refused now. */
const TOKENS_RETRY: RetryPolicy = { firstMs: 2 * SECOND_MS, longestMs: 10 * MINUTE_MS }

/** Times are service time. `random`: in [0, 1). */
interface Attempt {
  readonly attempt: number
  readonly now: number
  readonly expiresAt: number
  readonly random: number
}

/**
 * When a failed attempt is repeated. `askedMs`: a lower bound that the gateway asks for; `null`: it does not. If the
 * backoff ends after the time to live, the last attempt comes half to a whole least wait of `policy` before the end, so
 * that no other fits in after it; if none fits in, at `expiresAt` or later.
 */
export function nextAttemptAt(policy: RetryPolicy, failed: Attempt, askedMs: number | null): number {
  const { attempt, now, expiresAt, random } = failed
  const leastMs = backoffMs(policy, 1, 0)
  const lastAt = expiresAt - Math.round(leastMs * (1 - random / 2))
  const soonestAt = now + Math.max(leastMs, askedMs ?? 0)
  return Math.min(now + backoffMs(policy, attempt, random, askedMs), Math.max(soonestAt, lastAt))
}

export type FinalVerdict =
  /** `credential`: as in `CredentialKey`; `null` if it has been replaced since. */
  | { readonly kind: 'accepted'; readonly credential: number | null }
  /** Once more, not before `dueAt`. */
  | { readonly kind: 'retry'; readonly dueAt: number; readonly reason: string }
  /** `device`: what it means for the device itself. */
  | {
      readonly kind: 'failed'
      readonly state: 'rejected' | 'gone' | 'expired'
      readonly reason: string
      readonly device: 'keep' | 'gone' | 'quarantine'
      /** Gone: since when, ms since the Unix epoch; `null` if the gateway does not say. */
      readonly since: number | null
    }

export type FailedVerdict = Extract<FinalVerdict, { kind: 'failed' }>

/** Why a lane pauses; `reason`: in the gateway's words. */
export interface Trouble {
  readonly state: PauseReason
  readonly reason: string
}

export interface Pause extends Trouble {
  /** The wait that the gateway asks for; `null` if it does not. */
  readonly askedMs: number | null
  /** Devices have complained; another one may be accepted. */
  readonly ofDevices?: true
}

/** What follows from an answer for its recipient; `null`: it says nothing, and the recipient is put back. */
export interface Ruling {
  readonly verdict: FinalVerdict | null
  readonly isAttempt: boolean
}

/** What an answer says about a device, or rather about the token that was sent to; written with its batch. */
export type DeviceFinding = { readonly device: number; readonly token: string } & (
  | { readonly kind: 'environment'; readonly environment: 'production' | 'sandbox' }
  /** `since`: since when the gateway knows, or when it was asked; a later registration outweighs it. */
  | { readonly kind: 'gone' | 'quarantine'; readonly since: number; readonly reason: string }
  /** Refused with a credential, as in `CredentialKey`, that was not known to be good at the time. */
  | { readonly kind: 'refused'; readonly since: number; readonly reason: string; readonly credential: number }
)

export const PUT_BACK: Ruling = { verdict: null, isAttempt: false }

const failed = (
  state: FailedVerdict['state'],
  reason: string,
  device: FailedVerdict['device'] = 'keep',
  since: number | null = null,
): FailedVerdict => ({ kind: 'failed', state, reason, device, since })

export const REMOVED = failed('gone', DEVICE_REMOVED)

interface Situation extends Attempt {
  readonly retry: RetryPolicy
  /** The credential may be at fault: then the recipient waits as long as a credential does. */
  readonly doubted: boolean
  readonly credential: number | null
}

/** `pause`: no recipient had a part in it, so this one is put back. */
export function judge(outcome: Outcome, situation: Situation): FinalVerdict | ({ readonly kind: 'pause' } & Pause) {
  switch (outcome.kind) {
    case 'accepted':
      return { kind: 'accepted', credential: situation.credential }
    case 'unregistered':
      return failed('gone', outcome.reason, 'gone', outcome.since)
    case 'rejected':
      return failed('rejected', outcome.reason, outcome.blame === 'push' ? 'keep' : 'quarantine')
    case 'misconfigured':
      if (!situation.doubted && situation.attempt >= (outcome.tries ?? Number.POSITIVE_INFINITY)) {
        return failed('rejected', outcome.reason)
      }
      if (outcome.certain !== true) return later(outcome.reason, null, MISCONFIGURED_RETRY, situation)
      return { kind: 'pause', state: 'misconfigured', askedMs: null, reason: outcome.reason }
    case 'deferred': {
      const { scope, afterMs: askedMs, reason } = outcome
      if (scope === 'credential' || scope === 'service') return { kind: 'pause', state: 'unreachable', askedMs, reason }
      return later(reason, askedMs, GATEWAY_RETRY, { ...situation, doubted: situation.doubted && scope === 'either' })
    }
  }
}

/** The credential was replaced before its answer came: the new one may reach a recipient that the old one did not. */
export function judgeReplaced(outcome: Outcome, attempt: Omit<Situation, 'doubted' | 'credential'>): Ruling {
  if (complaintOf(outcome) !== null || isTokenRefused(outcome)) return PUT_BACK
  const verdict = judge(outcome, { ...attempt, doubted: false, credential: null })
  return verdict.kind === 'pause' ? PUT_BACK : { verdict, isAttempt: true }
}

/** A refused token of a device that was reached before: it is tried again before the refusal is believed. */
export function askedAgain(refused: FailedVerdict, attempt: Attempt): FinalVerdict {
  const dueAt = nextAttemptAt(TOKENS_RETRY, attempt, null)
  if (dueAt < attempt.expiresAt) return { kind: 'retry', dueAt, reason: refused.reason }
  return { ...refused, device: 'keep' }
}

function later(reason: string, askedMs: number | null, ofCredential: RetryPolicy, situation: Situation): FinalVerdict {
  const { retry, doubted, expiresAt } = situation
  const dueAt = nextAttemptAt(doubted ? ofCredential : retry, situation, askedMs)
  // Somebody may fix the credential at any moment.
  return doubted || dueAt < expiresAt ? { kind: 'retry', dueAt, reason } : failed('expired', reason)
}

/**
 * What the answer to one device holds against the credential (401, 403, 404), or against its gateway (503, 429 without
 * a project's quota, something that is no gateway); `null` for nothing. A refused token is no complaint: the gateway
 * accepted the credential.
 */
export function complaintOf(outcome: Outcome): PauseReason | null {
  if (outcome.kind === 'misconfigured') return outcome.certain === true ? null : 'misconfigured'
  return outcome.kind === 'deferred' && outcome.scope === 'either' ? 'unreachable' : null
}

/** Whether the token was refused, which another credential might reach. */
export const isTokenRefused = (outcome: Outcome): boolean =>
  outcome.kind === 'rejected' && outcome.blame !== 'push' && outcome.certain !== true

/** What an answer says about the device; `null` if nothing new. `credential`: `null` if it has been replaced. */
export function deviceFindingOf(
  { device, token, environment }: Recipient,
  outcome: Outcome,
  verdict: FinalVerdict,
  credential: { readonly number: number; readonly isGood: boolean } | null,
  sentAt: number,
): DeviceFinding | null {
  if (verdict.kind === 'failed') {
    const { device: fate, reason } = verdict
    if (fate === 'keep') return null
    const finding = { device, token, since: verdict.since ?? sentAt, reason }
    // Until a credential has worked, the credential may be wrong and not the token.
    if (credential === null || credential.isGood || !isTokenRefused(outcome)) return { ...finding, kind: fate }
    return { ...finding, kind: 'refused', credential: credential.number }
  }
  const found = outcome.kind === 'accepted' ? outcome.environment : undefined
  if (found === undefined || found === environment) return null
  return { kind: 'environment', device, token, environment: found }
}
