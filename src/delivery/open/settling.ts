import type { SendBatch } from './batch.ts'
import { newBatch, retriesIn, settleBatch } from './batch.ts'
import type { Settlement } from './delivery-events.ts'
import { isDone, isSent } from './state.ts'
import type { DeliveryState } from './state.ts'

/** Settles a batch as far as it was sent. */
export function settle(state: DeliveryState, batch: SendBatch, now: number): void {
  const isAborted = state.phase === 'aborted'
  const { stragglers, settled } = settleBatch(batch, now, isAborted)
  state.stragglers += stragglers
  state.batches.delete(batch)
  state.line.remove(batch)
  state.waiting += isAborted ? 0 : retriesIn(batch)
  if (batch.attempts !== null) return write(state, batch, null, now)
  state.cursor.settle(batch, settled)
  // The next run sends the rest: the delivery is not done.
  if (batch.sent < batch.recipients.length && !isAborted) state.cursor.reopen()
  state.settled += batch.sent
  const missed = Math.max(state.settled - state.addressed, 0)
  state.addressed += missed
  write(state, batch, missed > 0 ? missed : null, now)
}

/** Writes a settlement, the last one if nobody is left. `batch`: `null` if none is settled. `addressed`: as stored. */
export function write(state: DeliveryState, batch: SendBatch | null, addressed: number | null, now: number): void {
  const finished = isDone(state)
  if (finished) state.phase = 'over'
  const { upTo: progress, ahead } = state.cursor.progress
  const { recipients, attempts, sent, accepted, acceptedIn, acceptedWith, results, dropped, findings } =
    batch ?? newBatch({ range: null, recipients: [], readAt: now, attempts: null })
  const counts = { addressed, size: attempts === null ? sent : 0, recipients: recipients.length, accepted }
  const details = { acceptedIn, acceptedWith, results, dropped, findings }
  const { startedAt } = state
  const settlement: Settlement = { progress, ahead, ...counts, ...details, startedAt, settledAt: now, finished }
  state.writing.add(settlement)
  state.effects.push({ kind: 'write', settlement })
}

/** Nobody can be sent to now: the delivery ends, or waits on disk if all that are left wait for another attempt. */
export function rest(state: DeliveryState, now: number): void {
  if (isDone(state)) return write(state, null, null, now)
  const { phase, isCounted, waiting, nextDueAt, isLeasingDue, writing } = state
  const waits = isCounted && isSent(state) && waiting > 0 && nextDueAt > now
  if (!waits || phase !== 'open' || isLeasingDue || writing.size > 0) return
  state.phase = 'waiting'
  state.effects.push({ kind: 'wait' })
}
