import type { Audience } from '../../audience/filter.ts'
import type { Platform } from '../../device/device.ts'
import type { Recipient } from '../../gateway/gateway.ts'
import type { Notification } from '../../notification/notification.ts'
import type { Range } from '../open/progress.ts'

/** A push to one platform that is not finished, as the pool loads it. */
export interface OpenDelivery {
  /** `push.number`. */
  readonly push: number
  /** `push.id`, the UUID callers see: for a wave of a push by local time that of the whole. */
  readonly pushId: string
  readonly application: number
  readonly platform: Platform
  /** Whether its recipients are of several gateways, so that what one refuses another may take. */
  readonly hasManyGateways: boolean
  readonly queue: Queue
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
export type Queue = 'single' | 'many'

export const QUEUES: readonly Queue[] = ['single', 'many']

/** As the database has them. */
export const QUEUE_NUMBER: Readonly<Record<Queue, 0 | 1>> = { single: 0, many: 1 }

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

/** What is stored of a delivery in one transaction: a settled batch, the size of its audience, its end. */
export interface StoredSettlement {
  readonly progress: number
  readonly ahead: readonly Range[]
  /** How many more it addresses than is stored; `null`: that is not known to be any. */
  readonly addressed: number | null
  /** Devices of the audience that are settled with it. */
  readonly size: number
  readonly accepted: number
  /** `accepted` by language, as in `PageRow`; empty where the notification has one text. */
  readonly acceptedIn: ReadonlyMap<string, number>
  readonly results: readonly RecipientResult[]
  /** Devices that were accepted after they had waited for another attempt. */
  readonly dropped: readonly number[]
  /** When the first recipient was sent to, ms of service time; `null` for nobody. What is stored already stays. */
  readonly startedAt: number | null
  /** Ms of service time. */
  readonly settledAt: number
  /** Whether the delivery ends with it. */
  readonly finished: boolean
}

/** `badge`: as it is stored. */
export interface PageRow extends Recipient {
  /** The language of the notification that the device gets, or `OWN_TEXT`; `null`: the notification has one text. */
  readonly language: string | null
}

export interface DueRecipient extends PageRow {
  /** Sends so far. */
  readonly attempt: number
  /** Why it waits. */
  readonly reason: string
}

/** Of one that waits and whose device is not registered any more. */
export type WaitingRow = Pick<DueRecipient, 'device' | 'attempt' | 'badge' | 'language' | 'reason'>

/** Part of an audience, and up to which device id it was looked for. */
export interface RecipientPage {
  readonly recipients: readonly PageRow[]
  readonly last: number
}

/** Which delivery. */
export type DeliveryKey = Pick<OpenDelivery, 'push' | 'platform' | 'application'>
