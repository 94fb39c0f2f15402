import type { AbortReason } from '../store/open-delivery.ts'
import {
  failPutBack,
  hasNext,
  isLate,
  newBatch,
  noteAnswer,
  putBack,
  reached,
  showBadges,
  stragglerOf,
} from './batch.ts'
import type { SendBatch, Place } from './batch.ts'
import { quietly } from './batch-line.ts'
import type { Answered, DeliveryEvent, DueLeased, PutBack, Settlement } from './delivery-events.ts'
import { rest, settle, write } from './settling.ts'
import { MAX_UNWRITTEN, overVerdict, undecided, unreached, unwritten } from './state.ts'
import type { DeliveryState } from './state.ts'

/** Recipients leased at a time whose next attempt is due. */
const DUE_LIMIT = 500

/**
 * What an event changes, and what follows as effects. Without a clock or a database. Times are service time.
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
      for (const { results } of [...state.batches, ...state.writing]) makeDue(results, now)
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

/** The batch to take from; `null` if there is none now. `samplePlace`: as in `Delivery.take`. */
export function readNext(state: DeliveryState, now: number, samplePlace: number | null): SendBatch | null {
  const next = state.line.next(now, samplePlace)
  for (const batch of state.line.takeRead()) {
    state.batches.add(batch)
    if (state.record.notification.badge !== null) state.effects.push({ kind: 'lease badges', batch })
  }
  return next
}

function answered(state: DeliveryState, event: Answered, now: number): void {
  const { task, outcome } = event
  const refused = outcome === null ? null : state.trial.record(outcome)
  const isAborted = state.phase === 'aborted'
  // A broadcast creates no object for either of these.
  const answer = isAborted && event.verdict.kind === 'retry' ? { ...event, verdict: overVerdict(state) } : event
  const place = task.batch.isSettled ? placeOf(state, task) : task
  const { batch } = place
  noteAnswer(batch, place.index, answer, now)
  if (batch.pending === 0 && batch.again.length === 0 && (isAborted || !hasNext(batch))) settle(state, batch, now)
  if (refused === null) return
  state.effects.push({ kind: 'refused', reason: refused })
  abort(state, 'refused', refused, now)
}

function returned(state: DeliveryState, { task, wasSent, reason }: PutBack, now: number): void {
  if (wasSent) state.trial.unheard()
  if (state.phase === 'aborted') {
    const answer = { attempt: task.attempt, verdict: overVerdict(state), finding: null, outcome: null }
    return answered(state, { kind: 'answered', task, ...answer }, now)
  }
  const { batch, index } = placeOf(state, task)
  putBack(batch, index, reason)
  state.batches.add(batch)
  state.line.first(batch)
}

/** A recipient whose batch was settled without its answer has become a batch of one. */
function placeOf(
  state: DeliveryState,
  { batch, index }: Pick<Place, 'batch' | 'index'>,
): { readonly batch: SendBatch; readonly index: number } {
  if (!batch.isSettled) return { batch, index }
  state.stragglers--
  return { batch: stragglerOf(batch, index), index: 0 }
}

function counted(state: DeliveryState, count: number, now: number): void {
  if (state.phase === 'over') return
  const more = Math.max(count - state.addressed, 0)
  state.addressed += more
  state.isCounted = true
  endIfNobody(state)
  write(state, null, more, now)
}

function dueLeased(state: DeliveryState, { due, next }: DueLeased, now: number): void {
  state.isLeasingDue = false
  // Aborted in the meantime: their rows end with it.
  if (state.phase !== 'open') return rest(state, now)
  state.nextDueAt = Math.min(state.nextDueAt, next ?? Number.POSITIVE_INFINITY)
  state.waiting -= due.length
  if (due.length === 0) return rest(state, now)
  const recipients = due.map(({ device, badge, language }) => ({
    device,
    token: '',
    environment: null,
    badge,
    language,
  }))
  const batch = newBatch({ range: null, recipients, readAt: now, attempts: due.map(({ attempt }) => attempt) })
  for (const [index, { reason }] of due.entries()) batch.reasons.set(index, reason)
  state.batches.add(batch)
  state.line.first(batch)
}

function written(state: DeliveryState, settlement: Settlement, now: number): void {
  state.writing.delete(settlement)
  if (state.phase !== 'open') return
  // Not before they are on disk: they would not be found there, and be forgotten.
  for (const row of settlement.results)
    if (row.state === 'retry') state.nextDueAt = Math.min(state.nextDueAt, row.dueAt)
  rest(state, now)
}

function tick(state: DeliveryState, isPaused: boolean, now: number): void {
  if (state.messages.expiresAt <= now && state.isCounted && state.phase === 'open') {
    state.effects.push({ kind: 'expired', unreached: undecided(state) })
    return abort(state, 'expired', null, now)
  }
  // If the count says that nobody is behind the last page, the delivery can end without a gateway.
  const left = unreached(state) + state.waiting + state.batches.size + state.stragglers
  if (isPaused && state.isCounted && left === 0 && state.phase === 'open') quietly(() => readNext(state, now, null))
  if (!isPaused) leaseDue(state, now)
  rest(state, now)
  for (const batch of state.batches) if (isLate(batch, now, isPaused)) settle(state, batch, now)
}

function leaseDue(state: DeliveryState, now: number): void {
  if (state.phase !== 'open' || state.isLeasingDue || state.nextDueAt > now) return
  const limit = Math.min(MAX_UNWRITTEN - unwritten(state), DUE_LIMIT)
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
  // Their rows end with the delivery.
  state.waiting = 0
  state.nextDueAt = Number.POSITIVE_INFINITY
  for (const batch of state.batches) {
    failPutBack(batch, overVerdict(state), now)
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

function makeDue(results: Settlement['results'], now: number): void {
  for (const [index, row] of results.entries()) {
    if (row.state === 'retry') results[index] = { ...row, dueAt: Math.min(row.dueAt, now) }
  }
}
