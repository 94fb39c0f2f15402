import type { Platform } from '../../device/device.ts'
import type { ServiceClock } from '../../time/service-clock.ts'
import { ActiveDelivery } from '../active-delivery.ts'
import { AudienceCounter } from '../page/audience-counter.ts'
import type { StoredBadges } from '../stored-badges.ts'
import type { DeliveryStore } from '../store/delivery-store.ts'
import { LANES } from '../store/open-delivery.ts'
import type { Lane, OpenDelivery } from '../store/open-delivery.ts'
import type { WaitingCount } from '../store/waiting-store.ts'
import { LoadedDeliveries } from './loaded-deliveries.ts'
import type { LoadReason } from './loaded-deliveries.ts'

interface Dependencies {
  readonly application: number
  readonly platform: Platform
  readonly clock: Pick<ServiceClock, 'now' | 'wallAt'>
  readonly store: DeliveryStore
  readonly badges: StoredBadges
  /** `push.number` up to which everything is on disk. A push that is only committed may be lost, and be asked for again. */
  readonly lastOnDisk: () => number
  /** Whether nothing of the last run can be taken for what is leased now. */
  readonly mayLoad: () => boolean
  readonly onLoaded: (delivery: ActiveDelivery, reason: LoadReason) => void
  /**
   * It is known how many a delivery addresses: nobody may be the end of it. `more` than the database knows; `null`
   * where it knows.
   */
  readonly onCounted: (delivery: ActiveDelivery, more: number | null) => void
  /** The database could not be read; `again` tries once more. */
  readonly onUnreadable: (error: unknown, again: () => void) => void
}

/** By lane, the moment before which the database is not searched. */
type Since = Record<Lane, number>

/** How late the end of a new delivery may be found, where more wait than there are slots for: a search costs 1 ms. */
const SEARCH_AGAIN_MS = 250

const ALWAYS = Number.NEGATIVE_INFINITY
const NEVER = Number.POSITIVE_INFINITY

/**
 * Which of the open deliveries of a sender are in memory.
 *
 * In the database → (the next of its lane) → in memory → (everybody who is left waits for another attempt) → parked: in
 * the database alone, however many recipients wait → (one of them is due) → in memory → … → finished. And from the
 * database → (its time to live is over) → in memory, to be ended.
 */
export class Loader {
  readonly #deps: Dependencies
  readonly #loaded = new LoadedDeliveries()
  readonly #counter: AudienceCounter
  /** Up to which push the database has been read. */
  readonly #lastLoaded: Record<Lane, number> = { single: 0, many: 0 }
  readonly #more: Record<Lane, boolean> = { single: true, many: true }
  /** When the first that is not in memory is due, or expires, ms of service time; or earlier. */
  readonly #next: { readonly due: Since; readonly expired: Since } = {
    due: { single: ALWAYS, many: ALWAYS },
    expired: { single: ALWAYS, many: ALWAYS },
  }
  /** Pushes that could not be read: each is tried again by itself. */
  readonly #unreadable = new Set<number>()
  /** Lanes that could not be searched. */
  readonly #unreadableLanes = new Set<Lane>()
  /** Parked deliveries; `null` where they are to be counted. */
  #waiting: WaitingCount | null = null

  constructor(deps: Dependencies) {
    this.#deps = deps
    this.#counter = new AudienceCounter(deps)
  }

  /** Open deliveries in memory. */
  get size(): number {
    return this.#loaded.size
  }

  /** Whether a delivery is to be loaded later. */
  get expects(): boolean {
    return this.#unreadable.size > 0 || LANES.some((lane) => this.#next.due[lane] < NEVER)
  }

  /** Parked deliveries, and their recipients that wait. */
  get waiting(): WaitingCount {
    this.#waiting ??= this.#countWaiting()
    return this.#waiting
  }

  all(): ActiveDelivery[] {
    return this.#loaded.all()
  }

  /** The delivery of this push, `push.number`, if it is in memory. */
  find(push: number): ActiveDelivery | null {
    return this.#loaded.find(push)
  }

  /** Something was stored; `push` where it is one that may be older than what is loaded. */
  wake(push: number | null): void {
    for (const lane of LANES) {
      this.#more[lane] = true
      this.#next.expired[lane] = Math.min(this.#next.expired[lane], this.#deps.clock.now() + SEARCH_AGAIN_MS)
      if (push !== null) this.#lastLoaded[lane] = Math.min(this.#lastLoaded[lane], push - 1)
    }
    this.load()
  }

  /** Parked deliveries have other times than they had, or some have ended. */
  forgetTimes(): void {
    this.#waiting = null
    for (const lane of LANES) {
      this.#next.due[lane] = ALWAYS
      this.#next.expired[lane] = ALWAYS
    }
  }

  /** Loads what there are slots for: the next of each lane, what is due, what has expired. */
  load(): void {
    for (const lane of LANES) this.#load(lane)
  }

  /** Takes a finished delivery out, and loads others in its place. */
  drop(delivery: ActiveDelivery): void {
    this.#loaded.remove(delivery)
    this.load()
  }

  /** Parks a delivery that waits until `until`, ms of service time, and loads others in its place. */
  park(delivery: ActiveDelivery, until: number): void {
    const { lane } = delivery.record
    this.#next.due[lane] = Math.min(this.#next.due[lane], until)
    this.#noteWaiting(1, delivery.retries)
    this.drop(delivery)
  }

  clear(): void {
    this.#loaded.clear()
    this.#unreadable.clear()
    for (const lane of LANES) this.#next.due[lane] = NEVER
  }

  #load(lane: Lane): void {
    if (!this.#deps.mayLoad() || this.#unreadableLanes.has(lane)) return
    try {
      this.#loadQueued(lane)
      this.#loadByTime('due', lane)
      // Else each delivery is in memory, or is loaded when it is due, and that is not after its end.
      const isBehind = this.#more[lane] || this.#next.due[lane] <= this.#deps.clock.now()
      if (isBehind) this.#loadByTime('expired', lane)
    } catch (error) {
      this.#unreadableLanes.add(lane)
      this.#deps.onUnreadable(error, () => {
        this.#unreadableLanes.delete(lane)
        this.#load(lane)
      })
    }
  }

  #loadQueued(lane: Lane): void {
    const { store, application, platform, lastOnDisk } = this.#deps
    while (this.#more[lane]) {
      const room = this.#loaded.free('queued', lane)
      if (room === 0) return
      const range = { after: this.#lastLoaded[lane], upTo: lastOnDisk() }
      const found = store.open(application, platform, lane, range, room)
      this.#more[lane] = found.length === room
      this.#lastLoaded[lane] = found.at(-1)?.push ?? this.#lastLoaded[lane]
      for (const open of found) this.#begin(open, 'queued')
    }
  }

  #loadByTime(reason: 'due' | 'expired', lane: Lane): void {
    const { store, application, platform, clock } = this.#deps
    const now = clock.now()
    let room = this.#next[reason][lane] <= now ? this.#loaded.free(reason, lane) : 0
    if (room === 0) return
    const find = reason === 'due' ? store.due : store.expiring
    // Those in memory are among them; and one more tells when to search again.
    const found = find(application, platform, lane, this.#loaded.size + this.#unreadable.size + room + 1)
    this.#next[reason][lane] = NEVER
    for (const { push, at } of found) {
      if (this.#loaded.find(push) !== null || this.#unreadable.has(push)) continue
      if (at > now || room === 0) {
        this.#next[reason][lane] = at
        return
      }
      room--
      this.#beginOne(push, reason)
    }
  }

  #beginOne(push: number, reason: LoadReason): void {
    const { store, platform, onUnreadable } = this.#deps
    try {
      const open = store.find(push, platform)
      this.#unreadable.delete(push)
      if (open !== null) this.#begin(open, reason)
    } catch (error) {
      this.#unreadable.add(push)
      onUnreadable(error, () => this.#beginOne(push, reason))
    }
  }

  #begin(open: OpenDelivery, reason: LoadReason): void {
    const { store, badges, clock, onLoaded, onCounted, onUnreadable } = this.#deps
    if (this.#loaded.find(open.push) !== null) return
    try {
      const recipients = store.recipients(open)
      const nextDueAt = open.retries > 0 ? store.nextDue(open) : null
      const delivery = new ActiveDelivery(open, recipients, nextDueAt, badges, clock)
      this.#loaded.add(delivery, reason)
      if (open.waitsUntil !== null) this.#noteWaiting(-1, -open.retries)
      onLoaded(delivery, reason)
      // Sending does not wait for it.
      if (!delivery.isCounted) this.#counter.add(delivery, recipients.count)
      else onCounted(delivery, null)
    } catch (error) {
      this.#unreadable.add(open.push)
      // Read anew: by then it may be further, or over.
      onUnreadable(error, () => this.#beginOne(open.push, reason))
    }
  }

  #countWaiting(): WaitingCount {
    const { store, application, platform, onUnreadable } = this.#deps
    let counted: WaitingCount = { pushes: 0, recipients: 0 }
    try {
      counted = store.waiting(application, platform)
    } catch (error) {
      onUnreadable(error, () => (this.#waiting = null))
    }
    const { pushes, recipients } = counted
    // What was loaded again counts there until it is finished.
    const loaded = this.all().filter(({ record }) => record.waitsUntil !== null)
    const retries = loaded.reduce((sum, delivery) => sum + delivery.retries, 0)
    return { pushes: Math.max(pushes - loaded.length, 0), recipients: Math.max(recipients - retries, 0) }
  }

  #noteWaiting(pushes: number, recipients: number): void {
    if (this.#waiting === null) return
    this.#waiting = {
      pushes: Math.max(this.#waiting.pushes + pushes, 0),
      recipients: Math.max(this.#waiting.recipients + recipients, 0),
    }
  }
}
