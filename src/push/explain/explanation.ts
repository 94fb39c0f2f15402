import type { Exclusion } from '../../audience/exclusion.ts'
import type { Platform } from '../../device/device.ts'
import type { DeviceReceipt } from '../../stats/receipt.ts'

export interface ExplainFacts {
  readonly push: {
    /** `null`: immediately. */
    readonly sendAt: number | null
    /** For waves, the device's. */
    readonly releasedAt: number | null
    readonly cancelledAt: number | null
  }
  readonly device: DeviceFacts | null
  /** An imported device whose app has replaced the token. */
  readonly adopted: {
    readonly at: number
    /** The caller named the imported token. */
    readonly byFormerToken: boolean
  } | null
  /** In order of time. */
  readonly receipts: readonly DeviceReceipt[]
  /** `null`: the device was accepted, or not reached. */
  readonly exception: ExceptionFacts | null
  readonly registeredSince: boolean
  readonly exclusions: readonly Exclusion[]
  /** To its platform. */
  readonly delivery: {
    readonly passed: boolean
    /** It ended with an empty audience. */
    readonly nobody: boolean
    readonly finishedAt: number | null
    readonly refused: string | null
    readonly expiresAt: number
  } | null
  /** Why its platform can't be sent to now. */
  readonly pause: string | null
}

export interface DeviceFacts {
  readonly platform: Platform
  readonly state: 'registered' | 'gone' | 'quarantined'
  /** Why its token can never work. */
  readonly tokenWarning: string | null
  readonly registeredAt: number
  readonly seenAt: number
  /** The gateway's last report that the token is gone or bad. */
  readonly left: { readonly reason: string; readonly at: number } | null
}

export interface ExceptionFacts {
  readonly state: 'retry' | 'leased' | 'rejected' | 'gone' | 'expired'
  /** While it waited for another attempt. */
  readonly cancelled: boolean
  readonly reason: string
  readonly attempts: number
  /** Of the next attempt if it is to be retried, else of the decision. */
  readonly at: number
}

/** The stored reason, of the state `expired`, of recipients that waited when the push was cancelled. */
export const CANCELLED = 'cancelled'

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
  /** A sentence or two. */
  readonly explanation: string
  readonly reason?: string
  /** Of the decision. */
  readonly at?: number
  readonly attempts?: number
  readonly nextAttemptAt?: number
  readonly excludedBy?: readonly string[]
  /** By its current state: the audience isn't stored. */
  readonly judgedNow?: true
  readonly receipts?: readonly DeviceReceipt[]
  /** When the app replaced the imported token. */
  readonly adoptedAt?: number
}
