import type { Outcome } from '../../gateway/gateway.ts'
import type { AbortReason, DueRecipient, Settlement } from '../store/open-delivery.ts'
import type { DeviceFinding, FinalVerdict } from '../verdict.ts'
import type { Place, SendBatch } from './batch.ts'

export type DeliveryEvent =
  | { readonly kind: 'counted'; readonly count: number }
  | {
      readonly kind: 'answered'
      readonly task: Place
      readonly outcome: Outcome | null
      readonly verdict: FinalVerdict
      readonly finding: DeviceFinding | null
    }
  /** For no reason of the recipient's own. `reason`: the gateway's, if any. */
  | { readonly kind: 'put back'; readonly task: Place; readonly wasSent: boolean; readonly reason: string | null }
  | { readonly kind: 'due leased'; readonly due: readonly DueRecipient[]; readonly next: number | null }
  | {
      readonly kind: 'badges leased'
      readonly batch: SendBatch
      readonly badges: ReadonlyMap<number, number>
      readonly badgeChanges: number
    }
  | { readonly kind: 'written'; readonly settlement: Settlement }
  /** Recipients need not wait for another attempt: those not on disk yet; those on disk. */
  | { readonly kind: 'made due' }
  | { readonly kind: 'rows made due' }
  | { readonly kind: 'tick'; readonly isPaused: boolean }
  /** `refused`: the gateway's reason, if it refused the push. */
  | { readonly kind: 'aborted'; readonly reason: AbortReason; readonly refused: string | null }
  | { readonly kind: 'stopped' }

export type EventOf<Kind extends DeliveryEvent['kind']> = Extract<DeliveryEvent, { kind: Kind }>

/** The first four end in an event once they are on disk. */
export type Effect =
  | { readonly kind: 'write'; readonly settlement: Settlement }
  | { readonly kind: 'lease due'; readonly limit: number }
  | { readonly kind: 'lease badges'; readonly batch: SendBatch }
  | { readonly kind: 'wait' }
  | { readonly kind: 'expired'; readonly unreached: number }
  | { readonly kind: 'refused'; readonly reason: string }
