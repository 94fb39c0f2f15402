import type { AbortReason, Settlement } from '../store/open-delivery.ts'
import {
  failPutBack,
  hasNext,
  isLate,
  newBatch,
  noteAnswer,
  putBack,
  reached,
  retriesIn,
  sendsTo,
  settleBatch,
  showBadges,
  stragglerOf,
} from './batch.ts'
import type { SendBatch, Place } from './batch.ts'
import { quietly } from './batch-line.ts'
import type { DeliveryEvent, EventOf } from './delivery-events.ts'
import { isDone, isSent, overVerdict, undecided, unreached } from './state.ts'
import type { DeliveryState } from './state.ts'

const DUE_LIMIT = 500

/**
 * What an event changes, and what follows as effects. Without a clock or a database.
 *
 * | Event         | Open                                        | Aborted                         | Waiting | Over |
 * | ------------- | ------------------------------------------- | ------------------------------- | ------- | ---- |
 * | counted       | written; nobody → over                      | written; refused → over         | written |      |
 * | answered      | noted; the last of its batch → written      | the same; nobody is tried again |         |      |
 * | put back      | sent to again                               | failed                          |         |      |
 * | due leased    | a batch                                     |                                 |         |      |
 * | badges leased | its page may be sent                        |                                 |         |      |
 * | written       | room for more; all left wait → waiting      |                                 |         |      |
 * | tick          | expired → aborted; late batches are         | late batches                    |         |      |
 * |               | written; recipients that are due are leased |                                 |         |      |
 * | aborted       | → aborted; nothing on its way → over        |                                 | → over  |      |
 * | stopped       | written as far as it was sent               | the same                        |         |      |
 *
 * The settlement that leaves nobody to send to ends the delivery.
 */
export function reduce(state: DeliveryState, event: DeliveryEvent, now: number): void {
  switch (event.kind) {
    case 'answered':
      return answered(state, event, now)
    case 'put back':
      return returned(state, event, now)
    case 'written':
      return written(state, event.settlement, now)
    case 'counted':
      return counted(state, event.count, now)
    case 'due leased':
      return dueLeased(state, event, now)
    case 'badges leased':
      if (state.phase !== 'open') return
      showBadges(event.batch, event.badges, event.badgeChanges)
      return state.line.leased(event.batch)
    case 'made due':
      for (const { results } of [...state.batches, ...state.writing]) {
        for (const [index, row] of results.entries()) {
          if (row.state === 'retry') results[index] = { ...row, dueAt: Math.min(row.dueAt, now) }
        }
      }
      return
    case 'rows made due':
      if (state.waiting > 0 && state.phase === 'open') state.nextDueAt = Math.min(state.nextDueAt, now)
      return
    case 'tick':
      return tick(state, event.isPaused, now)
    case 'aborted':
      return abort(state, event.reason, event.refused, now)
    case 'stopped':
      for (const batch of state.batches) if (batch.sent > 0 || batch.attempts !== null) settle(state, batch, now)
  }
}

function answered(state: DeliveryState, event: EventOf<'answered'>, now: number): void {
  const { outcome, verdict, finding } = event
  const refused = outcome === null ? null : state.canary.record(outcome)
  const isAborted = state.phase === 'aborted'
  const place = placeOf(state, event.task)
  const { batch } = place
  noteAnswer(place, isAborted && verdict.kind === 'retry' ? overVerdict(state, verdict.reason) : verdict, now)
  if (finding !== null) batch.findings.push(finding)
  if (batch.pending === 0 && batch.again.length === 0 && (isAborted || !hasNext(batch))) settle(state, batch, now)
  if (refused === null) return
  state.effects.push({ kind: 'refused', reason: refused })
  abort(state, 'refused', refused, now)
}

function returned(state: DeliveryState, { task, wasSent, reason }: EventOf<'put back'>, now: number): void {
  if (wasSent) state.canary.unheard()
  if (state.phase === 'aborted') {
    const attempt = reason === null ? sendsTo(task.batch, task.index) : task.attempt
    const verdict = overVerdict(state, reason ?? task.batch.reasons.get(task.index) ?? null)
    return answered(state, { kind: 'answered', task: { ...task, attempt }, verdict, finding: null, outcome: null }, now)
  }
  const { batch, index } = placeOf(state, task)
  putBack(batch, index, reason)
  sendFirst(state, batch)
}

/** A recipient whose batch was settled without its answer becomes a batch of one. */
function placeOf(state: DeliveryState, place: Place): Place {
  const { batch, index, attempt } = place
  if (!batch.isSettled) return place
  state.stragglers--
  return { batch: stragglerOf(batch, index), index: 0, attempt }
}

function sendFirst(state: DeliveryState, batch: SendBatch): void {
  state.batches.add(batch)
  state.line.first(batch)
}

function counted(state: DeliveryState, count: number, now: number): void {
  if (state.phase === 'over') return
  const more = Math.max(count - state.addressed, 0)
  state.addressed += more
  state.isCounted = true
  endIfNobody(state)
  write(state, null, more, now)
}

function dueLeased(state: DeliveryState, { due, next }: EventOf<'due leased'>, now: number): void {
  state.isLeasingDue = false
  // Aborted in the meantime: their rows end with it.
  if (state.phase !== 'open') return rest(state, now)
  state.nextDueAt = Math.min(state.nextDueAt, next ?? Number.POSITIVE_INFINITY)
  state.waiting -= due.length
  if (due.length === 0) return rest(state, now)
  const unread = { token: '', environment: null }
  const recipients = due.map(({ device, badge, language }) => ({ ...unread, device, badge, language }))
  const batch = newBatch({ range: null, recipients, readAt: now, attempts: due.map(({ attempt }) => attempt) })
  for (const [index, { reason, attempt }] of due.entries()) if (attempt > 0) batch.reasons.set(index, reason)
  sendFirst(state, batch)
}

function written(state: DeliveryState, settlement: Settlement, now: number): void {
  state.writing.delete(settlement)
  if (state.phase !== 'open') return
  // Only once they are on disk, where the lease looks for them.
  for (const row of settlement.results)
    if (row.state === 'retry') state.nextDueAt = Math.min(state.nextDueAt, row.dueAt)
  rest(state, now)
}

function tick(state: DeliveryState, isPaused: boolean, now: number): void {
  if (state.record.expiresAt <= now && state.isCounted && state.phase === 'open') {
    state.effects.push({ kind: 'expired', unreached: undecided(state) })
    return abort(state, 'expired', null, now)
  }
  // If the count says that nobody is behind the last page, the delivery can end without a gateway.
  const left = unreached(state) + state.waiting + state.batches.size + state.stragglers
  if (isPaused && state.isCounted && left === 0 && state.phase === 'open') quietly(() => state.line.next(now, null))
  if (!isPaused) leaseDue(state, now)
  rest(state, now)
  for (const batch of state.batches) if (isLate(batch, now, isPaused)) settle(state, batch, now)
}

function leaseDue(state: DeliveryState, now: number): void {
  if (state.phase !== 'open' || state.isLeasingDue || state.nextDueAt > now) return
  const limit = Math.min(state.line.room, DUE_LIMIT)
  if (limit <= 0) return
  state.isLeasingDue = true
  state.nextDueAt = Number.POSITIVE_INFINITY
  state.effects.push({ kind: 'lease due', limit })
}

function abort(state: DeliveryState, abortReason: AbortReason, refused: string | null, now: number): void {
  if (state.phase === 'aborted' || state.phase === 'over') return
  const pages = [...state.batches].filter(({ attempts }) => attempts === null)
  const unsent = pages.reduce((sum, { recipients, sent }) => sum + recipients.length - sent, 0)
  state.end = { abortReason, refused, unsent: state.cursor.isExhausted ? unsent : null }
  state.phase = 'aborted'
  state.cursor.exhaust()
  state.line.clear()
  state.waiting = 0
  state.nextDueAt = Number.POSITIVE_INFINITY
  for (const batch of state.batches) {
    failPutBack(batch, (said) => overVerdict(state, said), now)
    if (batch.pending > 0) continue
    if (reached(batch) > 0) settle(state, batch, now)
    else state.batches.delete(batch)
  }
  rest(state, now)
}

/** Devices that enter an empty audience from now on were not in it when the push was accepted. */
export function endIfNobody(state: DeliveryState): void {
  if (state.isCounted && state.addressed === 0 && state.batches.size === 0) state.cursor.exhaust()
}

function settle(state: DeliveryState, batch: SendBatch, now: number): void {
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

/** Writes a settlement, the last one if nobody is left. `addressed`: as in `Settlement`. */
function write(state: DeliveryState, batch: SendBatch | null, addressed: number | null, now: number): void {
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

/** Ends the delivery, or has it wait on disk if all that are left wait for another attempt. */
export function rest(state: DeliveryState, now: number): void {
  if (isDone(state)) return write(state, null, null, now)
  const { phase, isCounted, waiting, nextDueAt, isLeasingDue, writing } = state
  const waits = isCounted && isSent(state) && waiting > 0 && nextDueAt > now
  if (!waits || phase !== 'open' || isLeasingDue || writing.size > 0) return
  state.phase = 'waiting'
  state.effects.push({ kind: 'wait' })
}
