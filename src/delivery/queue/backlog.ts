import type { Platform } from '../../device/device.ts'
import type { Log } from '../../log.ts'
import { describeError } from '../../text/error-code.ts'
import type { ServiceClock } from '../../time/service-clock.ts'
import type { ActiveDelivery } from '../active-delivery.ts'
import { LEASE_MS } from '../page/page.ts'
import type { Task } from '../page/task.ts'
import type { StoredBadges } from '../stored-badges.ts'
import type { DeliveryStore } from '../store/delivery-store.ts'
import { LANES } from '../store/open-delivery.ts'
import type { Lane } from '../store/open-delivery.ts'
import { DeliveryQueue } from './delivery-queue.ts'
import { Loader } from './loader.ts'

/** How long a delivery that could not be read is left alone: the database is damaged, or the disk is. */
const READ_AGAIN_MS = 10_000

/** Recipients leased at a time, when their next attempt is due. */
const DUE_LIMIT = 500

/** Notifications for one device that are passed over to find one for another. */
const MAX_SAME = 64

interface Choice {
  /** Better one from anywhere in the audience. */
  readonly wantsSamples: boolean
  /** Better for another device than this one. */
  readonly pausedBy: number | null
}

interface Dependencies {
  readonly application: number
  readonly platform: Platform
  readonly clock: ServiceClock
  readonly log: Pick<Log, 'error'>
  /** In [0, 1). */
  readonly random: () => number
  readonly store: DeliveryStore
  readonly badges: StoredBadges
  /** Whether nothing of the last run can be taken for what is leased now. */
  readonly mayLoad: () => boolean
  /** `push.number` up to which everything is on disk. */
  readonly lastOnDisk: () => number
  readonly persist: <T>(operation: () => T) => Promise<T>
  /** There may be a recipient who was not there before. */
  readonly onMore: () => void
  /** The audience of a delivery is counted, `more` than the database knows: where it is empty, the delivery ends. */
  readonly onCounted: (delivery: ActiveDelivery, more: number | null) => void
  /** A delivery was loaded because a recipient is due again, or because its time to live is over. */
  readonly onTime: (delivery: ActiveDelivery) => void
}

/** What one application still has to send to one platform: singles first, then a page of each delivery to many. */
export class Backlog {
  readonly #deps: Dependencies
  readonly #loader: Loader
  readonly #queues: Readonly<Record<Lane, DeliveryQueue>> = { single: new DeliveryQueue(), many: new DeliveryQueue() }
  /** Deliveries whose audience cannot be read now: their answers must not have it tried again, and told, each time. */
  readonly #unreadable = new Set<ActiveDelivery>()

  constructor(deps: Dependencies) {
    this.#deps = deps
    this.#loader = new Loader({
      ...deps,
      onLoaded: (delivery, reason) => {
        this.enqueue(delivery)
        if (reason !== 'queued') deps.onTime(delivery)
      },
      onUnreadable: (error, again) => this.#readAgain(error, again),
    })
  }

  /** The deliveries in memory. */
  get loaded(): Pick<Loader, 'size' | 'waiting' | 'expects' | 'load' | 'park' | 'forgetTimes'> {
    return this.#loader
  }

  /** Whether somebody to send to may still be found without an answer coming first. */
  get isSearching(): boolean {
    return this.all().some((delivery) => delivery.isSearching || delivery.isLeasing)
  }

  /** Every delivery in memory. */
  all(): ActiveDelivery[] {
    return this.#loader.all()
  }

  /** The delivery of this push, if it is in memory. */
  find(push: number): ActiveDelivery | null {
    return this.#loader.find(push)
  }

  /** Something was stored; `push` where it is one that may be older than what is loaded. */
  wake(push: number | null): void {
    this.#loader.wake(push)
  }

  /** Takes the next recipient; `null` when there is none now. `onEmpty` is told of each delivery that has none. */
  take(now: number, { wantsSamples, pausedBy }: Choice, onEmpty: (delivery: ActiveDelivery) => void): Task | null {
    const first = this.#take(now, wantsSamples, onEmpty)
    if (first?.recipient.device !== pausedBy) return first
    const same: Task[] = []
    let task: Task | null = first
    while (task?.recipient.device === pausedBy && same.push(task) < MAX_SAME) {
      task = this.#take(now, wantsSamples, onEmpty)
    }
    const other = task?.recipient.device === pausedBy ? null : task
    const next = other ?? same.shift() ?? null
    for (const one of same) {
      one.delivery.requeue(one)
      this.enqueue(one.delivery)
    }
    return next
  }

  /** Reads whether anybody is left of a delivery that seems to be through. For times in which nothing is taken. */
  readForEnd(delivery: ActiveDelivery, now: number): void {
    if (this.#unreadable.has(delivery)) return
    try {
      delivery.readForEnd(now)
    } catch (error) {
      this.#setAside(delivery, error)
    }
    this.enqueue(delivery)
  }

  /** Puts a delivery that may have somebody to send to behind the others of its lane. */
  enqueue(delivery: ActiveDelivery): void {
    if (delivery.isFinished || delivery.isParking || this.#unreadable.has(delivery)) return
    this.#queues[delivery.record.lane].add(delivery)
  }

  /** Rows of recipients that wait were made due at `at`, ms of service time, where that was not to be before. */
  dueAgain(at: number): void {
    for (const delivery of this.all()) delivery.dueAgain(at)
    this.#loader.forgetTimes()
  }

  /** Takes a finished delivery out, and loads others in its place. */
  drop(delivery: ActiveDelivery): void {
    this.#loader.drop(delivery)
  }

  clear(): void {
    this.#loader.clear()
  }

  /** Leases recipients whose next attempt is due; resolves with those whose device is not there any more. */
  async leaseDue(delivery: ActiveDelivery, now: number): Promise<ReturnType<DeliveryStore['takeDue']>['dead']> {
    const limit = delivery.startLease(DUE_LIMIT)
    if (limit === 0) return []
    const { store, persist, onMore } = this.#deps
    const leased = await persist(() => ({
      ...store.takeDue(delivery.record, now, now + LEASE_MS, limit),
      next: store.nextDue(delivery.record),
    }))
    const dead = delivery.lease(leased)
    if (delivery.isOver) return []
    this.enqueue(delivery)
    onMore()
    return dead
  }

  #take(now: number, fromAnywhere: boolean, onEmpty: (delivery: ActiveDelivery) => void): Task | null {
    for (const lane of LANES) {
      const queue = this.#queues[lane]
      for (let delivery = queue.first; delivery !== undefined; delivery = queue.first) {
        const isOver = delivery.isFinished || delivery.expiresAt <= now
        const task = isOver ? null : this.#takeFrom(delivery, now, fromAnywhere)
        if (task !== null && !delivery.isAtPageEnd) return task
        // Nothing to send, or a page is through: the next delivery.
        queue.removeFirst()
        if (task !== null) {
          this.enqueue(delivery)
          return task
        }
        if (delivery.isSearching) this.#enqueueLater(delivery)
        else onEmpty(delivery)
      }
    }
    return null
  }

  /** The next recipient of a delivery; `null` also where its audience cannot be read now. */
  #takeFrom(delivery: ActiveDelivery, now: number, fromAnywhere: boolean): Task | null {
    try {
      return delivery.take(now, fromAnywhere ? this.#deps.random() : null)
    } catch (error) {
      this.#setAside(delivery, error)
      return null
    }
  }

  #setAside(delivery: ActiveDelivery, error: unknown): void {
    this.#unreadable.add(delivery)
    this.#readAgain(error, () => {
      this.#unreadable.delete(delivery)
      this.enqueue(delivery)
    })
  }

  /** A damaged page, or a failing disk, holds up the delivery that needs it, and nothing else. */
  #readAgain(error: unknown, read: () => void): void {
    const { application, platform, clock, log, onMore } = this.#deps
    log.error('a delivery cannot be read; trying again', { application, platform, error: describeError(error) })
    clock.after(READ_AGAIN_MS, () => {
      read()
      onMore()
    })
  }

  #enqueueLater(delivery: ActiveDelivery): void {
    setImmediate(() => {
      this.enqueue(delivery)
      this.#deps.onMore()
    })
  }
}
