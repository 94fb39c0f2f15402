import { sleep } from '../../clock.ts'
import { Ledger } from '../ledger.ts'
import { LEASE_MS, retriesIn } from '../open/batch.ts'
import type { DeliveryEvent, Effect, Settlement } from '../open/delivery-events.ts'
import type { Delivery, Task } from '../open/delivery.ts'
import { ENOUGH_REFUSALS } from '../open/push-trial.ts'
import { inSteps } from '../persist.ts'
import type { SenderContext } from '../sender-context.ts'
import type { OutcomeCounts } from '../sender-stats.ts'
import type { ExpiryKey } from '../store/waiting-store.ts'
import type { StoredBadges } from '../stored-badges.ts'
import { Line } from './line.ts'
import { Loader } from './loader.ts'
import type { LoadedDelivery } from './loader.ts'
import { READ_AGAIN_MS, ReadGuard } from './read-guard.ts'

/** Index entries counted before the event loop gets a turn: 0.3 ms, or 8 ms if filters are checked on each device. */
const COUNT_CANDIDATES = 2000

export interface OutboxDependencies extends SenderContext {
  readonly badges: StoredBadges
  /** As in `Ledger`. */
  readonly isGood: (credential?: number) => boolean
  /** Something was written or leased, and there may be somebody new to send to. */
  readonly onMore: () => void
  /** Which it counts expired notifications in. */
  readonly outcomes: OutcomeCounts
}

/** What one application still has to send to one platform. Passes events to deliveries, and does what follows. */
export class Outbox {
  readonly #deps: OutboxDependencies
  readonly #guard: ReadGuard
  readonly #line: Line
  readonly #ledger: Ledger
  readonly #loader: Loader
  /** Each turn of the event loop counts a part of one large audience. */
  #countTurn: Promise<void> = Promise.resolve()
  /** Whether nothing could be sent at the last tick. */
  #isPaused = false
  readonly #drain = (delivery: Delivery): void => {
    for (const effect of delivery.takeEffects()) void this.#do(delivery, effect)
  }

  constructor(deps: OutboxDependencies) {
    this.#guard = new ReadGuard(deps.clock, deps.log)
    this.#deps = deps
    this.#line = new Line(this.#guard)
    this.#ledger = new Ledger(deps)
    this.#loader = new Loader({ ...deps, guard: this.#guard })
  }

  /** The deliveries in memory. */
  get loaded(): Pick<Loader, 'all' | 'find' | 'size' | 'waiting' | 'expects' | 'forgetTimes'> {
    return this.#loader
  }

  /** Whether there may still be somebody to send to without an answer coming first. */
  get isSearching(): boolean {
    return this.#loader.all().some(({ waitsFor }) => waitsFor !== null)
  }

  /** The next recipient; `null` if there is none now. `samplePlace`: as in `Delivery.take`. */
  take(now: number, samplePlace: number | null): Task | null {
    const task = this.#line.take(now, samplePlace, this.#drain)
    if (task === null && this.#line.isSearching) {
      // In the next turn of the event loop.
      setImmediate(() => {
        if (this.#line.searchOn()) this.#deps.onMore()
      })
    }
    return task
  }

  /** Passes an event to a delivery. */
  pass(delivery: Delivery, event: DeliveryEvent): void {
    delivery.on(event, this.#deps.clock.now())
    this.#drain(delivery)
    this.#line.add(delivery)
  }

  /** As `Sender.wake`. */
  wake(push: number | null): void {
    this.#loader.wake(push)
    this.#load()
  }

  /** Time has passed. `isPaused`: nothing can be sent now. */
  tick(isPaused: boolean): void {
    this.#isPaused = isPaused
    this.#load()
    for (const delivery of this.#loader.all()) this.#tick(delivery)
  }

  /** Makes all recipients due that wait for another attempt, on disk or not yet. */
  async makeAllDue(): Promise<void> {
    const { application, platform, clock, store, persist, onMore } = this.#deps
    for (const delivery of this.#loader.all()) this.pass(delivery, { kind: 'made due' })
    await inSteps(persist, (from: ExpiryKey | null) => store.makeDue(application, platform, clock.now(), from))
    for (const delivery of this.#loader.all()) this.pass(delivery, { kind: 'rows made due' })
    this.#loader.forgetTimes()
    onMore()
  }

  /** Settles everything as far as it was sent. */
  stop(): void {
    for (const delivery of this.#loader.all()) this.pass(delivery, { kind: 'stopped' })
  }

  /** Resolves when everything is on disk. */
  async written(): Promise<void> {
    await Promise.all(this.#loader.all().map((delivery) => this.#ledger.written(delivery)))
  }

  clear(): void {
    this.#loader.clear()
  }

  #load(): void {
    for (const { delivery, count, isNew } of this.#loader.load()) {
      this.#line.add(delivery)
      if (!isNew || delivery.isCounted) this.#tick(delivery)
      if (!delivery.isCounted) void this.#count(delivery, count)
    }
  }

  /** In parts, beside the sending: the size of the audience is known soon, also while nothing can be sent. */
  async #count(delivery: Delivery, count: LoadedDelivery['count']): Promise<void> {
    const { record } = delivery
    for (let [after, total] = [0, 0]; delivery.phase !== 'over';) {
      await (record.queue === 'single' ? nextTurn() : (this.#countTurn = this.#countTurn.then(nextTurn)))
      const part = this.#guard.read(count, () => count(after, COUNT_CANDIDATES))
      if (part === null) {
        await sleep(this.#deps.clock, READ_AGAIN_MS)
        continue
      }
      total += part.count
      after = part.last
      if (after < record.ceiling) continue
      this.pass(delivery, { kind: 'counted', count: total })
      return this.#tick(delivery)
    }
  }

  #tick(delivery: Delivery): void {
    this.pass(delivery, { kind: 'tick', isPaused: this.#isPaused })
  }

  async #do(delivery: Delivery, effect: Effect): Promise<void> {
    const { log, store, persist, clock, badges, outcomes } = this.#deps
    const { record } = delivery
    const push = record.pushId
    switch (effect.kind) {
      case 'write':
        return this.#write(delivery, effect.settlement)
      case 'wait': {
        const at = await persist(() => store.wait(record))
        // It was aborted in the meantime, and ends here.
        if (delivery.phase !== 'waiting') return
        return this.#remove(delivery, at === null ? null : { at, retries: delivery.summary(clock.now()).retries })
      }
      case 'lease due': {
        const leased = await persist(() => {
          const now = clock.now()
          return { due: store.takeDue(record, now, now + LEASE_MS, effect.limit), next: store.nextDue(record) }
        })
        return this.#happened(delivery, { kind: 'due leased', ...leased })
      }
      case 'lease badges': {
        const { batch } = effect
        const devices = batch.recipients.map(({ device }) => device)
        const leased = await persist(() => badges.lease(record, devices))
        if (leased !== null) this.#happened(delivery, { kind: 'badges leased', batch, ...leased })
        return
      }
      case 'expired':
        outcomes.expired += effect.unreached
        log.warn('push expired', { push, unreached: effect.unreached })
        return
      case 'refused':
        log.warn('push refused', { push, reason: effect.reason, devices: ENOUGH_REFUSALS })
    }
  }

  async #write(delivery: Delivery, settlement: Settlement): Promise<void> {
    const { log, isGood } = this.#deps
    const push = delivery.record.pushId
    await this.#ledger.write(delivery, settlement)
    const recipients = retriesIn(settlement)
    if (recipients > 0) log.debug('to be sent again', { push, recipients })
    if (!settlement.finished) return this.#happened(delivery, { kind: 'written', settlement })
    const { abortReason, refused: reason } = delivery.endWith(isGood())
    if (abortReason === null && reason !== null) log.warn('push refused', { push, reason })
    log.debug('push sent', { push })
    this.#remove(delivery, null)
  }

  #happened(delivery: Delivery, event: DeliveryEvent): void {
    this.pass(delivery, event)
    this.#deps.onMore()
  }

  #remove(delivery: Delivery, until: Parameters<Loader['remove']>[1]): void {
    this.#loader.remove(delivery, until)
    this.#load()
    this.#deps.onMore()
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
