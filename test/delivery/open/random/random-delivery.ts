import type { Delivery, Task } from '../../../../src/delivery/open/delivery.ts'
import type { DeliveryEvent, Effect } from '../../../../src/delivery/open/delivery-events.ts'
import type { AbortReason, Settlement } from '../../../../src/delivery/store/open-delivery.ts'
import { REMOVED } from '../../../../src/delivery/verdict.ts'
import { diceOf } from '../../../fuzz/dice.ts'
import { deliveryOf } from '../../../support/made-up-delivery.ts'
import { answerOf, circumstancesOf } from './circumstances.ts'
import { ensure } from './ensure.ts'
import { madeUpAudience, READ_ERROR } from './made-up-audience.ts'
import { PaperDisk } from './paper-disk.ts'
import { RecipientBook } from './recipient-book.ts'

/** Rounds of 250 ms in which a delivery must finish once nothing is held back. */
const MAX_ROUNDS = 1000

const TICK_MS = 250

type Lease = Exclude<Effect, { kind: 'write' | 'expired' | 'refused' }>

/** What happened, to prove that everything did. */
export interface Ran {
  readonly loads: number
  readonly parked: number
  readonly stragglers: number
  readonly mostUnwritten: number
  readonly abortReason: AbortReason | null
}

/** Ends with the process, or when the delivery leaves memory. */
interface Run {
  readonly delivery: Delivery
  readonly book: RecipientBook
  readonly inFlight: Task[]
  readonly held: Set<Task>
  /** To be written, in order; and on disk, unknown to the delivery. */
  readonly settlements: Settlement[]
  readonly written: Settlement[]
  readonly leases: Lease[]
  /** Other work of the disk, unknown to the delivery. */
  readonly events: (() => void)[]
  /** Settlements that claimed to be the last. */
  ends: number
}

/**
 * Runs one delivery to its end through everything that can happen, in an order set by `seed`: no clock, no real disk.
 * Errors throw.
 */
export function runAtRandom(seed: number): Ran {
  const dice = diceOf(seed, 0)
  const is = circumstancesOf(dice)
  const { devices } = is
  const disk = new PaperDisk()
  const ran = { loads: 0, parked: 0, stragglers: 0, mostUnwritten: 0 }
  let now = 1
  let isRestless = true
  let isCancelled = false
  const audience = madeUpAudience(is, dice, () => isRestless)
  let run = begin(null)

  function begin(waitsUntil: number | null): Run {
    const record = disk.record(is.record, waitsUntil)
    const delivery = deliveryOf(record, audience, record.retries > 0 ? disk.nextDue() : null)
    const book = new RecipientBook(devices, disk)
    return {
      delivery,
      book,
      inFlight: [],
      held: new Set(),
      settlements: [],
      written: [],
      leases: [],
      events: [],
      ends: 0,
    }
  }

  /** Loses what was in memory. */
  function load(waitsUntil: number | null = null): void {
    noteRun()
    run = begin(waitsUntil)
    if (isCancelled) cancel()
    else if (run.delivery.uncounted === null) tick(false)
  }

  function noteRun(): void {
    ran.loads++
    ran.stragglers += run.book.stragglers
    ran.mostUnwritten = Math.max(ran.mostUnwritten, run.book.mostUnwritten)
  }

  function crash(): void {
    disk.endLeases(now)
    load()
  }

  function on(event: DeliveryEvent): void {
    const { delivery } = run
    const wasOver = delivery.phase === 'over'
    delivery.on(event, now)
    const effects = delivery.takeEffects()
    const isStill = delivery.phase === 'over' && effects.length === 0
    ensure(!wasOver || isStill, () => `${event.kind} wakes a delivery that is over`)
    follow(effects)
  }

  function drain(): void {
    follow(run.delivery.takeEffects())
  }

  function follow(effects: readonly Effect[]): void {
    const { leases } = run
    for (const effect of effects) {
      if (effect.kind === 'write') issue(effect.settlement)
      else if (effect.kind !== 'expired' && effect.kind !== 'refused') leases.push(effect)
      if (effect.kind === 'wait') checkParked()
    }
  }

  function issue(settlement: Settlement): void {
    const { delivery, book, inFlight, settlements } = run
    ensure(run.ends === 0, () => 'something is written after the end')
    book.issued(settlement, delivery.phase)
    settlements.push(settlement)
    if (!settlement.finished) return
    run.ends++
    ensure(delivery.phase === 'over', () => `it ends, and is ${delivery.phase}`)
    ensure(inFlight.length === 0, () => `it ends while ${inFlight.length} are on their way`)
  }

  function checkParked(): void {
    const due = disk.nextDue()
    ensure(due !== null && due > now, () => `it is put away until ${due}, at ${now}`)
    const { settlements, written, inFlight } = run
    ensure(settlements.length + written.length + inFlight.length === 0, () => 'it is put away too soon')
  }

  /** The numbers that a stop reports. */
  function checkSummary(): void {
    const { delivery, book, inFlight, settlements, written } = run
    const said = delivery.summary(now).notWrittenDown
    let unwritten = book.accepted + inFlight.length
    for (const { accepted } of settlements) unwritten += accepted
    for (const { accepted } of written) unwritten += accepted
    ensure(said === unwritten, () => `${said} are said not to be written down, and are ${unwritten}`)
  }

  function take(): boolean {
    const task = takeFrom(run.delivery)
    drain()
    if (task === null) return false
    run.book.taken(task.recipient.device)
    if (dice.happens(20)) run.held.add(task)
    else run.delivery.sent()
    run.inFlight.push(task)
    return true
  }

  function takeFrom(delivery: Delivery): Task | null {
    try {
      return delivery.take(now, isRestless && dice.happens(is.samples) ? dice.whole(0, 999) / 1000 : null)
    } catch (error) {
      ensure(is.readsFail && error instanceof Error && error.message === READ_ERROR, () => String(error))
      return null
    }
  }

  function landed(): Task | null {
    const { inFlight } = run
    if (inFlight.length === 0) return null
    const at = dice.whole(0, inFlight.length - 1)
    const task = inFlight[at] ?? null
    const last = inFlight.pop()
    if (last !== undefined && at < inFlight.length) inFlight[at] = last
    return task
  }

  function putBack(): void {
    const task = landed()
    if (task === null) return
    run.book.putBack(task.recipient.device)
    on({ kind: 'put back', task, wasSent: !run.held.has(task), reason: null })
  }

  function answer(): void {
    const task = landed()
    if (task === null) return
    const isHeld = run.held.has(task)
    const hasLeft = isHeld && task.batch.attempts !== null && dice.happens(10)
    const { outcome, verdict } = hasLeft
      ? { outcome: null, verdict: REMOVED }
      : answerOf({ mood: is.mood, isRestless, isHeld }, dice, now)
    if (isHeld && outcome !== null) run.delivery.sent()
    run.book.answered(task.recipient.device, verdict.kind)
    on({ kind: 'answered', task, outcome, verdict, finding: null })
  }

  /** The disk takes the next settlement. */
  function commit(): void {
    const { delivery, book, settlements, written } = run
    const settlement = settlements.shift()
    if (settlement === undefined) return
    disk.commit(settlement)
    book.written(settlement)
    if (settlement.finished) disk.finish(delivery.endWith(true), devices.length, delivery.uncounted === null)
    else written.push(settlement)
  }

  function tellWritten(): void {
    const settlement = run.written.shift()
    if (settlement !== undefined) on({ kind: 'written', settlement })
  }

  /** The disk takes any lease, before or after settlements. */
  function lease(): void {
    const { leases, events, delivery, book } = run
    const [effect] = leases.splice(dice.whole(0, leases.length - 1), 1)
    if (effect?.kind === 'lease due') {
      const leased = disk.takeDue(effect.limit, now)
      events.push(() => {
        for (const { device } of leased.due) book.due(device)
        on({ kind: 'due leased', ...leased })
      })
    } else if (effect?.kind === 'lease badges') {
      const { batch } = effect
      const badges = new Map(batch.recipients.map(({ device }) => [device, 1]))
      events.push(() => on({ kind: 'badges leased', batch, badges, badgeChanges: 0 }))
    } else if (effect?.kind === 'wait') events.push(() => delivery.phase === 'waiting' && park())
  }

  function park(): void {
    ran.parked++
    const until = Math.min(disk.nextDue() ?? is.record.expiresAt, is.record.expiresAt)
    now = Math.max(now, until)
    load(until)
  }

  function tellEvent(): void {
    const { events } = run
    for (const event of events.splice(dice.whole(0, events.length - 1), 1)) event()
  }

  function tick(isPaused: boolean): void {
    on({ kind: 'tick', isPaused })
  }

  function count(): void {
    if (run.delivery.uncounted !== null) on({ kind: 'counted', count: devices.length })
  }

  function cancel(): void {
    isCancelled = true
    on({ kind: 'aborted', reason: 'cancelled', refused: null })
  }

  function makeDue(): void {
    on({ kind: 'made due' })
    run.events.push(() => {
      disk.makeDue(now)
      on({ kind: 'rows made due' })
    })
  }

  /** The process stops: no more sends, and everything is written as it stands. */
  function stop(): void {
    for (let left = dice.whole(0, run.inFlight.length); left > 0; left--) answer()
    on({ kind: 'stopped' })
    if (dice.happens(50)) {
      while (run.inFlight.length > 0) answer()
      on({ kind: 'stopped' })
    }
    while (run.settlements.length > 0) commit()
    if (!disk.isFinished) crash()
  }

  /** The disk works, or its work becomes known. Returns whether there was any. */
  function diskStep(): boolean {
    const { settlements, written, leases, events } = run
    if (settlements.length > 0 && dice.happens(60)) commit()
    else if (written.length > 0 && dice.happens(60)) tellWritten()
    else if (leases.length > 0 && dice.happens(70)) lease()
    else if (events.length > 0) tellEvent()
    else return false
    return true
  }

  function step(): void {
    const permille = dice.whole(0, 999)
    if (permille < is.crashes) return crash()
    if (permille < is.crashes + is.stops) return stop()
    if (permille < is.crashes + is.stops + is.cancels) return cancel()
    if (dice.happens(is.disk) && diskStep()) return
    const percent = dice.whole(0, 99)
    if (percent < 10) {
      now += dice.pick([0, 50, TICK_MS, TICK_MS, 3000])
      tick(dice.happens(30))
    } else if (percent < 15) putBack()
    else if (percent < 16) count()
    else if (percent < 17) makeDue()
    else if (percent < 50) {
      for (let left = dice.whole(0, is.window); left > 0 && run.inFlight.length < is.window && take();) left--
    } else for (let left = dice.whole(0, run.inFlight.length); left > 0; left--) answer()
  }

  function settle(): void {
    count()
    while (take()) if (run.inFlight.length > 1000) answer()
    while (run.inFlight.length > 0) answer()
    while (run.settlements.length > 0) commit()
    while (run.written.length > 0) tellWritten()
    while (run.leases.length > 0) lease()
    while (run.events.length > 0) tellEvent()
    now += TICK_MS
    if (!disk.isFinished) tick(false)
  }

  for (let { steps } = is; steps > 0 && !disk.isFinished; steps--) {
    step()
    if (!disk.isFinished) checkSummary()
  }
  isRestless = false
  for (let rounds = 0; !disk.isFinished; rounds++) {
    const { phase } = run.delivery
    ensure(rounds < MAX_ROUNDS, () => `it does not end, and is ${phase}: ${JSON.stringify(run.delivery.summary(now))}`)
    settle()
  }
  noteRun()
  ensure(run.delivery.phase === 'over' && run.ends === 1, () => `it is ${run.delivery.phase} after ${run.ends} ends`)
  return { ...ran, abortReason: run.delivery.endWith(true).abortReason }
}
