import { DEVICE_REMOVED } from '../gateway/gateway.ts'
import type { Outcome, Recipient } from '../gateway/gateway.ts'
import type { RetryPolicy } from '../network/backoff.ts'
import { GATEWAY_RETRY, MISCONFIGURED_RETRY, nextAttemptAt } from './retry.ts'
import type { PauseReason } from './wait.ts'

/** What is to be done about a recipient after an answer. */
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

/** No recipient had a part in it: the recipient is put back, and the lane pauses. */
export interface PauseVerdict {
  readonly kind: 'pause'
  readonly state: PauseReason
  readonly askedMs: number | null
  readonly reason: string
}

/** What follows from an answer for its recipient. */
export interface Ruling {
  /** `null`: the answer says nothing about the recipient, who is put back. */
  readonly verdict: FinalVerdict | null
  /** Whether it counts as an attempt. */
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

/** A recipient that was unregistered, or declared gone by another push, while it waited. */
export const REMOVED: FailedVerdict = {
  kind: 'failed',
  state: 'gone',
  reason: DEVICE_REMOVED,
  device: 'keep',
  since: null,
}

interface Attempt {
  /** Of the gateway, for one recipient. */
  readonly retry: RetryPolicy
  /** Sends so far, this one included. */
  readonly attempt: number
  readonly now: number
  readonly expiresAt: number
  /** In [0, 1). */
  readonly random: number
}

interface Situation extends Attempt {
  /** The credential may be at fault, and not this recipient, who then waits as long as a credential does. */
  readonly doubted: boolean
  /** As in `CredentialKey`; `null` if it has been replaced since. */
  readonly credential: number | null
}

export function judge(outcome: Outcome, situation: Situation): FinalVerdict | PauseVerdict {
  switch (outcome.kind) {
    case 'accepted':
      return { kind: 'accepted', credential: situation.credential }
    case 'unregistered':
      return { kind: 'failed', state: 'gone', reason: outcome.reason, device: 'gone', since: outcome.since }
    case 'rejected': {
      const device = outcome.blame === 'push' ? 'keep' : 'quarantine'
      return { kind: 'failed', state: 'rejected', reason: outcome.reason, device, since: null }
    }
    case 'misconfigured':
      if (!situation.doubted && situation.attempt >= (outcome.tries ?? Number.POSITIVE_INFINITY)) {
        return { kind: 'failed', state: 'rejected', reason: outcome.reason, device: 'keep', since: null }
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
export function judgeReplaced(outcome: Outcome, attempt: Attempt): Ruling {
  if (complaintOf(outcome) !== null || isTokenRefused(outcome)) return PUT_BACK
  const verdict = judge(outcome, { ...attempt, doubted: false, credential: null })
  return verdict.kind === 'pause' ? PUT_BACK : { verdict, isAttempt: true }
}

/** A refused token of a device that was reached before: it is tried again before the refusal is believed. */
export function askedAgain(refused: FailedVerdict, attempt: Attempt): FinalVerdict {
  const dueAt = nextAttemptAt(attempt.retry, { ...attempt, askedMs: null })
  if (dueAt < attempt.expiresAt) return { kind: 'retry', dueAt, reason: refused.reason }
  return { ...refused, device: 'keep' }
}

/** `ofCredential`: how long a credential at fault waits. */
function later(reason: string, askedMs: number | null, ofCredential: RetryPolicy, situation: Situation): FinalVerdict {
  const { retry, doubted } = situation
  const dueAt = nextAttemptAt(doubted ? ofCredential : retry, { ...situation, askedMs })
  // Somebody may fix the credential at any moment.
  if (doubted || dueAt < situation.expiresAt) return { kind: 'retry', dueAt, reason }
  return { kind: 'failed', state: 'expired', reason, device: 'keep', since: null }
}

/**
 * What the answer to one device holds against the credential (401, 403, 404), or against its gateway (503, 429 without
 * a project's quota, something that is no gateway); `null` for nothing. A refused token is no complaint: the gateway
 * took the credential.
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
    // Until a credential has worked, it may be the credential that is wrong.
    if (credential === null || credential.isGood || !isTokenRefused(outcome)) return { ...finding, kind: fate }
    return { ...finding, kind: 'refused', credential: credential.number }
  }
  const found = outcome.kind === 'accepted' ? outcome.environment : undefined
  return found === undefined || found === environment
    ? null
    : { kind: 'environment', device, token, environment: found }
}
