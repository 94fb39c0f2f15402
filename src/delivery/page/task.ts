import type { ActiveDelivery } from '../active-delivery.ts'
import type { DueRecipient, PageRow } from '../store/open-delivery.ts'
import type { Page } from './page.ts'

/** One recipient on its way. */
export interface Task {
  readonly delivery: ActiveDelivery
  readonly recipient: PageRow | DueRecipient
  /** The page on which the recipient was read, and its index there; `null` for one that had waited. */
  readonly page: Page | null
  readonly index: number
  /** Sends so far, this one included. */
  readonly attempt: number
  /** When its device was read, ms of service time; `null`: some time ago, since it has waited for another attempt. */
  readonly readAt: number | null
  /** When it was sent, ms since the Unix epoch: devices that come back have the time of day. */
  readonly sentAt: number
}

/** How long a device passes for what it was when it was read. */
const FRESH_MS = 1000

/**
 * Whether a task was held back since its device was read: by a pause, a window that is full, or another attempt. By then
 * the device may have left, and the phone be back as another one; or have another token, or other keys.
 */
export function isHeldBack({ readAt }: Task, now: number): boolean {
  return readAt === null || readAt + FRESH_MS <= now
}

/** The task of a recipient whose device is not there any more, to be settled without a send. */
export function taskOfRemoved(
  delivery: ActiveDelivery,
  { device, attempt, badge, language }: WaitingRow,
  now: number,
): Task {
  const recipient = { device, badge, attempt, token: '', environment: null, language }
  return { delivery, recipient, page: null, index: -1, attempt, readAt: null, sentAt: now }
}

type WaitingRow = Pick<DueRecipient, 'device' | 'attempt' | 'badge' | 'language'>
