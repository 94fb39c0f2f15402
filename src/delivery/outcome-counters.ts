import type { Outcome } from '../gateway/gateway.ts'
import type { DeliveryVerdict } from './verdict.ts'

/**
 * What the gateway of one credential has answered since the start: one answer a send, so a notification that was put
 * off and taken later counts under both. Plain numbers, since it is on the path of every send.
 */
export class OutcomeCounters {
  accepted = 0
  /** The app is gone from the device. */
  gone = 0
  rejected = 0
  /** To be sent again. */
  deferred = 0
  misconfigured = 0
  /** Notifications whose time to live was over before a gateway had taken them. */
  expired = 0

  note(outcome: Outcome, verdict: DeliveryVerdict): void {
    switch (outcome.kind) {
      case 'accepted':
        this.accepted++
        return
      case 'unregistered':
        this.gone++
        break
      case 'rejected':
        this.rejected++
        break
      case 'deferred':
        this.deferred++
        break
      case 'misconfigured':
        this.misconfigured++
    }
    if (verdict.kind === 'failed' && verdict.state === 'expired') this.expired++
  }
}
