import type { Audience } from '../../audience/filter.ts'
import type { Platform } from '../../device/device.ts'
import type { Recipient } from '../../gateway/gateway.ts'
import type { Notification } from '../../notification/notification.ts'
import type { Range } from '../open/progress.ts'
import type { DeviceFinding } from '../verdict.ts'

/** An unfinished push to one platform. Times are ms of service time. */
export interface OpenDelivery {
  readonly push: number
  /** The UUID that callers see; of a wave, that of the whole push. */
  readonly pushId: string
  readonly application: number
  readonly platform: Platform
  /** A push that one gateway refuses, another may take. */
  readonly hasManyGateways: boolean
  readonly queue: Queue
  readonly notification: Notification
  readonly audience: Audience
  readonly ceiling: number
  readonly progress: number
  readonly ahead: readonly Range[]
  /** Devices in the audience; `null` until counted. */
  readonly addressed: number | null
  /** Devices on settled pages, and how many of them were accepted. */
  readonly settled: number
  readonly accepted: number
  readonly retries: number
  readonly expiresAt: number
  /** When a delivery that waits on disk is due. */
  readonly waitsUntil: number | null
}

export type DeliveryKey = Pick<OpenDelivery, 'push' | 'platform' | 'application'>

export type AbortReason = 'cancelled' | 'expired' | 'refused'

/** The reason of recipients that were sent to, and of whom no answer is on record: they may have the notification. */
export const NO_ANSWER = 'no answer yet'

export interface DeliveryEnd {
  /** `null`: everybody was sent to. */
  readonly abortReason: AbortReason | null
  readonly refused: string | null
  /** Devices that were read and not sent to; `null`: the audience was not read to its end. */
  readonly unsent: number | null
}

/** Single pushes go ahead of those to many. */
export type Queue = 'single' | 'many'

export const QUEUES: readonly Queue[] = ['single', 'many']

export const QUEUE_NUMBER: Readonly<Record<Queue, 0 | 1>> = { single: 0, many: 1 }

export interface RecipientResult {
  readonly device: number
  /** Leased: on its way; due again when the process restarts. */
  readonly state: 'retry' | 'leased' | 'rejected' | 'gone' | 'expired'
  readonly attempt: number
  /** Retry: not before; otherwise when it was decided. */
  readonly dueAt: number
  readonly badge: number | null
  readonly reason: string
  readonly language: string | null
}

/** What one transaction writes: a settled batch, the size of the audience, the end. Service time. */
export interface Settlement {
  readonly progress: number
  readonly ahead: readonly Range[]
  /** Added to the stored size of the audience. */
  readonly addressed: number | null
  readonly size: number
  readonly accepted: number
  /** By language, as in `PageRow`; empty if the notification has one text. */
  readonly acceptedIn: ReadonlyMap<string, number>
  /** May be made due until they are written. */
  readonly results: RecipientResult[]
  /** Devices that were accepted after waiting for another attempt. */
  readonly dropped: readonly number[]
  /** When the first recipient was sent to. A stored time stays. */
  readonly startedAt: number | null
  readonly settledAt: number
  readonly finished: boolean
  readonly recipients: number
  readonly findings: readonly DeviceFinding[]
  readonly acceptedWith: ReadonlyMap<number, readonly number[]>
}

/** `badge`: as stored. */
export interface PageRow extends Recipient {
  /** A language tag, or `OWN_TEXT`; `null`: the notification has one text. */
  readonly language: string | null
}

/** Its device is read when it is sent to. */
export interface DueRecipient extends Pick<PageRow, 'device' | 'badge' | 'language'> {
  readonly attempt: number
  readonly reason: string
}

/** `last`: up to which id it was searched. */
export interface RecipientPage {
  readonly recipients: readonly PageRow[]
  readonly last: number
}
