import type { ActiveDelivery } from '../active-delivery.ts'
import type { SentBadge } from '../pending-badges.ts'
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
  /** When it was sent, ms since the Unix epoch. */
  readonly sentAt: number
  /** Not there where the push leaves the badge alone. */
  readonly badge?: SentBadge
}

/** The task of a recipient whose device is not there any more, to be settled without a send. */
export function taskOfRemoved(
  delivery: ActiveDelivery,
  { device, attempt, badge, language }: WaitingRow,
  now: number,
): Task {
  const recipient = { device, badge, attempt, token: '', environment: null, storedBadge: 0, language }
  return { delivery, recipient, page: null, index: -1, attempt, sentAt: now }
}

type WaitingRow = Pick<DueRecipient, 'device' | 'attempt' | 'badge' | 'language'>
