import type { Clock } from '../clock.ts'
import type { Platform } from '../device/device.ts'
import { ActiveDelivery, LEASE_MS } from './active-delivery.ts'
import type { Task } from './active-delivery.ts'
import { describeError } from '../log.ts'
import type { Log } from '../log.ts'
import type { DeliveryStore } from './delivery-store.ts'
import type { Lane, OpenDelivery } from './open-delivery.ts'
import type { PendingBadges } from './pending-badges.ts'

/**
 * Open deliveries of each lane held in memory; the rest waits in the database. A delivery holds its place until its end
 * is on disk, so that a crash sends no more than so many singles again.
 */
const LOADED: Readonly<Record<Lane, number>> = { single: 512, many: 32 }

/** Index entries counted before the event loop gets a turn: 0.3 ms, or 8 ms where filters are checked on each device. */
const COUNT_CANDIDATES = 2000

/** How long what could not be read is left alone: the database is damaged, or the disk is. */
const READ_AGAIN_MS = 10_000

/** Recipients leased at a time, when their next attempt is due. */
const DUE_LIMIT = 500

const LANES: readonly Lane[] = ['single', 'many']

/** How far the count of one audience is. */
interface Counting {
  readonly delivery: ActiveDelivery
  readonly count: (after: number, candidates: number) => { readonly count: number; readonly last: number }
  readonly after: number
  readonly total: number
}

interface Dependencies {
  readonly application: number
  readonly platform: Platform
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
  /** In [0, 1). */
  readonly random: () => number
  readonly store: DeliveryStore
  readonly badges: Pick<PendingBadges, 'changes'>
  readonly persist: <T>(operation: () => T) => Promise<T>
  /** There may be somebody to send to who was not there before. */
  readonly onMore: () => void
  /** It is known how many a delivery addresses: nobody may be the end of it. */
  readonly onCounted: (delivery: ActiveDelivery) => void
}

/** What one application still has to send to one platform: singles first, then those to many, a page each in turn. */
export class Backlog {
  readonly #on: Dependencies
  /** Everything loaded and not finished, by its push. */
  readonly #open: Readonly<Record<Lane, Map<number, ActiveDelivery>>> = { single: new Map(), many: new Map() }
  /** Those of them that may have somebody to send to now, in turn. */
  readonly #line: Readonly<Record<Lane, ActiveDelivery[]>> = { single: [], many: [] }
  /** Those whose audience cannot be read now: their answers must not have it tried again, and told, each time. */
  readonly #unreadable = new Set<ActiveDelivery>()
  /** Audiences of many that are not counted: of one of them, in turn, a part in each turn of the event loop. */
  readonly #uncounted: Counting[] = []
  /** Up to which push the database has been read. */
  readonly #lastLoaded: Record<Lane, number> = { single: 0, many: 0 }
  readonly #more: Record<Lane, boolean> = { single: true, many: true }

  constructor(on: Dependencies) {
    this.#on = on
  }

  /** Open deliveries in memory. */
  get size(): number {
    return this.#open.single.size + this.#open.many.size
  }

  /** Whether somebody to send to may still be found without an answer coming first. */
  get isSearching(): boolean {
    return this.all().some((delivery) => delivery.searching)
  }

  all(): ActiveDelivery[] {
    return [...this.#open.single.values(), ...this.#open.many.values()]
  }

  /** The delivery of this push, if it is in memory. */
  of(push: number): ActiveDelivery | null {
    return this.#open.single.get(push) ?? this.#open.many.get(push) ?? null
  }

  /** Something was stored; `push` where it is one that may be older than what is loaded. */
  wake(push: number | null): void {
    for (const lane of LANES) {
      this.#more[lane] = true
      if (push !== null) this.#lastLoaded[lane] = Math.min(this.#lastLoaded[lane], push - 1)
    }
    this.#load()
  }

  /**
   * The next recipient; `null` when there is none now. `around`: better one from anywhere in the audience. `onEmpty`
   * hears of each delivery that has none.
   */
  take(now: number, around: boolean, onEmpty: (delivery: ActiveDelivery) => void): Task | null {
    for (const lane of LANES) {
      const line = this.#line[lane]
      for (let delivery = line[0]; delivery !== undefined; delivery = line[0]) {
        const over = delivery.finished || delivery.expiresAt <= now
        const task = over ? null : this.#next(delivery, now, around)
        if (task !== null && !delivery.atPageEnd) return task
        // Nothing to send, or a page is through: the next one's turn.
        line.shift()
        delivery.inLine = false
        if (task !== null) {
          this.line(delivery)
          return task
        }
        if (delivery.searching) this.#later(delivery)
        else onEmpty(delivery)
      }
    }
    return null
  }

  /** Looks whether anybody is left of a delivery that seems to be through. For times in which nothing is taken. */
  lookForEnd(delivery: ActiveDelivery): void {
    if (this.#unreadable.has(delivery)) return
    this.#reading(delivery, () => delivery.lookForEnd())
    this.line(delivery)
  }

  /** Puts a delivery that may have somebody to send to behind the others of its lane. */
  line(delivery: ActiveDelivery): void {
    if (delivery.inLine || delivery.finished || this.#unreadable.has(delivery)) return
    delivery.inLine = true
    this.#line[delivery.of.lane].push(delivery)
  }

  /** Rows of recipients that wait were made due at `now`, ms since the Unix epoch. */
  dueAgain(now: number): void {
    for (const delivery of this.all()) if (delivery.retries > 0) delivery.nextDueAt = Math.min(delivery.nextDueAt, now)
  }

  /** Takes a finished delivery out, and loads others in its place. */
  drop(delivery: ActiveDelivery): void {
    this.#open[delivery.of.lane].delete(delivery.of.push)
    this.#load()
  }

  clear(): void {
    for (const lane of LANES) this.#open[lane].clear()
  }

  /** Leases recipients whose next attempt is due; resolves with those whose device is not there any more. */
  async loadDue(delivery: ActiveDelivery, now: number): Promise<ReturnType<DeliveryStore['takeDue']>['dead']> {
    const limit = Math.min(delivery.roomForDue, DUE_LIMIT)
    if (delivery.loadingDue || delivery.due.length > 0 || limit === 0) return []
    delivery.loadingDue = true
    // What is written down meanwhile lowers it again.
    delivery.nextDueAt = Number.POSITIVE_INFINITY
    const { store, persist, onMore } = this.#on
    const { due, dead, next } = await persist(() => ({
      ...store.takeDue(delivery.of, now, now + LEASE_MS, limit),
      next: store.nextDue(delivery.of),
    }))
    delivery.loadingDue = false
    // They end with the delivery.
    if (delivery.finished || delivery.calledOff !== null) return []
    delivery.nextDueAt = Math.min(delivery.nextDueAt, next ?? Number.POSITIVE_INFINITY)
    const isHere = ({ device }: { device: number }) =>
      delivery.leased.has(device) || delivery.unwritten.devices.has(device)
    for (const recipient of due) {
      if (isHere(recipient)) continue
      delivery.leased.add(recipient.device)
      delivery.due.push(recipient)
    }
    this.line(delivery)
    onMore()
    // The answer of who is on the way says more.
    return dead.filter((one) => !isHere(one))
  }

  #load(): void {
    try {
      this.#loadOpen()
    } catch (error) {
      this.#readAgain(error, () => this.#load())
    }
  }

  #loadOpen(): void {
    const { store, application, platform } = this.#on
    for (const lane of LANES) {
      const loaded = this.#open[lane]
      // Half empty before it looks again: one query for many.
      while (this.#more[lane] && loaded.size <= LOADED[lane] / 2) {
        const room = LOADED[lane] - loaded.size
        const found = store.open(application, platform, lane, this.#lastLoaded[lane], room)
        this.#more[lane] = found.length === room
        this.#lastLoaded[lane] = found.at(-1)?.push ?? this.#lastLoaded[lane]
        for (const open of found) this.#begin(open)
      }
    }
  }

  #begin(open: OpenDelivery): void {
    const { store, badges } = this.#on
    if (this.#open[open.lane].has(open.push)) return
    try {
      const recipients = store.recipients(open)
      const nextDueAt = open.retries > 0 ? store.nextDue(open) : null
      const delivery = new ActiveDelivery(open, recipients, nextDueAt, badges)
      this.#open[open.lane].set(open.push, delivery)
      this.line(delivery)
      // Sending does not wait for it.
      if (!delivery.counted) this.#countLater({ delivery, count: recipients.count, after: 0, total: 0 })
      else this.#on.onCounted(delivery)
    } catch (error) {
      this.#readAgain(error, () => this.#begin(open))
    }
  }

  /** The next recipient of a delivery; `null` also where its audience cannot be read now. */
  #next(delivery: ActiveDelivery, now: number, around: boolean): Task | null {
    return this.#reading(delivery, () => delivery.next(now, around ? this.#on.random() : null))
  }

  #reading<T>(delivery: ActiveDelivery, read: () => T): T | null {
    try {
      return read()
    } catch (error) {
      this.#unreadable.add(delivery)
      this.#readAgain(error, () => {
        this.#unreadable.delete(delivery)
        this.line(delivery)
      })
      return null
    }
  }

  /** A damaged page, or a disk that fails: it holds up what needs it, and nothing else. */
  #readAgain(error: unknown, read: () => void): void {
    const { application, platform, clock, log, onMore } = this.#on
    log.error('a delivery cannot be read; trying again', { application, platform, error: describeError(error) })
    clock.after(READ_AGAIN_MS, () => {
      read()
      onMore()
    })
  }

  #later(delivery: ActiveDelivery): void {
    setImmediate(() => {
      this.line(delivery)
      this.#on.onMore()
    })
  }

  #countLater(counting: Counting): void {
    if (counting.delivery.of.lane === 'single') setImmediate(() => this.#count(counting))
    else if (this.#uncounted.push(counting) === 1) setImmediate(() => this.#countNext())
  }

  #countNext(): void {
    const [next] = this.#uncounted
    if (next !== undefined) this.#count(next)
    this.#uncounted.shift()
    if (this.#uncounted.length > 0) setImmediate(() => this.#countNext())
  }

  /** Counts a part of an audience: `t` is known soon, and also while nothing can be sent. */
  #count(counting: Counting): void {
    const { delivery, count, after, total } = counting
    let chunk = { count: 0, last: delivery.of.ceiling }
    try {
      // What is through has met everybody it has.
      if (!delivery.finished) chunk = count(after, COUNT_CANDIDATES)
    } catch (error) {
      this.#readAgain(error, () => this.#countLater(counting))
      return
    }
    const sum = total + chunk.count
    if (chunk.last < delivery.of.ceiling) {
      this.#countLater({ delivery, count, after: chunk.last, total: sum })
      return
    }
    const more = delivery.finished ? 0 : delivery.address(sum)
    const { store, persist, clock, onCounted } = this.#on
    void persist(() => store.address(delivery.of, more, clock.now()))
    onCounted(delivery)
  }
}
