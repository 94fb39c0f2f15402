import type { Exclusion } from '../../audience/exclusion.ts'
import type { Platform } from '../../device/device.ts'
import type { DeviceReceipt } from '../../stats/receipt.ts'

/** About one device and one push. Times are ms since the Unix epoch. */
export interface ExplainFacts {
  readonly push: {
    /** `null`: immediately. */
    readonly sendAt: number | null
    /** When it, or the device's wave, went out; `null`: not yet. */
    readonly releasedAt: number | null
    readonly cancelledAt: number | null
  }
  readonly device: DeviceFacts | null
  /** Of an imported device whose app has replaced the token since, else `null`. */
  readonly adopted: {
    readonly at: number
    /** Whether the caller named the imported token. */
    readonly byFormerToken: boolean
  } | null
  /** What its app has reported, in order of time. */
  readonly receipts: readonly DeviceReceipt[]
  /** Only stored if the device wasn't simply accepted. */
  readonly exception: ExceptionFacts | null
  readonly registeredSince: boolean
  readonly exclusions: readonly Exclusion[]
  /** The delivery to its platform; `null`: none. */
  readonly delivery: {
    readonly passed: boolean
    /** It ended with an empty audience. */
    readonly nobody: boolean
    readonly finishedAt: number | null
    /** The gateway refused the push for everybody. */
    readonly refused: string | null
    /** End of the time to live. */
    readonly expiresAt: number
  } | null
  /** Why its platform can't be sent to now. */
  readonly pause: string | null
}

export interface DeviceFacts {
  readonly platform: Platform
  readonly state: 'registered' | 'gone' | 'quarantined'
  /** Why its token can never work; `null`: nothing known against it. */
  readonly tokenWarning: string | null
  readonly registeredAt: number
  readonly seenAt: number
  /** The gateway's last report that the token is gone or bad. */
  readonly left: { readonly reason: string; readonly at: number } | null
}

export interface ExceptionFacts {
  readonly state: 'retry' | 'leased' | 'rejected' | 'gone' | 'expired'
  /** Cancelled while it waited for another attempt. */
  readonly cancelled: boolean
  readonly reason: string
  readonly attempts: number
  /** For `retry` the next attempt, else the time of the decision. */
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
  /** A sentence or two for a person. */
  readonly explanation: string
  /** The gateway's own. */
  readonly reason?: string
  /** Time of the decision, ms since the Unix epoch. */
  readonly at?: number
  readonly attempts?: number
  /** Ms since the Unix epoch. */
  readonly nextAttemptAt?: number
  readonly excludedBy?: readonly string[]
  /** The audience then isn't stored, so the device was judged as it is now. */
  readonly judgedNow?: true
  readonly receipts?: readonly DeviceReceipt[]
  /** When the app replaced the imported token, ms since the Unix epoch. */
  readonly adoptedAt?: number
}
