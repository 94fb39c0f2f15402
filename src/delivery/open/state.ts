import { timeToLiveMs } from '../../notification/notification.ts'
import { NO_ANSWER } from '../store/open-delivery.ts'
import type { DeliveryEnd, OpenDelivery, Settlement } from '../store/open-delivery.ts'
import type { FailedVerdict } from '../verdict.ts'
import { AudienceCursor } from './audience-cursor.ts'
import type { Recipients } from './audience-cursor.ts'
import { reached } from './batch.ts'
import type { SendBatch } from './batch.ts'
import { BatchLine } from './batch-line.ts'
import type { Effect } from './delivery-events.ts'
import { Canary } from './canary.ts'

/**
 * Open: somebody to send to. Aborted: answers to come. Waiting: all that are left wait for another attempt, on disk.
 */
export type Phase = 'open' | 'aborted' | 'waiting' | 'over'

export type DeliveryState = ReturnType<typeof newState>

export function newState(record: OpenDelivery, recipients: Recipients, nextDueAt: number | null) {
  const cursor = new AudienceCursor(record, recipients)
  const { addressed, settled, progress, ceiling, waitsUntil } = record
  const state = {
    record,
    cursor,
    canary: new Canary(record.accepted > 0, record.hasManyGateways),
    effects: [] as Effect[],
    batches: new Set<SendBatch>(),
    writing: new Set<Settlement>(),
    phase: 'open' as Phase,
    end: { abortReason: null, refused: null, unsent: 0 } as DeliveryEnd,
    /** Devices in the audience, so far if they are not counted. */
    addressed: addressed ?? 0,
    // Until the count is stored, `addressed` is what is settled. A delivery that waits has been counted.
    isCounted: addressed !== null && (addressed > settled || progress >= ceiling || waitsUntil !== null),
    settled,
    /** Recipients that wait for another attempt, on disk or on the way there. */
    waiting: record.retries,
    /** When the next of those on disk is due. */
    nextDueAt: nextDueAt ?? Number.POSITIVE_INFINITY,
    isLeasingDue: false,
    stragglers: 0,
    startedAt: null as number | null,
  }
  return Object.assign(state, { line: new BatchLine(state) })
}

export const isSent = ({ cursor, batches, stragglers }: DeliveryState): boolean =>
  cursor.isExhausted && batches.size === 0 && stragglers === 0

export function isDone(state: DeliveryState): boolean {
  const { phase, end, isCounted, waiting, isLeasingDue } = state
  if (phase === 'over') return false
  // All of a refused push have failed: their number must be known.
  return (end.refused === null || isCounted) && isSent(state) && waiting === 0 && !isLeasingDue
}

export const unreached = ({ addressed, settled }: DeliveryState): number => Math.max(addressed - settled, 0)

export function undecided(state: DeliveryState): number {
  let left = unreached(state) + state.waiting
  for (const batch of state.batches) left += leasedOn(batch) - reached(batch)
  return Math.max(left, 0)
}

/** `said`: by the gateway. */
export function overVerdict({ end: { abortReason, refused } }: DeliveryState, said: string | null): FailedVerdict {
  const over = { kind: 'failed', device: 'keep', since: null } as const
  if (refused !== null) return { ...over, state: 'rejected', reason: refused }
  const isCancelled = abortReason === 'cancelled' && said !== NO_ANSWER
  return { ...over, state: 'expired', reason: isCancelled ? abortReason : (said ?? 'expired') }
}

export function summarize(state: DeliveryState, now: number) {
  const { batches, writing, waiting, stragglers, nextDueAt, record } = state
  const sum = <Each>(of: Iterable<Each>, count: (each: Each) => number) =>
    [...of].reduce((total, each) => total + count(each), 0)
  const retries = waiting + stragglers + sum(batches, leasedOn)
  const dueAt = nextDueAt <= now ? nextDueAt : null
  const sent = sum(batches, ({ accepted, pending }) => accepted + pending)
  return {
    retries,
    recipients: unreached(state) + retries,
    dueSince: isSent(state) ? dueAt : record.expiresAt - timeToLiveMs(record.notification),
    /** Notifications that were or may yet be accepted, and are not on disk. */
    notWrittenDown: stragglers + sent + sum(writing, ({ accepted }) => accepted),
  }
}

const leasedOn = ({ attempts, recipients }: SendBatch): number => (attempts === null ? 0 : recipients.length)
