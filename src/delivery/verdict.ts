import { MINUTE_MS, SECOND_MS } from '../clock.ts'
import { DEVICE_REMOVED } from '../gateway/gateway.ts'
import type { Outcome, Recipient } from '../gateway/gateway.ts'
import { backoffMs } from '../network/backoff.ts'
import type { RetryPolicy } from '../network/backoff.ts'
import type { PauseReason } from './wait.ts'

/** For a gateway that cannot be reached, or asks for a pause of unknown length. */
export const GATEWAY_RETRY: RetryPolicy = { firstMs: 1 * SECOND_MS, longestMs: 1 * MINUTE_MS }

export const MISCONFIGURED_RETRY: RetryPolicy = { firstMs: 30 * SECOND_MS, longestMs: 10 * MINUTE_MS }

const TOKENS_RETRY: RetryPolicy = { firstMs: 2 * SECOND_MS, longestMs: 10 * MINUTE_MS }

/** `random`: in [0, 1). */
interface Attempt {
  readonly attempt: number
  readonly now: number
  readonly expiresAt: number
  readonly random: number
}

/**
 * When to repeat a failed attempt. `askedMs`: the gateway's lower bound. If the backoff ends after the time to live,
 * the last attempt comes half to a whole least wait before the end; without room for that, at `expiresAt` or later.
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
  | { readonly kind: 'retry'; readonly dueAt: number; readonly reason: string }
  | {
      readonly kind: 'failed'
      readonly state: 'rejected' | 'gone' | 'expired'
      readonly reason: string
      readonly device: 'keep' | 'gone' | 'quarantine'
      /** Gone: since when, ms since the Unix epoch; `null` if the gateway does not say. */
      readonly since: number | null
    }

export type FailedVerdict = Extract<FinalVerdict, { kind: 'failed' }>

export interface Trouble {
  readonly state: PauseReason
  readonly reason: string
  /** The gateway's part of `reason`. Default: all. */
  readonly answer?: string
}

export interface Pause extends Trouble {
  readonly askedMs: number | null
  /** Devices have complained; another one may be accepted. */
  readonly ofDevices?: true
}

/** `null`: the answer says nothing about the recipient, who is put back. */
export interface Ruling {
  readonly verdict: FinalVerdict | null
  readonly isAttempt: boolean
}

/** What an answer says about a device, or rather the token that was sent to. */
export type DeviceFinding = { readonly device: number; readonly token: string } & (
  | { readonly kind: 'environment'; readonly environment: 'production' | 'sandbox' }
  /** `since`: when the gateway noticed, or was asked; a later registration outweighs it. */
  | { readonly kind: 'gone' | 'quarantine'; readonly since: number; readonly reason: string }
  /** With a credential, as in `CredentialKey`, that was not known to be good then. */
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

/** The credential was replaced before this answer: the new one may reach the recipient. */
export function judgeReplaced(outcome: Outcome, attempt: Omit<Situation, 'doubted' | 'credential'>): Ruling {
  if (complaintOf(outcome) !== null || isTokenRefused(outcome)) return PUT_BACK
  const verdict = judge(outcome, { ...attempt, doubted: false, credential: null })
  return verdict.kind === 'pause' ? PUT_BACK : { verdict, isAttempt: true }
}

/** For a device that was reached before: the refusal is believed only after another try. */
export function askedAgain(refused: FailedVerdict, attempt: Attempt): FinalVerdict {
  const dueAt = nextAttemptAt(TOKENS_RETRY, attempt, null)
  if (dueAt < attempt.expiresAt) return { kind: 'retry', dueAt, reason: refused.reason }
  return { ...refused, device: 'keep' }
}

function later(reason: string, askedMs: number | null, ofCredential: RetryPolicy, situation: Situation): FinalVerdict {
  const { retry, doubted, expiresAt } = situation
  const dueAt = nextAttemptAt(doubted ? ofCredential : retry, situation, askedMs)
  // The credential may be fixed at any time.
  return doubted || dueAt < expiresAt ? { kind: 'retry', dueAt, reason } : failed('expired', reason)
}

/**
 * What an answer holds against the credential (401, 403, 404) or the gateway (503, 429 without a project's quota, no
 * gateway at all). A refused token is no complaint: the gateway accepted the credential.
 */
export function complaintOf(outcome: Outcome): PauseReason | null {
  if (outcome.kind === 'misconfigured') return outcome.certain === true ? null : 'misconfigured'
  return outcome.kind === 'deferred' && outcome.scope === 'either' ? 'unreachable' : null
}

/** Another credential might reach it. */
export const isTokenRefused = (outcome: Outcome): boolean =>
  outcome.kind === 'rejected' && outcome.blame !== 'push' && outcome.certain !== true

/** `null`: nothing new. `credential`: `null` if it has been replaced. */
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
    // Until it has worked, the credential may be wrong and not the token.
    if (credential === null || credential.isGood || !isTokenRefused(outcome)) return { ...finding, kind: fate }
    return { ...finding, kind: 'refused', credential: credential.number }
  }
  const found = outcome.kind === 'accepted' ? outcome.environment : undefined
  if (found === undefined || found === environment) return null
  return { kind: 'environment', device, token, environment: found }
}
