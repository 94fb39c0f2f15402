import type { Outcome } from '../../gateway/gateway.ts'
import type { AbortReason, DueRecipient, RecipientResult, StoredSettlement } from '../store/open-delivery.ts'
import type { DeviceFinding } from '../verdict.ts'
import type { Answer, Place, SendBatch } from './batch.ts'

/** What happens to a delivery. */
export type DeliveryEvent =
  /** The size of the audience. */
  | { readonly kind: 'counted'; readonly count: number }
  | Answered
  | PutBack
  | DueLeased
  | BadgesLeased
  /** The settlement is on disk. */
  | { readonly kind: 'written'; readonly settlement: Settlement }
  /** Recipients that wait for another attempt, and are not on disk yet, wait no longer. */
  | { readonly kind: 'made due' }
  /** Those on disk wait no longer. */
  | { readonly kind: 'rows made due' }
  /** Time has passed. `isPaused`: nothing can be sent now. */
  | { readonly kind: 'tick'; readonly isPaused: boolean }
  /** `refused`: the gateway's reason; `null`: it has not refused the push. */
  | { readonly kind: 'aborted'; readonly reason: AbortReason; readonly refused: string | null }
  /** This process sends nothing more. */
  | { readonly kind: 'stopped' }

export interface Answered extends Answer {
  readonly kind: 'answered'
  readonly task: Place
  /** What the gateway said; `null`: nothing was sent. */
  readonly outcome: Outcome | null
}

/** A recipient that was taken was not sent to, or not answered, for no reason of its own. */
export interface PutBack {
  readonly kind: 'put back'
  readonly task: Place
  readonly wasSent: boolean
  /** What the gateway said; `null`: nothing. */
  readonly reason: string | null
}

/** Some recipients whose next attempt is due are leased on disk. */
export interface DueLeased {
  readonly kind: 'due leased'
  readonly due: readonly DueRecipient[]
  /** When the next is due; `null`: nobody waits. */
  readonly next: number | null
}

/** The badges of a page are changed on disk. */
interface BadgesLeased {
  readonly kind: 'badges leased'
  readonly batch: SendBatch
  readonly badges: ReadonlyMap<number, number>
  readonly badgeChanges: number
}

/** What has to be done because of an event. The first four end in an event once they are on disk. */
export type Effect =
  | { readonly kind: 'write'; readonly settlement: Settlement }
  | { readonly kind: 'lease due'; readonly limit: number }
  | { readonly kind: 'lease badges'; readonly batch: SendBatch }
  /** The delivery leaves memory, and waits on disk. */
  | { readonly kind: 'wait' }
  /** Its time to live ended before `unreached` devices were sent to. */
  | { readonly kind: 'expired'; readonly unreached: number }
  /** The gateway refuses the push itself, for everybody. */
  | { readonly kind: 'refused'; readonly reason: string }

/** What one transaction writes of a delivery: a settled batch, the size of its audience, its end. */
export interface Settlement extends StoredSettlement {
  /** May be made due until they are written. */
  readonly results: RecipientResult[]
  /** Recipients on the batch. */
  readonly recipients: number
  readonly findings: readonly DeviceFinding[]
  /** Accepted devices by credential. */
  readonly acceptedWith: ReadonlyMap<number, readonly number[]>
}
