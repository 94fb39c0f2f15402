import type { Audience } from '../../audience/filter.ts'
import type { Platform } from '../../device/device.ts'
import type { Recipient } from '../../gateway/gateway.ts'
import type { Notification } from '../../notification/notification.ts'
import type { Range } from '../page/progress.ts'

/** A push to one platform that is not finished, as the pool loads it. */
export interface OpenDelivery {
  /** `push.number`. */
  readonly push: number
  /** `push.id`, the UUID callers see: for a wave of a push by local time that of the whole. */
  readonly pushId: string
  readonly application: number
  readonly platform: Platform
  readonly lane: Lane
  readonly notification: Notification
  readonly audience: Audience
  readonly ceiling: number
  readonly progress: number
  /** Settled ranges beyond `progress`, in order. */
  readonly ahead: readonly Range[]
  /** Devices in the audience; `null` until counted. */
  readonly addressed: number | null
  readonly settled: number
  /** Of them, taken by the gateway. */
  readonly accepted: number
  /** Recipients that wait for another attempt. */
  readonly retries: number
  /** When its time to live is over; ms of service time. */
  readonly expiresAt: number
  /** Until when it was to be left out of memory, because all who were left waited; `null` where it was not. */
  readonly waitsUntil: number | null
}

/** Why a delivery ends early: cancelled, or its time to live is over, or the gateway refuses it for everybody. */
export type AbortReason = 'cancelled' | 'expired' | 'refused'

/** How a delivery comes to its end. */
export interface DeliveryEnd {
  /** `null`: everybody was sent to. */
  readonly abortReason: AbortReason | null
  /** Why the gateway refuses it for everybody; `null` where it does not. */
  readonly refused: string | null
  /** Devices that were read and not sent to; `null`: not everybody was read. */
  readonly unsent: number | null
}

/** Single pushes go ahead of those to many. */
export type Lane = 'single' | 'many'

export const LANES: readonly Lane[] = ['single', 'many']

/** As the database has them. */
export const LANE_NUMBER: Readonly<Record<Lane, 0 | 1>> = { single: 0, many: 1 }

/** A recipient that was not simply accepted. */
export interface RecipientResult {
  readonly device: number
  /** Leased: on its way, and due again at once if this process ends before the answer comes. */
  readonly state: 'retry' | 'leased' | 'rejected' | 'gone' | 'expired'
  /** Sends so far. */
  readonly attempt: number
  /** Retry: not before; else when it was decided. Ms of service time. */
  readonly dueAt: number
  readonly badge: number | null
  readonly reason: string
  /** As in `PageRow`: of the last attempt. */
  readonly language: string | null
}

/** What a settled page, or a settled retry, changes besides its own bookkeeping. */
export interface Results {
  readonly accepted: number
  /** `accepted` by language, as in `PageRow`; empty where the notification has one text. */
  readonly acceptedIn: ReadonlyMap<string, number>
  readonly results: readonly RecipientResult[]
}

export interface PageSettlement extends Results {
  readonly progress: number
  readonly ahead: readonly Range[]
  /** Recipients on the page. */
  readonly size: number
  /** How many of them the count of the audience had missed. */
  readonly missed: number
  /** When the first recipient was sent to, ms of service time; `null` for nobody. What is stored already stays. */
  readonly startedAt: number | null
  readonly finished: boolean
}

/** `badge`: as it is stored. */
export interface PageRow extends Recipient {
  /** The language of the notification that the device gets, or `OWN_TEXT`; `null`: the notification has one text. */
  readonly language: string | null
}

export interface DueRecipient extends PageRow {
  readonly attempt: number
}

/** Part of an audience, and up to which device id it was looked for. */
export interface RecipientPage {
  readonly recipients: readonly PageRow[]
  readonly last: number
}

/** Which delivery. */
export type DeliveryKey = Pick<OpenDelivery, 'push' | 'platform' | 'application'>
