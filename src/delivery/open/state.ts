import { timeToLiveMs } from '../../notification/notification.ts'
import type { DeliveryEnd, OpenDelivery } from '../store/open-delivery.ts'
import type { FailedVerdict } from '../verdict.ts'
import { AudienceCursor, PAGE_SIZE } from './audience-cursor.ts'
import type { Recipients } from './audience-cursor.ts'
import { reached } from './batch.ts'
import type { SendBatch } from './batch.ts'
import { BatchLine } from './batch-line.ts'
import type { Effect, Settlement } from './delivery-events.ts'
import type { DeliveryMessages } from './messages.ts'
import { PushTrial } from './push-trial.ts'

/**
 * Recipients that may have been sent to without that being on disk, to whom a crash sends again: 16 pages. At this
 * limit the delivery waits for its slowest page, or for the disk.
 */
export const MAX_UNWRITTEN = 16 * PAGE_SIZE

/**
 * Open: there is somebody to send to. Aborted: answers are still to come. Waiting: all that are left wait for another
 * attempt, on disk.
 */
export type Phase = 'open' | 'aborted' | 'waiting' | 'over'

export type DeliveryState = ReturnType<typeof newState>

/**
 * What is known of a delivery in memory. Times are service time. `nextDueAt`: of recipients that wait for another
 * attempt; `null`: none do.
 */
export function newState(
  record: OpenDelivery,
  messages: DeliveryMessages,
  recipients: Recipients,
  nextDueAt: number | null,
) {
  const cursor = new AudienceCursor(record, recipients)
  const { addressed, settled, progress, ceiling, waitsUntil } = record
  const state = {
    record,
    messages,
    cursor,
    trial: new PushTrial(record.accepted > 0, record.hasManyGateways),
    effects: [] as Effect[],
    /** Read and not settled. */
    batches: new Set<SendBatch>(),
    /** Settled and not on disk. */
    writing: new Set<Settlement>(),
    phase: 'open' as Phase,
    end: { abortReason: null, refused: null, unsent: 0 } as DeliveryEnd,
    /** Devices in the audience, so far if they are not counted. */
    addressed: addressed ?? 0,
    // Until the count is stored, `addressed` is what is settled. A delivery that waits has been counted.
    isCounted: addressed !== null && (addressed > settled || progress >= ceiling || waitsUntil !== null),
    /** Devices of the audience on settled pages. */
    settled,
    /** Recipients on disk, or on their way there, that wait for another attempt. */
    waiting: record.retries,
    /** When the next of those on disk is due; Infinity: none is. */
    nextDueAt: nextDueAt ?? Number.POSITIVE_INFINITY,
    isLeasingDue: false,
    /** On their way, without a batch. */
    stragglers: 0,
    /** When the first send of this run was. */
    startedAt: null as number | null,
  }
  // A page is kept free for recipients whose next attempt is due.
  const hasRoom = (pages: number) => unwritten(state) + (pages + 1) * PAGE_SIZE <= MAX_UNWRITTEN
  return Object.assign(state, { line: new BatchLine(cursor, record.notification.badge !== null, hasRoom) })
}

interface Unwritten {
  readonly stragglers: number
  readonly batches: ReadonlySet<SendBatch>
  readonly writing: ReadonlySet<Settlement>
}

/** See `MAX_UNWRITTEN`. */
export function unwritten({ stragglers, batches, writing }: Unwritten): number {
  let sum = stragglers
  for (const { recipients } of batches) sum += recipients.length
  for (const { recipients } of writing) sum += recipients
  return sum
}

/** Whether the whole audience has been sent to, and nobody is on the way. */
export const isSent = ({ cursor, batches, stragglers }: DeliveryState): boolean =>
  cursor.isExhausted && batches.size === 0 && stragglers === 0

/** Whether nobody is left to send to, now or later. */
export function isDone(state: DeliveryState): boolean {
  const { phase, end, isCounted, waiting, isLeasingDue } = state
  if (phase === 'over') return false
  // Of a refused push everybody has failed: their number must be known.
  return (end.refused === null || isCounted) && isSent(state) && waiting === 0 && !isLeasingDue
}

/** Devices of the audience that are not on a settled page. */
export const unreached = ({ addressed, settled }: DeliveryState): number => Math.max(addressed - settled, 0)

/** Devices without an answer, and with nothing on its way to them. */
export function undecided(state: DeliveryState): number {
  let left = unreached(state) + state.waiting
  for (const batch of state.batches) left += (batch.attempts === null ? 0 : sizeOf(batch)) - reached(batch)
  return Math.max(left, 0)
}

/** The verdict on a recipient of an aborted delivery that would have been sent to again. */
export function overVerdict({ end: { abortReason, refused } }: DeliveryState): FailedVerdict {
  const over = { kind: 'failed', device: 'keep', since: null } as const
  if (refused === null) return { ...over, state: 'expired', reason: abortReason ?? 'expired' }
  return { ...over, state: 'rejected', reason: refused }
}

/** What is left of a delivery, for monitoring. */
export function summarize(state: DeliveryState, now: number) {
  const { batches, writing, waiting, stragglers, nextDueAt, messages, record } = state
  const sum = <Each>(of: Iterable<Each>, count: (each: Each) => number) =>
    [...of].reduce((total, each) => total + count(each), 0)
  const leased = sum(batches, (batch) => (batch.attempts === null ? 0 : sizeOf(batch)))
  const retries = waiting + stragglers + leased
  const dueAt = nextDueAt <= now ? nextDueAt : null
  return {
    /** Recipients that wait for another attempt. */
    retries,
    /** Recipients still to be sent to. */
    recipients: unreached(state) + retries,
    /** Since when somebody could have been sent to; `null` while all that are left wait for another attempt. */
    dueSince: isSent(state) ? dueAt : messages.expiresAt - timeToLiveMs(record.notification),
    /** Notifications that were or may yet be accepted, and are not on disk. */
    notWrittenDown:
      stragglers +
      sum(writing, ({ accepted }) => accepted) +
      sum(batches, ({ accepted, pending }) => accepted + pending),
  }
}

const sizeOf = ({ recipients }: SendBatch): number => recipients.length
