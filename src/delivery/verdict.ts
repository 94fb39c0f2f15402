import type { Outcome } from './delivery.ts'
import { backoffMs, RECIPIENT_RETRY } from './retry.ts'

/** What is to be done about one recipient after an answer. */
export type Verdict =
  | { readonly kind: 'accepted' }
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
  /** Not this recipient's fault: it stays at the head of the queue, and the credential pauses. */
  | { readonly kind: 'hold'; readonly misconfigured: boolean; readonly askedMs: number | null; readonly reason: string }

interface Situation {
  readonly provider: 'apns' | 'fcm'
  /** Sends so far, this one included. */
  readonly attempt: number
  readonly now: number
  readonly expiresAt: number
  /** In [0, 1). */
  readonly random: number
}

export function judge(outcome: Outcome, { provider, attempt, now, expiresAt, random }: Situation): Verdict {
  switch (outcome.kind) {
    case 'accepted':
      return { kind: 'accepted' }
    case 'unregistered':
      return { kind: 'failed', state: 'gone', reason: outcome.reason, device: 'gone', since: outcome.since }
    case 'rejected': {
      const device = outcome.blame === 'push' ? 'keep' : 'quarantine'
      return { kind: 'failed', state: 'rejected', reason: outcome.reason, device, since: null }
    }
    case 'misconfigured':
      return { kind: 'hold', misconfigured: true, askedMs: null, reason: outcome.reason }
    case 'deferred': {
      if (outcome.scope === 'credential') {
        return { kind: 'hold', misconfigured: false, askedMs: outcome.afterMs, reason: outcome.reason }
      }
      const dueAt = now + backoffMs(RECIPIENT_RETRY[provider], attempt, random, outcome.afterMs)
      if (dueAt < expiresAt) return { kind: 'retry', dueAt, reason: outcome.reason }
      return { kind: 'failed', state: 'expired', reason: outcome.reason, device: 'keep', since: null }
    }
  }
}
