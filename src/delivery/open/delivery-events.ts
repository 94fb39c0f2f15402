import type { Outcome } from '../../gateway/gateway.ts'
import type { AbortReason, DueRecipient, Settlement } from '../store/open-delivery.ts'
import type { DeviceFinding, FinalVerdict } from '../verdict.ts'
import type { Place, SendBatch } from './batch.ts'

export type DeliveryEvent =
  | { readonly kind: 'counted'; readonly count: number }
  /** `outcome`: what the gateway said; `null`: nothing was sent. */
  | {
      readonly kind: 'answered'
      readonly task: Place
      readonly outcome: Outcome | null
      readonly verdict: FinalVerdict
      readonly finding: DeviceFinding | null
    }
  /** For no reason of the recipient's own. `reason`: what the gateway said; `null`: nothing. */
  | { readonly kind: 'put back'; readonly task: Place; readonly wasSent: boolean; readonly reason: string | null }
  /** `next`: when the next attempt is due; `null`: nobody waits. */
  | { readonly kind: 'due leased'; readonly due: readonly DueRecipient[]; readonly next: number | null }
  | {
      readonly kind: 'badges leased'
      readonly batch: SendBatch
      readonly badges: ReadonlyMap<number, number>
      readonly badgeChanges: number
    }
  | { readonly kind: 'written'; readonly settlement: Settlement }
  /** Recipients that wait for another attempt wait no longer: those not on disk yet; those on disk. */
  | { readonly kind: 'made due' }
  | { readonly kind: 'rows made due' }
  /** Time has passed. `isPaused`: nothing can be sent now. */
  | { readonly kind: 'tick'; readonly isPaused: boolean }
  /** `refused`: the gateway's reason; `null`: it has not refused the push. */
  | { readonly kind: 'aborted'; readonly reason: AbortReason; readonly refused: string | null }
  | { readonly kind: 'stopped' }

export type EventOf<Kind extends DeliveryEvent['kind']> = Extract<DeliveryEvent, { kind: Kind }>

/** What has to be done because of an event. The first four end in an event once they are on disk. */
export type Effect =
  | { readonly kind: 'write'; readonly settlement: Settlement }
  | { readonly kind: 'lease due'; readonly limit: number }
  | { readonly kind: 'lease badges'; readonly batch: SendBatch }
  | { readonly kind: 'wait' }
  /** Its time to live ended before `unreached` devices were sent to. */
  | { readonly kind: 'expired'; readonly unreached: number }
  /** The gateway refuses the push itself, for everybody. */
  | { readonly kind: 'refused'; readonly reason: string }
