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
 * Recipients that may have been sent to without that being on disk, which is what a crash sends to again: 16 pages.
 * Beyond it the delivery waits for its slowest page, or for the disk.
 */
export const MAX_UNWRITTEN = 16 * PAGE_SIZE

/** Open: somebody is sent to, now or later. Aborted: answers are still to come. Parked: it leaves memory. */
export type Phase = 'open' | 'aborted' | 'parked' | 'over'

/** What is known of an open delivery in memory. Times are service time. */
export interface DeliveryState {
  readonly record: OpenDelivery
  readonly messages: DeliveryMessages
  readonly effects: Effect[]
  readonly cursor: AudienceCursor
  readonly trial: PushTrial
  readonly line: BatchLine
  /** Read and not settled. */
  readonly batches: Set<SendBatch>
  /** Settled and not on disk. */
  readonly writing: Set<Settlement>
  phase: Phase
  end: DeliveryEnd
  /** Devices in the audience, as far as known; and whether they are counted. */
  addressed: number
  isCounted: boolean
  /** Devices of the audience on settled pages. */
  settled: number
  /** Recipients on disk, or on their way there, who wait for another attempt. */
  waiting: number
  /** When the next of those on disk is due; Infinity: nobody is. */
  nextDueAt: number
  isLeasingDue: boolean
  /** On their way, without a batch. */
  stragglers: number
  /** When the first recipient of this run was sent to. */
  startedAt: number | null
  /** Whether so many more pages may be read: one is kept for those whose next attempt is due, whom a broadcast must not hold up. */
  readonly hasRoom: (pages: number) => boolean
}

/** `nextDueAt`: of those who wait for another attempt; `null`: nobody does. */
export function newState(
  record: OpenDelivery,
  messages: DeliveryMessages,
  recipients: Recipients,
  nextDueAt: number | null,
): DeliveryState {
  const cursor = new AudienceCursor(record, recipients)
  const state: DeliveryState = {
    record,
    messages,
    effects: [],
    cursor,
    trial: new PushTrial(record.accepted > 0, record.hasManyGateways),
    line: new BatchLine(cursor, record.notification.badge !== null),
    batches: new Set(),
    writing: new Set(),
    phase: 'open',
    end: { abortReason: null, refused: null, unsent: 0 },
    addressed: record.addressed ?? 0,
    isCounted: isCountStored(record),
    settled: record.settled,
    waiting: record.retries,
    nextDueAt: nextDueAt ?? Number.POSITIVE_INFINITY,
    isLeasingDue: false,
    stragglers: 0,
    startedAt: null,
    hasRoom: (pages) => unwritten(state) + (pages + 1) * PAGE_SIZE <= MAX_UNWRITTEN,
  }
  return state
}

/** Recipients that may have been sent to without that being on disk. */
export function unwritten({ stragglers, batches, writing }: DeliveryState): number {
  let sum = stragglers
  for (const { recipients } of batches) sum += recipients.length
  for (const { recipients } of writing) sum += recipients
  return sum
}

/** Whether everybody of the audience has been sent to, and nobody is on the way. */
export const isSent = ({ cursor, batches, stragglers }: DeliveryState): boolean =>
  cursor.isExhausted && batches.size === 0 && stragglers === 0

/** Whether nobody will ever be sent to any more, and nobody is on the way. */
export function isDone(state: DeliveryState): boolean {
  const { phase, end, isCounted, waiting, isLeasingDue } = state
  if (phase === 'over') return false
  // Of a refused one everybody has failed: it must be known how many that is.
  return (end.refused === null || isCounted) && isSent(state) && waiting === 0 && !isLeasingDue
}

/** Devices of the audience on no settled page. */
export const unreached = ({ addressed, settled }: DeliveryState): number => Math.max(addressed - settled, 0)

/** Devices of which nothing is decided, and to which nothing is on its way. */
export function undecided(state: DeliveryState): number {
  let left = unreached(state) + state.waiting
  for (const batch of state.batches) left += (batch.attempts === null ? 0 : sizeOf(batch)) - reached(batch)
  return Math.max(left, 0)
}

/** The verdict on a recipient of an aborted delivery who would have been sent to again. */
export function overVerdict({ end: { abortReason, refused } }: DeliveryState): FailedVerdict {
  const over = { kind: 'failed', device: 'keep', since: null } as const
  if (refused === null) return { ...over, state: 'expired', reason: abortReason ?? 'expired' }
  return { ...over, state: 'rejected', reason: refused }
}

/** What is left of a delivery, for who watches. */
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
    /** The same, and devices of the audience on no settled page. */
    recipients: unreached(state) + retries,
    /** Since when somebody could have been sent to; `null` while whoever is left waits for another attempt. */
    dueSince: isSent(state) ? dueAt : messages.expiresAt - timeToLiveMs(record.notification),
    /** Notifications that the gateway took, or may take yet, and that are not on disk. */
    notWrittenDown:
      stragglers +
      sum(writing, ({ accepted }) => accepted) +
      sum(batches, ({ accepted, pending }) => accepted + pending),
  }
}

const sizeOf = ({ recipients }: SendBatch): number => recipients.length

/**
 * Whether `addressed` is the count of the audience. Until that is stored it is the number of those who are settled: so a
 * crash leaves it, and the audience is to be counted again. Who was parked is counted.
 */
function isCountStored({ addressed, settled, progress, ceiling, waitsUntil }: OpenDelivery): boolean {
  return addressed !== null && (addressed > settled || progress >= ceiling || waitsUntil !== null)
}
