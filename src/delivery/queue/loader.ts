import { Delivery } from '../open/delivery.ts'
import { DeliveryMessages } from '../open/messages.ts'
import type { SenderContext } from '../sender-context.ts'
import { QUEUES } from '../store/open-delivery.ts'
import type { OpenDelivery, Queue } from '../store/open-delivery.ts'
import type { WaitingCount } from '../store/waiting-store.ts'
import type { DeliveryStore } from '../store/delivery-store.ts'
import type { ReadGuard } from './read-guard.ts'

/** Why a delivery is loaded: it is the next of its queue; a recipient is due again; its time to live has ended. */
type LoadReason = 'queued' | 'due' | 'expired'

/**
 * Slots for deliveries in memory; the rest wait in the database. Each reason has its own: new deliveries and retries do
 * not keep each other out, and a time to live ends on time even while nothing can be sent. A slot is taken until the
 * end of its delivery, or its wait, is on disk, so a crash sends no more than so many singles again.
 */
const SLOTS: Readonly<Record<LoadReason, Readonly<Record<Queue, number>>>> = {
  queued: { single: 512, many: 32 },
  due: { single: 128, many: 16 },
  expired: { single: 128, many: 16 },
}

/** How late the end of a new delivery may be found if there are not enough slots, in ms: a search costs 1 ms. */
const SEARCH_AGAIN_MS = 250

const ALWAYS = Number.NEGATIVE_INFINITY
const NEVER = Number.POSITIVE_INFINITY

type Dependencies = Pick<SenderContext, 'application' | 'platform' | 'clock' | 'store' | 'lastOnDisk' | 'mayLoad'> & {
  readonly guard: ReadGuard
}

export interface LoadedDelivery {
  readonly delivery: Delivery
  readonly count: ReturnType<DeliveryStore['recipients']>['count']
  /** It is loaded as the next of its queue, and not for its time. */
  readonly isNew: boolean
}

/** What is known of the deliveries of a queue in the database. */
interface Stored {
  /** Whether there may be more behind `lastLoaded`. */
  hasMore: boolean
  /** `push.number`. */
  lastLoaded: number
  /** Before these times no search is needed; ms of service time. */
  readonly next: { due: number; expired: number }
  /** Slots. */
  readonly taken: Record<LoadReason, number>
}

/**
 * Decides which open deliveries of a sender are in memory.
 *
 * In the database → (the next of its queue) → in memory → (all that are left wait for another attempt) → waiting: in
 * the database alone → (one of them is due) → in memory → … → finished. In the database → (its time to live has ended)
 * → in memory, to be ended.
 */
export class Loader {
  readonly #deps: Dependencies
  readonly #loaded = new Map<number, { readonly delivery: Delivery; readonly reason: LoadReason }>()
  readonly #stored: Readonly<Record<Queue, Stored>> = { single: unknownYet(), many: unknownYet() }
  /** Pushes that could not be read. */
  readonly #unread = new Map<number, LoadReason>()
  /** Waiting deliveries; `null`: to be counted. */
  #waiting: WaitingCount | null = null

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  get size(): number {
    return this.#loaded.size
  }

  /** Whether a delivery is to be loaded later. */
  get expects(): boolean {
    return this.#unread.size > 0 || QUEUES.some((queue) => this.#stored[queue].next.due < NEVER)
  }

  /** Waiting deliveries, and their recipients that wait. */
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

  /** Something was stored; `push`: which may be older than what is loaded. */
  wake(push: number | null): void {
    const soon = this.#deps.clock.now() + SEARCH_AGAIN_MS
    for (const queue of QUEUES) {
      const stored = this.#stored[queue]
      stored.hasMore = true
      stored.next.expired = Math.min(stored.next.expired, soon)
      if (push !== null) stored.lastLoaded = Math.min(stored.lastLoaded, push - 1)
    }
  }

  /** The times of waiting deliveries have changed, or some have ended. */
  forgetTimes(): void {
    this.#waiting = null
    for (const queue of QUEUES) Object.assign(this.#stored[queue].next, { due: ALWAYS, expired: ALWAYS })
  }

  /** Loads what there are slots for: the next of each queue, what is due, what has expired. */
  load(): LoadedDelivery[] {
    const { mayLoad, guard, clock } = this.#deps
    const loaded: LoadedDelivery[] = []
    if (!mayLoad()) return loaded
    for (const [push, reason] of this.#unread) if (!guard.has(push)) this.#readOne(push, reason, loaded)
    for (const queue of QUEUES) {
      guard.read(queue, () => {
        this.#loadQueued(queue, loaded)
        this.#loadByTime('due', queue, loaded)
        // Otherwise each delivery is in memory, or is loaded when it is due, which is not after its end.
        const { hasMore, next } = this.#stored[queue]
        if (hasMore || next.due <= clock.now()) this.#loadByTime('expired', queue, loaded)
        return null
      })
    }
    return loaded
  }

  /** A delivery has ended, or waits until a time of service time, with so many recipients. */
  remove({ record: { push, queue } }: Delivery, until: { readonly at: number; readonly retries: number } | null): void {
    if (until !== null) {
      const { next } = this.#stored[queue]
      next.due = Math.min(next.due, until.at)
      this.#noteWaiting(1, until.retries)
    }
    const loaded = this.#loaded.get(push)
    if (loaded === undefined) return
    this.#loaded.delete(push)
    this.#stored[queue].taken[loaded.reason]--
  }

  clear(): void {
    this.#loaded.clear()
    this.#unread.clear()
    for (const queue of QUEUES) this.#stored[queue].next.due = NEVER
  }

  #loadQueued(queue: Queue, loaded: LoadedDelivery[]): void {
    const { store, application, platform, lastOnDisk } = this.#deps
    const stored = this.#stored[queue]
    while (stored.hasMore) {
      const room = this.#freeSlots('queued', queue)
      if (room === 0) return
      const found = store.open(application, platform, queue, { after: stored.lastLoaded, upTo: lastOnDisk() }, room)
      stored.hasMore = found.length === room
      stored.lastLoaded = found.at(-1)?.push ?? stored.lastLoaded
      for (const open of found) this.#begin(open, 'queued', loaded)
    }
  }

  #loadByTime(reason: 'due' | 'expired', queue: Queue, loaded: LoadedDelivery[]): void {
    const { store, application, platform, clock } = this.#deps
    const { next } = this.#stored[queue]
    const now = clock.now()
    let room = next[reason] <= now ? this.#freeSlots(reason, queue) : 0
    if (room === 0) return
    // Those in memory are among them. One more tells when to search again.
    const limit = this.#loaded.size + this.#unread.size + room + 1
    const found = (reason === 'due' ? store.due : store.expiring)(application, platform, queue, limit)
    next[reason] = NEVER
    for (const { push, at } of found) {
      if (this.#loaded.has(push) || this.#unread.has(push)) continue
      if (at > now || room === 0) {
        next[reason] = at
        return
      }
      room--
      this.#readOne(push, reason, loaded)
    }
  }

  /** Reads a delivery again: it may have got further, or ended. */
  #readOne(push: number, reason: LoadReason, loaded: LoadedDelivery[]): void {
    const { guard, store, platform } = this.#deps
    this.#unread.set(push, reason)
    guard.read(push, () => {
      const open = store.find(push, platform)
      this.#unread.delete(push)
      if (open !== null) this.#begin(open, reason, loaded)
      return null
    })
  }

  #begin(open: OpenDelivery, reason: LoadReason, loaded: LoadedDelivery[]): void {
    const { guard, store, clock } = this.#deps
    if (this.#loaded.has(open.push)) return
    this.#unread.set(open.push, reason)
    const begun = guard.read(open.push, () => {
      const recipients = store.recipients(open)
      const nextDueAt = open.retries > 0 ? store.nextDue(open) : null
      const delivery = new Delivery(open, new DeliveryMessages(open, clock), recipients, nextDueAt)
      return { delivery, count: recipients.count, isNew: reason === 'queued' }
    })
    if (begun === null) return
    this.#unread.delete(open.push)
    this.#loaded.set(open.push, { delivery: begun.delivery, reason })
    this.#stored[open.queue].taken[reason]++
    if (open.waitsUntil !== null) this.#noteWaiting(-1, -open.retries)
    loaded.push(begun)
  }

  /** None before half of the slots are free, so that one query finds many. */
  #freeSlots(reason: LoadReason, queue: Queue): number {
    const slots = SLOTS[reason][queue]
    const taken = this.#stored[queue].taken[reason]
    return taken <= slots / 2 ? slots - taken : 0
  }

  #countWaiting(now: number): WaitingCount | null {
    const { store, application, platform, guard } = this.#deps
    const counted = guard.read('waiting', () => store.waiting(application, platform))
    if (counted === null) return null
    // Those loaded again are counted on disk until they have finished.
    const loaded = this.all().filter(({ record }) => record.waitsUntil !== null)
    const retries = loaded.reduce((sum, delivery) => sum + delivery.summary(now).retries, 0)
    return plus(counted, -loaded.length, -retries)
  }

  #noteWaiting(pushes: number, recipients: number): void {
    if (this.#waiting !== null) this.#waiting = plus(this.#waiting, pushes, recipients)
  }
}

const plus = (count: WaitingCount, pushes: number, recipients: number): WaitingCount => ({
  pushes: Math.max(count.pushes + pushes, 0),
  recipients: Math.max(count.recipients + recipients, 0),
})

const unknownYet = (): Stored => ({
  hasMore: true,
  lastLoaded: 0,
  next: { due: ALWAYS, expired: ALWAYS },
  taken: { queued: 0, due: 0, expired: 0 },
})
