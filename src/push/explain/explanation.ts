import type { Exclusion } from '../../audience/exclusion.ts'
import type { Platform } from '../../device/device.ts'
import type { DeviceReceipt } from '../../stats/receipt.ts'

/** What is known of one device and one push. Times are ms since the Unix epoch. */
export interface ExplainFacts {
  readonly push: {
    /** When the push goes out; `null`: at once. */
    readonly sendAt: number | null
    /** When it went out, as seen from this device; `null`: not yet. */
    readonly releasedAt: number | null
    readonly cancelledAt: number | null
  }
  /** `null`: no such token. */
  readonly device: DeviceFacts | null
  /** That the device was imported, and its app took its place by another token; `null`: it was not so. */
  readonly adopted: {
    readonly at: number
    /** Whether the token that is asked for is the one of the import. */
    readonly byFormerToken: boolean
  } | null
  /** What the app of the device has said of the push, in the order of time. */
  readonly receipts: readonly DeviceReceipt[]
  /** The stored result; there is one where the device was not simply accepted. */
  readonly exception: ExceptionFacts | null
  /** Whether the device has registered since the push went out. */
  readonly registeredSince: boolean
  /** What leaves it out of the audience. */
  readonly exclusions: readonly Exclusion[]
  /** How far the delivery to its platform is; `null`: there is none. */
  readonly delivery: {
    /** Whether every device up to this one is settled. */
    readonly passed: boolean
    /** Whether the delivery has ended because nobody was in its audience. */
    readonly nobody: boolean
    readonly finishedAt: number | null
    /** Why the gateway refused the push for everybody; `null` where it did not. */
    readonly refused: string | null
    /** When its time to live is over, or would have been. */
    readonly expiresAt: number
  } | null
  /** Why nothing can be sent to its platform now. */
  readonly pause: string | null
}

export interface DeviceFacts {
  readonly platform: Platform
  readonly state: 'registered' | 'gone' | 'quarantined'
  /** Why its token can never be sent to; `null` where nothing is known of it. */
  readonly tokenWarning: string | null
  readonly registeredAt: number
  /** Last registration. */
  readonly seenAt: number
  /** When a gateway last declared the token gone or bad, and its word for it. */
  readonly left: { readonly reason: string; readonly at: number } | null
}

export interface ExceptionFacts {
  readonly state: 'retry' | 'leased' | 'rejected' | 'gone' | 'expired'
  /** Called off while it waited for another attempt. */
  readonly cancelled: boolean
  readonly reason: string
  readonly attempts: number
  /** Retry: the next attempt; else when it was decided. */
  readonly at: number
}

export const VERDICTS = [
  'opened',
  'received',
  'accepted',
  'waiting',
  'retrying',
  'rejected',
  'expired',
  'cancelled',
  'scheduled',
  'excluded',
  'registered_later',
  'not_registered',
  'gone',
  'quarantined',
] as const
export type ExplainVerdict = (typeof VERDICTS)[number]
export interface Explanation {
  readonly verdict: ExplainVerdict
  /** One sentence or two, for a human. */
  readonly explanation: string
  /** The gateway's word, where there is one. */
  readonly reason?: string
  /** When it was decided, ms since the Unix epoch. */
  readonly at?: number
  readonly attempts?: number
  /** When the next attempt is due, ms since the Unix epoch. */
  readonly nextAttemptAt?: number
  readonly excludedBy?: readonly string[]
  /** Whether the audience was judged by the device as it is now, since how it was is not stored. */
  readonly judgedNow?: true
  readonly receipts?: readonly DeviceReceipt[]
  /** When its app took the place of the device as it was imported, ms since the Unix epoch. */
  readonly adoptedAt?: number
}
