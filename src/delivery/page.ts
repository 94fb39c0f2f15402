import type { SentBadge } from './pending-badges.ts'
import type { RecipientResult, PageRow } from './store/open-delivery.ts'
import type { FinalVerdict } from './verdict.ts'

/** Recipients that are read, sent to and settled together. */
export interface Page {
  readonly from: number
  readonly to: number
  readonly recipients: readonly PageRow[]
  /** The first that was never sent. */
  unsent: number
  /** Sent, held back by a pause of the credential, and to be sent again. */
  readonly requeued: number[]
  readonly answered: Uint8Array
  /** Sends without an answer. */
  pending: number
  accepted: number
  readonly results: RecipientResult[]
  readonly verdicts: DeviceFinding[]
  /** Of those that took it. */
  readonly badges: SentBadge[]
  /** How often other pushes, and calls, had changed stored badges when it was read. */
  readonly badgeChanges: number
  /** When its last recipient was sent, ms since the Unix epoch. */
  sentAt: number
  /** Settled before all answers were in. */
  detached: boolean
}

/** What an answer says of a device, to be written with the page. */
export type DeviceFinding =
  | { readonly kind: 'gone'; readonly device: number; readonly since: number | null; readonly reason: string }
  | { readonly kind: 'quarantine'; readonly device: number; readonly reason: string }
  | { readonly kind: 'environment'; readonly device: number; readonly environment: 'production' | 'sandbox' }

/** A page of which nobody has been sent to. */
export function newPage(from: number, to: number, recipients: readonly PageRow[], badgeChanges: number): Page {
  return {
    from,
    to,
    recipients,
    unsent: 0,
    requeued: [],
    answered: new Uint8Array(recipients.length),
    pending: 0,
    accepted: 0,
    results: [],
    verdicts: [],
    badges: [],
    badgeChanges,
    sentAt: 0,
    detached: false,
  }
}

/** The row that remembers a recipient who was not accepted. */
export function recipientResultOf(
  { recipient: { device, badge }, attempt }: { readonly recipient: PageRow; readonly attempt: number },
  verdict: Exclude<FinalVerdict, { kind: 'accepted' }>,
  now: number,
): RecipientResult {
  const { reason } = verdict
  if (verdict.kind === 'retry') return { device, state: 'retry', attempt, dueAt: verdict.dueAt, badge, reason }
  return { device, state: verdict.state, attempt, dueAt: now, badge, reason }
}

/** The clock was put back by `byMs`: who is to be sent to again waits no longer for that. */
export function shiftWaiting(exceptions: RecipientResult[], byMs: number): void {
  for (const [index, exception] of exceptions.entries()) {
    if (waits(exception)) exceptions[index] = { ...exception, dueAt: exception.dueAt - byMs }
  }
}

/** Who waits for another attempt waits no longer than to `now`. */
export function makeWaitingDue(exceptions: RecipientResult[], now: number): void {
  for (const [index, exception] of exceptions.entries()) {
    if (exception.state === 'retry') exceptions[index] = { ...exception, dueAt: Math.min(exception.dueAt, now) }
  }
}

/** Whether the recipient is to be sent to again. */
export function waits({ state }: RecipientResult): boolean {
  return state === 'retry' || state === 'leased'
}
