import { Delivery } from '../open/delivery.ts'
import type { SenderContext } from '../sender-context.ts'
import { QUEUES } from '../store/open-delivery.ts'
import type { OpenDelivery, Queue } from '../store/open-delivery.ts'
import type { WaitingCount } from '../store/waiting-store.ts'
import type { ReadGuard } from './read-guard.ts'

/** Next of its queue; a recipient is due again; its time to live has ended. */
type LoadReason = 'queued' | 'due' | 'expired'

/**
 * Deliveries in memory, by reason, so that new ones and retries do not keep each other out and a time to live ends on
 * time. A slot is taken until the end, or the wait, is on disk: a crash repeats at most so many singles.
 */
const SLOTS: Readonly<Record<LoadReason, Readonly<Record<Queue, number>>>> = {
  queued: { single: 512, many: 32 },
  due: { single: 128, many: 16 },
  expired: { single: 128, many: 16 },
}

/** How late the end of a new delivery may be noticed without a free slot: a search costs 1 ms. */
const SEARCH_AGAIN_MS = 250

const ALWAYS = Number.NEGATIVE_INFINITY
const NEVER = Number.POSITIVE_INFINITY

type Context = Pick<SenderContext, 'application' | 'platform' | 'clock' | 'store' | 'lastOnDisk' | 'mayLoad'>

const unknownYet = () => ({
  /** Whether there may be more behind `lastLoaded`, `push.number`. */
  hasMore: true,
  lastLoaded: 0,
  /** Before these times no search is needed. */
  next: { due: ALWAYS, expired: ALWAYS },
  taken: { queued: 0, due: 0, expired: 0 },
})

export type Loader = ReturnType<typeof createLoader>

/**
 * Decides which open deliveries are in memory. Stored → (next of its queue, a recipient is due, or its time to live has
 * ended) → in memory → (all that are left wait for another attempt) → stored, or finished.
 */
export function createLoader(context: Context, guard: ReadGuard) {
  const { application, platform, clock, store, lastOnDisk, mayLoad } = context
  const loaded = new Map<number, { readonly delivery: Delivery; readonly reason: LoadReason }>()
  const stored = { single: unknownYet(), many: unknownYet() }
  const unread = new Map<number, LoadReason>()
  let waitingCount: WaitingCount | null = null

  const all = (): Delivery[] => Array.from(loaded.values(), ({ delivery }) => delivery)

  function forgetTimes(): void {
    waitingCount = null
    for (const queue of QUEUES) Object.assign(stored[queue].next, { due: ALWAYS, expired: ALWAYS })
  }

  function load(): Delivery[] {
    const fresh: Delivery[] = []
    if (!mayLoad()) return fresh
    for (const [push, reason] of unread) if (!guard.has(push)) readOne(push, reason, fresh)
    for (const queue of QUEUES) {
      guard.read(queue, () => {
        loadQueued(queue, fresh)
        loadByTime('due', queue, fresh)
        // Otherwise each delivery is in memory, or due before its end.
        const { hasMore, next } = stored[queue]
        if (hasMore || next.due <= clock.now()) loadByTime('expired', queue, fresh)
        return null
      })
    }
    return fresh
  }

  function loadQueued(queue: Queue, fresh: Delivery[]): void {
    const known = stored[queue]
    while (known.hasMore) {
      const room = freeSlots('queued', queue)
      if (room === 0) return
      const found = store.open(application, platform, queue, known.lastLoaded, lastOnDisk(), room)
      known.hasMore = found.length === room
      known.lastLoaded = found.at(-1)?.push ?? known.lastLoaded
      for (const open of found) begin(open, 'queued', fresh)
    }
  }

  function loadByTime(reason: 'due' | 'expired', queue: Queue, fresh: Delivery[]): void {
    const { next } = stored[queue]
    const now = clock.now()
    let room = next[reason] <= now ? freeSlots(reason, queue) : 0
    if (room === 0) return
    // Those in memory are among them. One more tells when to search again.
    const limit = loaded.size + unread.size + room + 1
    const found = (reason === 'due' ? store.due : store.expiring)(application, platform, queue, limit)
    next[reason] = NEVER
    for (const { push, at } of found) {
      if (loaded.has(push) || unread.has(push)) continue
      if (at > now || room === 0) {
        next[reason] = at
        return
      }
      room--
      readOne(push, reason, fresh)
    }
  }

  function readOne(push: number, reason: LoadReason, fresh: Delivery[]): void {
    unread.set(push, reason)
    guard.read(push, () => {
      const open = store.find(push, platform)
      unread.delete(push)
      if (open !== null) begin(open, reason, fresh)
      return null
    })
  }

  function begin(open: OpenDelivery, reason: LoadReason, fresh: Delivery[]): void {
    if (loaded.has(open.push)) return
    unread.set(open.push, reason)
    const delivery = guard.read(open.push, () => {
      const nextDueAt = open.retries > 0 ? store.nextDue(open) : null
      return new Delivery(open, clock, store.recipients(open), nextDueAt)
    })
    if (delivery === null) return
    unread.delete(open.push)
    loaded.set(open.push, { delivery, reason })
    stored[open.queue].taken[reason]++
    if (open.waitsUntil !== null) noteWaiting(-1, -open.retries)
    fresh.push(delivery)
  }

  /** 0 until half of the slots are free, so that one query finds many. */
  function freeSlots(reason: LoadReason, queue: Queue): number {
    const slots = SLOTS[reason][queue]
    const taken = stored[queue].taken[reason]
    return taken <= slots / 2 ? slots - taken : 0
  }

  function countWaiting(now: number): WaitingCount | null {
    const counted = guard.read('waiting', () => store.waiting(application, platform))
    if (counted === null) return null
    // Those loaded again are counted on disk until they have finished.
    const again = all().filter(({ record }) => record.waitsUntil !== null)
    const retries = again.reduce((sum, delivery) => sum + delivery.summary(now).retries, 0)
    return plus(counted, -again.length, -retries)
  }

  function noteWaiting(pushes: number, recipients: number): void {
    if (waitingCount !== null) waitingCount = plus(waitingCount, pushes, recipients)
  }

  return {
    all,
    forgetTimes,
    load,

    get size(): number {
      return loaded.size
    },

    get expects(): boolean {
      return unread.size > 0 || QUEUES.some((queue) => stored[queue].hasMore || stored[queue].next.due < NEVER)
    },

    waiting: (now: number): WaitingCount => (waitingCount ??= countWaiting(now)) ?? { pushes: 0, recipients: 0 },

    find: (push: number): Delivery | null => loaded.get(push)?.delivery ?? null,

    /** `push`: what was stored, which may be older than what is loaded. */
    wake(push: number | null): void {
      const soon = clock.now() + SEARCH_AGAIN_MS
      for (const queue of QUEUES) {
        const known = stored[queue]
        known.hasMore = true
        known.next.expired = Math.min(known.next.expired, soon)
        if (push !== null) known.lastLoaded = Math.min(known.lastLoaded, push - 1)
      }
    },

    /** `null`: it has ended. */
    remove({ record }: Delivery, until: { readonly at: number; readonly retries: number } | null): void {
      const { push, queue } = record
      if (until !== null) {
        const { next } = stored[queue]
        next.due = Math.min(next.due, until.at)
        noteWaiting(1, until.retries)
      }
      const held = loaded.get(push)
      if (held === undefined) return
      loaded.delete(push)
      stored[queue].taken[held.reason]--
    },

    clear(): void {
      loaded.clear()
      unread.clear()
      for (const { next } of QUEUES.map((queue) => Object.assign(stored[queue], { hasMore: false }))) next.due = NEVER
    },
  }
}

const plus = (count: WaitingCount, pushes: number, recipients: number): WaitingCount => ({
  pushes: Math.max(count.pushes + pushes, 0),
  recipients: Math.max(count.recipients + recipients, 0),
})
