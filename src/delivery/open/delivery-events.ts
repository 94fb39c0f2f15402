import type { Outcome } from '../../gateway/gateway.ts'
import type {
  AbortReason,
  DueRecipient,
  RecipientResult,
  StoredSettlement,
  WaitingRow,
} from '../store/open-delivery.ts'
import type { Answer, SendBatch, DeviceFinding, Place } from './batch.ts'

/** What happens to a delivery. */
export type DeliveryEvent =
  /** So many are in the audience. */
  | { readonly kind: 'counted'; readonly count: number }
  | Answered
  | PutBack
  | DueLeased
  /** On disk: the badges of a page are changed. */
  | {
      readonly kind: 'badges leased'
      readonly batch: SendBatch
      readonly badges: ReadonlyMap<number, number>
      readonly badgeChanges: number
    }
  /** A settlement is on disk. */
  | { readonly kind: 'written'; readonly settlement: Settlement }
  /** Whoever waits for another attempt, and is not on disk, waits no longer. */
  | { readonly kind: 'made due' }
  /** Rows on disk were made due. */
  | { readonly kind: 'rows made due' }
  /** Time has passed. `isPaused`: nobody is sent to now. */
  | { readonly kind: 'tick'; readonly isPaused: boolean }
  /** `refused`: by the gateway, for this reason; `null`: it is not. */
  | { readonly kind: 'aborted'; readonly reason: AbortReason; readonly refused: string | null }
  /** Nothing more is sent by this process. */
  | { readonly kind: 'stopped' }

export interface Answered extends Answer {
  readonly kind: 'answered'
  readonly task: Place
  /** What the gateway said; `null`: nothing was sent. */
  readonly outcome: Outcome | null
}

/** Somebody who was taken was not sent to, or not answered, for reasons that are not theirs. */
export interface PutBack {
  readonly kind: 'put back'
  readonly task: Place
  readonly wasSent: boolean
  /** What the gateway said; `null`: nothing. */
  readonly reason: string | null
}

/** On disk: some whose next attempt is due are leased. */
export interface DueLeased {
  readonly kind: 'due leased'
  readonly due: readonly DueRecipient[]
  /** They were due, and are not registered any more. */
  readonly dead: readonly WaitingRow[]
  /** When the next is due; `null`: nobody waits. */
  readonly next: number | null
  /** See `SendBatch`. */
  readonly badgeChanges: number
}

/** What is to be done because of an event. */
export type Effect =
  /** The next four are answered by an event when they are on disk. */
  | { readonly kind: 'write'; readonly settlement: Settlement }
  | { readonly kind: 'lease due'; readonly limit: number }
  | { readonly kind: 'lease badges'; readonly batch: SendBatch }
  | { readonly kind: 'park' }
  /** Its time to live was over before so many were sent to. */
  | { readonly kind: 'expired'; readonly unreached: number }
  /** The gateway refuses the push itself, for everybody. */
  | { readonly kind: 'refused'; readonly reason: string }

/** What is written of a delivery in one transaction: a settled batch, the size of its audience, its end. */
export interface Settlement extends StoredSettlement {
  /** Until it is written they may be made due. */
  readonly results: RecipientResult[]
  /** Recipients on the batch. */
  readonly recipients: number
  readonly findings: readonly DeviceFinding[]
  /** Devices for which something was taken, by credential. */
  readonly acceptedWith: ReadonlyMap<number, readonly number[]>
}
