import { DEVICE_REMOVED } from '../gateway/gateway.ts'
import type { Outcome, Recipient } from '../gateway/gateway.ts'
import type { RetryPolicy } from '../network/backoff.ts'
import type { CredentialInUse } from './credential.ts'
import type { DeviceFinding } from './open/batch.ts'
import { GATEWAY_RETRY, MISCONFIGURED_RETRY, nextAttemptAt } from './retry.ts'

/**
 * What an answer to one device has against the credential: the gateway will not take the `credential` (401, 403, 404); or
 * the `gateway` takes nothing (503, 429 without a project's quota, something that is no gateway). A refused token is no
 * complaint: who refuses it has taken the credential.
 */
export type Complaint = 'credential' | 'gateway'

/** What is to be done about one recipient after an answer. */
export type DeliveryVerdict =
  | {
      readonly kind: 'accepted'
      /** With which credential, as in `CredentialKey`; `null` where it has been replaced since. */
      readonly credential: number | null
    }
  /** Once more, not before `dueAt`. */
  | { readonly kind: 'retry'; readonly dueAt: number; readonly reason: string }
  /** Over for this recipient. `device`: what it means for the device itself. */
  | {
      readonly kind: 'failed'
      readonly state: 'rejected' | 'gone' | 'expired'
      readonly reason: string
      readonly device: 'keep' | 'gone' | 'quarantine'
      /** Gone: since when, ms since the Unix epoch; `null` if the gateway does not say. */
      readonly since: number | null
    }
  /** No recipient had a part in it: the recipient is requeued, and the credential pauses. */
  | {
      readonly kind: 'pause'
      readonly misconfigured: boolean
      readonly askedMs: number | null
      readonly reason: string
    }

export type PauseVerdict = Extract<DeliveryVerdict, { kind: 'pause' }>

export type FailedVerdict = Extract<DeliveryVerdict, { kind: 'failed' }>

/** A verdict that can be written down. */
export type FinalVerdict = Exclude<DeliveryVerdict, { kind: 'pause' }>

/** What follows from an answer for its recipient. */
export interface Ruling {
  /** `null`: the answer says nothing of the recipient, who is put back. */
  readonly verdict: FinalVerdict | null
  /** Whether it counts as an attempt. */
  readonly isAttempt: boolean
}

export const PUT_BACK: Ruling = { verdict: null, isAttempt: false }

interface Situation {
  /** Of the gateway, for one recipient. */
  readonly retry: RetryPolicy
  /** Sends so far, this one included. */
  readonly attempt: number
  readonly now: number
  readonly expiresAt: number
  /** In [0, 1). */
  readonly random: number
  /** Whether the credential may be at fault, and not this recipient: then it waits as long as a credential does. */
  readonly doubted: boolean
  /** What it was sent with, as in `CredentialKey`; `null` where that has been replaced since. */
  readonly credential: number | null
}

/** The verdict on a recipient that was unregistered, or declared gone by another push, while it waited. */
export const REMOVED: FailedVerdict = {
  kind: 'failed',
  state: 'gone',
  reason: DEVICE_REMOVED,
  device: 'keep',
  since: null,
}

export function judge(outcome: Outcome, situation: Situation): DeliveryVerdict {
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
      return { kind: 'pause', misconfigured: true, askedMs: null, reason: outcome.reason }
    case 'deferred': {
      const { scope, afterMs, reason } = outcome
      if (scope === 'credential' || scope === 'service')
        return { kind: 'pause', misconfigured: false, askedMs: afterMs, reason }
      return later(reason, afterMs, GATEWAY_RETRY, { ...situation, doubted: situation.doubted && scope === 'either' })
    }
  }
}

/**
 * Of a credential that has been replaced an answer says nothing of the new one; nor, perhaps, of the recipient, whom that
 * one may reach.
 */
export function judgeReplaced(outcome: Outcome, situation: Omit<Situation, 'doubted' | 'credential'>): Ruling {
  if (complaintOf(outcome) !== null || isTokenRefused(outcome)) return PUT_BACK
  const verdict = judge(outcome, { ...situation, doubted: false, credential: null })
  return verdict.kind === 'pause' ? PUT_BACK : { verdict, isAttempt: true }
}

/** The token of a device that was sent to before is refused: it is asked again before that is believed. */
export function askedAgain(refused: FailedVerdict, situation: Omit<Situation, 'doubted' | 'credential'>): FinalVerdict {
  const dueAt = nextAttemptAt(situation.retry, { ...situation, askedMs: null })
  if (dueAt < situation.expiresAt) return { kind: 'retry', dueAt, reason: refused.reason }
  return { ...refused, device: 'keep' }
}

/** `ofCredential`: how long a credential waits that is at fault. */
function later(
  reason: string,
  askedMs: number | null,
  ofCredential: RetryPolicy,
  situation: Situation,
): DeliveryVerdict {
  const { retry, doubted } = situation
  const dueAt = nextAttemptAt(doubted ? ofCredential : retry, { ...situation, askedMs })
  // What a person may mend at any moment is not given up before its time.
  if (doubted || dueAt < situation.expiresAt) return { kind: 'retry', dueAt, reason }
  return { kind: 'failed', state: 'expired', reason, device: 'keep', since: null }
}

/** What an answer to one recipient has against the credential, or its gateway; `null` for nothing. */
export function complaintOf(outcome: Outcome): Complaint | null {
  if (outcome.kind === 'misconfigured') return outcome.certain === true ? null : 'credential'
  return outcome.kind === 'deferred' && outcome.scope === 'either' ? 'gateway' : null
}

/** Whether the token was refused, which another credential could be sent to with. */
export function isTokenRefused(outcome: Outcome): boolean {
  return outcome.kind === 'rejected' && outcome.blame !== 'push' && outcome.certain !== true
}

/** What an answer says of the device itself; `null` if nothing new. `credential`: `null` where it has been replaced. */
export function deviceFindingOf(
  { device, token, environment }: Recipient,
  outcome: Outcome,
  verdict: FinalVerdict,
  credential: Pick<CredentialInUse, 'number' | 'isGood'> | null,
  sentAt: number,
): DeviceFinding | null {
  if (verdict.kind === 'failed') {
    const { device: fate, reason } = verdict
    if (fate === 'keep') return null
    const finding = { device, token, since: verdict.since ?? sentAt, reason }
    // Nobody's devices are given up because a key was wrong.
    if (credential === null || credential.isGood || !isTokenRefused(outcome)) return { ...finding, kind: fate }
    return { ...finding, kind: 'refused', credential: credential.number }
  }
  if (outcome.kind !== 'accepted' || outcome.environment === undefined || outcome.environment === environment) {
    return null
  }
  return { kind: 'environment', device, token, environment: outcome.environment }
}
