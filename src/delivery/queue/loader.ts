import { Delivery } from '../open/delivery.ts'
import { DeliveryMessages } from '../open/messages.ts'
import type { SenderContext } from '../sender-context.ts'
import type { DeliveryStore } from '../store/delivery-store.ts'
import { QUEUES } from '../store/open-delivery.ts'
import type { OpenDelivery, Queue } from '../store/open-delivery.ts'
import type { WaitingCount } from '../store/waiting-store.ts'
import type { ReadGuard } from './read-guard.ts'

/** Why a delivery is loaded: it is the next of its queue; a recipient is due again; its time to live is over. */
export type LoadReason = 'queued' | 'due' | 'expired'

/**
 * Slots for open deliveries in memory, by queue; the rest waits in the database. Each reason has slots of its own: new
 * deliveries and retries do not keep each other out, and the end of a time to live is told also while nothing can be
 * sent. A delivery holds its slot until its end, or its parking, is on disk, so that a crash sends no more than so many
 * singles again.
 */
const SLOTS: Readonly<Record<LoadReason, Readonly<Record<Queue, number>>>> = {
  queued: { single: 512, many: 32 },
  due: { single: 128, many: 16 },
  expired: { single: 128, many: 16 },
}

type Context = Pick<SenderContext, 'application' | 'platform' | 'clock' | 'store' | 'lastOnDisk' | 'mayLoad'>

interface Dependencies extends Context {
  readonly guard: ReadGuard
}

/** A delivery that is in memory from now on. */
export interface Loaded {
  readonly delivery: Delivery
  readonly reason: LoadReason
  readonly count: ReturnType<DeliveryStore['recipients']>['count']
}

/** By queue, the moment before which the database is not searched, ms of service time. */
type Since = Record<Queue, number>

/** How late the end of a new delivery may be found, in ms, where more wait than there are slots for: a search costs 1 ms. */
const SEARCH_AGAIN_MS = 250

const ALWAYS = Number.NEGATIVE_INFINITY
const NEVER = Number.POSITIVE_INFINITY

/**
 * Which of the open deliveries of a sender are in memory.
 *
 * In the database → (the next of its queue) → in memory → (everybody who is left waits for another attempt) → parked: in
 * the database alone, however many recipients wait → (one of them is due) → in memory → … → finished. And from the
 * database → (its time to live is over) → in memory, to be ended.
 */
export class Loader {
  readonly #deps: Dependencies
  readonly #loaded = new Map<number, Loaded>()
  readonly #taken = noneTaken()
  /** Up to which push the database has been read. */
  readonly #lastLoaded: Record<Queue, number> = { single: 0, many: 0 }
  readonly #more: Record<Queue, boolean> = { single: true, many: true }
  /** When the first that is not in memory is due, or expires; or earlier. */
  readonly #next: { readonly due: Since; readonly expired: Since } = {
    due: { single: ALWAYS, many: ALWAYS },
    expired: { single: ALWAYS, many: ALWAYS },
  }
  /** Pushes that could not be read. */
  readonly #unread = new Map<number, LoadReason>()
  /** Parked deliveries; `null` where they are to be counted. */
  #waiting: WaitingCount | null = null

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Open deliveries in memory. */
  get size(): number {
    return this.#loaded.size
  }

  /** Whether a delivery is to be loaded later. */
  get expects(): boolean {
    return this.#unread.size > 0 || QUEUES.some((queue) => this.#next.due[queue] < NEVER)
  }

  /** Parked deliveries, and their recipients that wait; at `now`, ms of service time. */
  waiting(now: number): WaitingCount {
    this.#waiting ??= this.#countWaiting(now)
    return this.#waiting ?? { pushes: 0, recipients: 0 }
  }

  all(): Delivery[] {
    return Array.from(this.#loaded.values(), ({ delivery }) => delivery)
  }

  /** The delivery of this push, `push.number`, if it is in memory. */
  find(push: number): Delivery | null {
    return this.#loaded.get(push)?.delivery ?? null
  }

  /** Something was stored; `push` where it is one that may be older than what is loaded. */
  wake(push: number | null): void {
    const soon = this.#deps.clock.now() + SEARCH_AGAIN_MS
    for (const queue of QUEUES) {
      this.#more[queue] = true
      this.#next.expired[queue] = Math.min(this.#next.expired[queue], soon)
      if (push !== null) this.#lastLoaded[queue] = Math.min(this.#lastLoaded[queue], push - 1)
    }
  }

  /** Parked deliveries have other times than they had, or some have ended. */
  forgetTimes(): void {
    this.#waiting = null
    for (const queue of QUEUES) {
      this.#next.due[queue] = ALWAYS
      this.#next.expired[queue] = ALWAYS
    }
  }

  /** Loads what there are slots for: the next of each queue, what is due, what has expired. */
  load(): Loaded[] {
    const { mayLoad, guard } = this.#deps
    const loaded: Loaded[] = []
    if (!mayLoad()) return loaded
    for (const [push, reason] of this.#unread) if (!guard.has(push)) this.#readOne(push, reason, loaded)
    for (const queue of QUEUES) {
      guard.read(queue, () => {
        this.#loadQueued(queue, loaded)
        this.#loadByTime('due', queue, loaded)
        // Else each delivery is in memory, or is loaded when it is due, and that is not after its end.
        const isBehind = this.#more[queue] || this.#next.due[queue] <= this.#deps.clock.now()
        if (isBehind) this.#loadByTime('expired', queue, loaded)
        return null
      })
    }
    return loaded
  }

  /** Takes out a delivery that is over; `until`: that waits until then, ms of service time. */
  remove({ record: { push, queue } }: Delivery, until: { readonly at: number; readonly retries: number } | null): void {
    if (until !== null) {
      this.#next.due[queue] = Math.min(this.#next.due[queue], until.at)
      this.#noteWaiting(1, until.retries)
    }
    const loaded = this.#loaded.get(push)
    if (loaded === undefined) return
    this.#loaded.delete(push)
    this.#taken[loaded.reason][queue]--
  }

  clear(): void {
    this.#loaded.clear()
    Object.assign(this.#taken, noneTaken())
    this.#unread.clear()
    for (const queue of QUEUES) this.#next.due[queue] = NEVER
  }

  #loadQueued(queue: Queue, loaded: Loaded[]): void {
    const { store, application, platform, lastOnDisk } = this.#deps
    while (this.#more[queue]) {
      const room = this.#free('queued', queue)
      if (room === 0) return
      const range = { after: this.#lastLoaded[queue], upTo: lastOnDisk() }
      const found = store.open(application, platform, queue, range, room)
      this.#more[queue] = found.length === room
      this.#lastLoaded[queue] = found.at(-1)?.push ?? this.#lastLoaded[queue]
      for (const open of found) this.#begin(open, 'queued', loaded)
    }
  }

  #loadByTime(reason: 'due' | 'expired', queue: Queue, loaded: Loaded[]): void {
    const { store, application, platform, clock } = this.#deps
    const now = clock.now()
    let room = this.#next[reason][queue] <= now ? this.#free(reason, queue) : 0
    if (room === 0) return
    const find = reason === 'due' ? store.due : store.expiring
    // Those in memory are among them; and one more tells when to search again.
    const found = find(application, platform, queue, this.#loaded.size + this.#unread.size + room + 1)
    this.#next[reason][queue] = NEVER
    for (const { push, at } of found) {
      if (this.#loaded.has(push) || this.#unread.has(push)) continue
      if (at > now || room === 0) {
        this.#next[reason][queue] = at
        return
      }
      room--
      this.#readOne(push, reason, loaded)
    }
  }

  /** Reads a delivery anew: by then it may be further, or over. */
  #readOne(push: number, reason: LoadReason, loaded: Loaded[]): void {
    const { guard, store, platform } = this.#deps
    this.#unread.set(push, reason)
    guard.read(push, () => {
      const open = store.find(push, platform)
      this.#unread.delete(push)
      if (open !== null) this.#begin(open, reason, loaded)
      return null
    })
  }

  #begin(open: OpenDelivery, reason: LoadReason, loaded: Loaded[]): void {
    const { guard, store, clock } = this.#deps
    if (this.#loaded.has(open.push)) return
    this.#unread.set(open.push, reason)
    const begun = guard.read(open.push, () => {
      const recipients = store.recipients(open)
      const nextDueAt = open.retries > 0 ? store.nextDue(open) : null
      const delivery = new Delivery(open, new DeliveryMessages(open, clock), recipients, nextDueAt)
      return { delivery, reason, count: recipients.count }
    })
    if (begun === null) return
    this.#unread.delete(open.push)
    this.#loaded.set(open.push, begun)
    this.#taken[reason][open.queue]++
    if (open.waitsUntil !== null) this.#noteWaiting(-1, -open.retries)
    loaded.push(begun)
  }

  /** Free slots; none before half of them are free, so that one query finds many. */
  #free(reason: LoadReason, queue: Queue): number {
    const slots = SLOTS[reason][queue]
    const taken = this.#taken[reason][queue]
    return taken <= slots / 2 ? slots - taken : 0
  }

  #countWaiting(now: number): WaitingCount | null {
    const { store, application, platform, guard } = this.#deps
    const counted = guard.read('waiting', () => store.waiting(application, platform))
    if (counted === null) return null
    // What was loaded again counts there until it is finished.
    const loaded = this.all().filter(({ record }) => record.waitsUntil !== null)
    const retries = loaded.reduce((sum, delivery) => sum + delivery.summary(now).retries, 0)
    return {
      pushes: Math.max(counted.pushes - loaded.length, 0),
      recipients: Math.max(counted.recipients - retries, 0),
    }
  }

  #noteWaiting(pushes: number, recipients: number): void {
    if (this.#waiting === null) return
    this.#waiting = {
      pushes: Math.max(this.#waiting.pushes + pushes, 0),
      recipients: Math.max(this.#waiting.recipients + recipients, 0),
    }
  }
}

const noneTaken = () =>
  ({
    queued: { single: 0, many: 0 },
    due: { single: 0, many: 0 },
    expired: { single: 0, many: 0 },
  }) satisfies Record<LoadReason, Record<Queue, number>>
