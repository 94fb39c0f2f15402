import type { Outcome } from '../gateway/gateway.ts'
import type { FinalVerdict } from './verdict.ts'

/**
 * What the gateway of one credential has answered since the start: one answer a send, so a notification that was put
 * off and taken later counts under both. Plain numbers, since they are on the path of every send.
 */
export class OutcomeCounters {
  #accepted = 0
  #gone = 0
  #rejected = 0
  #deferred = 0
  #misconfigured = 0
  #expired = 0

  get accepted(): number {
    return this.#accepted
  }

  /** The app is gone from the device. */
  get gone(): number {
    return this.#gone
  }

  get rejected(): number {
    return this.#rejected
  }

  /** To be sent again. */
  get deferred(): number {
    return this.#deferred
  }

  get misconfigured(): number {
    return this.#misconfigured
  }

  /** Notifications whose time to live was over before a gateway had taken them. */
  get expired(): number {
    return this.#expired
  }

  /** Counts an answer, and what followed from it; `null`: nothing. */
  count(outcome: Outcome, verdict: FinalVerdict | null): void {
    switch (outcome.kind) {
      case 'accepted':
        this.#accepted++
        return
      case 'unregistered':
        this.#gone++
        break
      case 'rejected':
        this.#rejected++
        break
      case 'deferred':
        this.#deferred++
        break
      case 'misconfigured':
        this.#misconfigured++
    }
    if (verdict?.kind === 'failed' && verdict.state === 'expired') this.#expired++
  }

  /** Counts notifications that were not sent before the end of their time to live. */
  countExpired(notifications: number): void {
    this.#expired += notifications
  }
}
