import { Ledger } from '../ledger.ts'
import { LEASE_MS, retriesIn } from '../open/batch.ts'
import { ENOUGH_REFUSALS } from '../open/push-trial.ts'
import type { DeliveryEvent, Effect } from '../open/delivery-events.ts'
import type { Delivery, Task } from '../open/delivery.ts'
import { inSteps } from '../persist.ts'
import type { SenderContext } from '../sender-context.ts'
import type { StoredBadges } from '../stored-badges.ts'
import type { ExpiryKey } from '../store/expiry-scan.ts'
import { AudienceCounter } from './audience-counter.ts'
import { Line } from './line.ts'
import { Loader } from './loader.ts'
import { ReadGuard } from './read-guard.ts'

export interface OutboxDependencies extends SenderContext {
  readonly badges: StoredBadges
  /** As in `Ledger`. */
  readonly isGood: (credential?: number) => boolean
  /** Something was written or leased: there may be somebody to send to who was not there before. */
  readonly onMore: () => void
  /** Recipients were not sent to before the end of a time to live. */
  readonly onExpired: (recipients: number) => void
}

/**
 * What one application still has to send to one platform. Passes on to each delivery what happens to it, and does what
 * follows.
 */
export class Outbox {
  readonly #deps: OutboxDependencies
  readonly #name: Pick<SenderContext, 'application' | 'platform'>
  readonly #guard: ReadGuard
  readonly #line: Line
  readonly #ledger: Ledger
  readonly #counter: AudienceCounter
  /** The deliveries in memory. */
  readonly loaded: Pick<Loader, 'all' | 'find' | 'size' | 'waiting' | 'expects' | 'forgetTimes'>
  readonly #loader: Loader
  /** Whether nobody is sent to now, as of the last tick. */
  #isPaused = false
  readonly #drain = (delivery: Delivery): void => {
    for (const effect of delivery.takeEffects()) void this.#do(delivery, effect)
  }

  constructor(deps: OutboxDependencies) {
    const { application, platform, clock, log } = deps
    this.#deps = deps
    this.#name = { application, platform }
    this.#guard = new ReadGuard(clock, log, this.#name)
    this.#line = new Line(this.#guard)
    this.#ledger = new Ledger(deps)
    this.#counter = new AudienceCounter(deps)
    this.#loader = new Loader({ ...deps, guard: this.#guard })
    this.loaded = this.#loader
  }

  /** Whether somebody to send to may still be found without an answer coming first. */
  get isSearching(): boolean {
    return this.#loader.all().some(({ search }) => search !== null)
  }

  /** Takes the next recipient; `null` when there is none now. `samplePlace`: as in `Delivery.take`. */
  take(now: number, samplePlace: number | null): Task | null {
    const task = this.#line.take(now, samplePlace, this.#drain)
    if (task === null && this.#line.isSearching) this.#searchOn()
    return task
  }

  /** Tells a delivery what has happened to it. */
  pass(delivery: Delivery, event: DeliveryEvent): void {
    delivery.on(event, this.#deps.clock.now())
    this.#drain(delivery)
    this.#line.add(delivery)
  }

  /** Something was stored; `push` where it is one that may be older than what is loaded. */
  wake(push: number | null): void {
    this.#loader.wake(push)
    this.#load()
  }

  /** Time has passed. `isPaused`: nobody is sent to now. */
  tick(isPaused: boolean): void {
    this.#isPaused = isPaused
    this.#load()
    for (const delivery of this.#loader.all()) this.#tick(delivery)
  }

  /** Everybody who waits for another attempt, on disk or not yet, is due now. */
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
  written(): Promise<void> {
    return this.#ledger.written()
  }

  clear(): void {
    this.#loader.clear()
  }

  #load(): void {
    for (const { delivery, count, reason } of this.#loader.load()) {
      this.#line.add(delivery)
      if (reason !== 'queued' || delivery.isCounted) this.#tick(delivery)
      // Sending does not wait for it.
      if (!delivery.isCounted) {
        const isOver = () => delivery.phase === 'over'
        void this.#counter.count(delivery.record, count, isOver).then((total) => {
          this.pass(delivery, { kind: 'counted', count: total })
          this.#tick(delivery)
        })
      }
    }
  }

  #tick(delivery: Delivery): void {
    this.pass(delivery, { kind: 'tick', isPaused: this.#isPaused })
  }

  /** The line goes on in the next turn of the event loop. */
  #searchOn(): void {
    setImmediate(() => {
      if (this.#line.searchOn()) this.#deps.onMore()
    })
  }

  async #do(delivery: Delivery, effect: Effect): Promise<void> {
    const { log, store, persist, clock, badges, onExpired } = this.#deps
    const { record } = delivery
    const push = record.pushId
    switch (effect.kind) {
      case 'write':
        return this.#write(delivery, effect)
      case 'park': {
        const at = await persist(() => store.park(record))
        // It was aborted meanwhile: it ends here.
        if (delivery.phase !== 'parked') return
        this.#remove(delivery, at === null ? null : { at, retries: delivery.summary(clock.now()).retries })
        return
      }
      case 'lease due': {
        const leased = await persist(() => {
          const now = clock.now()
          const taken = store.takeDue(record, now, now + LEASE_MS, effect.limit)
          return { ...taken, next: store.nextDue(record), badgeChanges: badges.changesBeside(record) }
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
        onExpired(effect.unreached)
        log.warn('push expired', { ...this.#name, push, unreached: effect.unreached })
        return
      case 'refused':
        log.warn('push refused', { ...this.#name, push, reason: effect.reason, devices: ENOUGH_REFUSALS })
    }
  }

  async #write(delivery: Delivery, { settlement }: Effect & { kind: 'write' }): Promise<void> {
    const { log, isGood } = this.#deps
    const push = delivery.record.pushId
    await this.#ledger.write(delivery, settlement)
    const recipients = retriesIn(settlement)
    if (recipients > 0) log.debug('to be sent again', { ...this.#name, push, recipients })
    if (!settlement.finished) return this.#happened(delivery, { kind: 'written', settlement })
    const { abortReason, refused: reason } = delivery.endWith(isGood())
    if (abortReason === null && reason !== null) log.warn('push refused', { ...this.#name, push, reason })
    log.debug('push sent', { ...this.#name, push })
    this.#remove(delivery, null)
  }

  #happened(delivery: Delivery, event: DeliveryEvent): void {
    this.pass(delivery, event)
    this.#deps.onMore()
  }

  /** Others are loaded in its place. */
  #remove(delivery: Delivery, until: { readonly at: number; readonly retries: number } | null): void {
    this.#ledger.forget(delivery)
    this.#loader.remove(delivery, until)
    this.#load()
    this.#deps.onMore()
  }
}
