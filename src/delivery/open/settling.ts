import type { SendBatch } from './batch.ts'
import { retriesIn, settleBatch } from './batch.ts'
import type { Settlement } from './delivery-events.ts'
import { isDone, isSent } from './state.ts'
import type { DeliveryState } from './state.ts'

/** Closes a batch, as far as it was sent, and has it written. */
export function settle(state: DeliveryState, batch: SendBatch, now: number): void {
  const isAborted = state.phase === 'aborted'
  const { stragglers, settled } = settleBatch(batch, now, isAborted)
  state.stragglers += stragglers
  state.batches.delete(batch)
  state.line.remove(batch)
  state.waiting += isAborted ? 0 : retriesIn(batch)
  if (batch.attempts !== null) return write(state, batch, null, now)
  state.cursor.settle(batch, settled)
  // The rest of it is still to be sent, by the next run: the delivery must not pass for done.
  if (batch.sent < batch.recipients.length && !isAborted) state.cursor.reopen()
  state.settled += batch.sent
  const missed = Math.max(state.settled - state.addressed, 0)
  state.addressed += missed
  write(state, batch, missed > 0 ? missed : null, now)
}

/**
 * Has a settlement written; with the one that leaves nobody to be sent to, the delivery is over. `batch`: `null` where
 * none is settled. `addressed`: how many more the delivery addresses than is on disk; `null`: that is not known to be any.
 */
export function write(state: DeliveryState, batch: SendBatch | null, addressed: number | null, now: number): void {
  const finished = isDone(state)
  if (finished) state.phase = 'over'
  const { upTo: progress, ahead } = state.cursor.progress
  const settlement: Settlement = {
    progress,
    ahead,
    addressed,
    size: batch?.attempts === null ? batch.sent : 0,
    recipients: batch?.recipients.length ?? 0,
    accepted: batch?.accepted ?? 0,
    acceptedIn: batch?.acceptedIn ?? NONE,
    acceptedWith: batch?.acceptedWith ?? NONE,
    results: batch?.results ?? [],
    dropped: batch?.dropped ?? [],
    findings: batch?.findings ?? [],
    startedAt: state.startedAt,
    settledAt: now,
    finished,
  }
  state.writing.add(settlement)
  state.effects.push({ kind: 'write', settlement })
}

/** Nobody is to be sent to now: whether that is the end, or all who are left wait. */
export function rest(state: DeliveryState, now: number): void {
  if (isDone(state)) return write(state, null, null, now)
  const { phase, isCounted, waiting, nextDueAt, isLeasingDue, writing } = state
  const waits = isCounted && isSent(state) && waiting > 0 && nextDueAt > now
  if (!waits || phase !== 'open' || isLeasingDue || writing.size > 0) return
  state.phase = 'parked'
  state.effects.push({ kind: 'park' })
}

const NONE = new Map<never, never>()
