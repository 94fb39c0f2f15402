import { DEVICE_REMOVED } from '../gateway/gateway.ts'
import type { Outcome } from '../gateway/gateway.ts'
import type { RetryPolicy } from '../network/backoff.ts'
import type { CredentialComplaint } from './credential/credential-breaker.ts'
import { GATEWAY_RETRY, MISCONFIGURED_RETRY, nextAttemptAt } from './retry.ts'

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

export type FailedVerdict = Extract<DeliveryVerdict, { kind: 'failed' }>

/** A verdict that can be written down. */
export type FinalVerdict = Exclude<DeliveryVerdict, { kind: 'pause' }>

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
export const REMOVED: FinalVerdict = {
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
      if (scope === 'credential') return { kind: 'pause', misconfigured: false, askedMs: afterMs, reason }
      return later(reason, afterMs, GATEWAY_RETRY, { ...situation, doubted: situation.doubted && scope === 'either' })
    }
  }
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
export function complaintOf(outcome: Outcome): CredentialComplaint | null {
  if (outcome.kind === 'misconfigured') return outcome.certain === true ? null : 'credential'
  return outcome.kind === 'deferred' && outcome.scope === 'either' ? 'gateway' : null
}

/** Whether the token was refused, which another credential could be sent to with. */
export function isTokenRefused(outcome: Outcome): boolean {
  return outcome.kind === 'rejected' && outcome.blame !== 'push' && outcome.certain !== true
}
