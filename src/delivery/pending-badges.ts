import { applyBadge } from '../device/badge.ts'
import type { BadgeChange } from '../device/badge.ts'

/**
 * Of how many devices it is remembered that a push to be sent again is in their count already, and of how many pushes
 * for each. It is rarely one.
 */
const MAX_INCLUDED = 10_000
const MAX_PUSHES = 1000

/** The badge of one notification. */
export interface SentBadge {
  readonly device: number
  /** The push that it belongs to, `push.number`. */
  readonly push: number
  /** What the phone shows when it arrives. */
  readonly badge: number
  /** Whether it counts from the one before it. */
  readonly relative: boolean
  /** Whether this was stored when it was sent. */
  readonly wasStored: boolean
  /** What was sent to the device before it, and not settled by then. */
  before: SentBadge | null
  /**
   * sent → refused. sent → stored. Sent or refused → overtaken: something sent later, or a call, is stored. It is
   * included where that has counted from it.
   */
  state: 'sent' | 'refused' | 'stored' | 'overtaken' | 'included'
}

/**
 * Badges that are sent and not stored yet, so that what is stored is in the end what the phone shows last: of the
 * notifications that the gateway took the one that was sent last, or what a call has set after it. (A phone shows what
 * arrives last; neither gateway tells when, and the order of sending is all that is known of it.) Thus a "+1" counts
 * from what was sent last, and a late answer changes nothing of what is newer.
 *
 * Holds one entry for each notification that has a badge and is on its way or not written down.
 */
export class PendingBadges {
  /** By device: what was sent last. Those before it hang on it. */
  readonly #last = new Map<number, SentBadge>()
  /** By device: pushes whose notification is to be sent again, and is in the count already. */
  readonly #included = new Map<number, Set<number>>()
  readonly #read: (device: number) => number
  #changes = 0

  /** `read`: the count stored with a device. */
  constructor(read: (device: number) => number) {
    this.#read = read
  }

  /** How often stored badges have changed: deliveries and calls. */
  get changes(): number {
    return this.#changes
  }

  /** A delivery has stored badges. */
  storedChanges(): void {
    this.#changes++
  }

  /** One is sent now. `stored`: the count stored with the device; `null` where it may have changed since it was read. */
  send(push: number, device: number, change: BadgeChange, stored: number | null): SentBadge {
    const before = this.#last.get(device) ?? null
    const sent = this.#next(push, device, change, before, stored)
    this.#last.set(device, sent)
    return sent
  }

  /** The gateway did not take it. */
  refused(sent: SentBadge): void {
    if (sent.state === 'included') this.#include(sent)
    if (sent.state === 'sent') sent.state = 'refused'
    if (this.#last.get(sent.device) !== sent) return
    // Nobody has counted from it, and nobody is to.
    let last: SentBadge | null = sent
    while (last?.state === 'refused') last = last.before
    if (last?.state === 'sent') this.#last.set(sent.device, last)
    else this.#last.delete(sent.device)
  }

  /**
   * The gateway has taken it, and it is being written down: whether the device's count becomes its badge. For the
   * transaction, which may run twice.
   */
  settle(sent: SentBadge): boolean {
    if (sent.state !== 'sent') return false
    let counts = sent.relative
    for (let older = sent.before; older !== null; older = older.before) {
      if (counts && older.state === 'refused') this.#include(older)
      older.state = counts ? 'included' : 'overtaken'
      counts &&= older.relative
    }
    sent.before = null
    if (!sent.relative) this.#included.delete(sent.device)
    return !sent.wasStored
  }

  /** It is written down. */
  settled(sent: SentBadge): void {
    if (sent.state === 'sent') sent.state = 'stored'
    if (this.#last.get(sent.device) === sent) this.#last.delete(sent.device)
  }

  /**
   * A call sets the count of a device. For its transaction, which may run twice; the returned function undoes it, at once
   * when that came to nothing.
   */
  set(device: number): () => void {
    this.#changes++
    const last = this.#last.get(device)
    const included = this.#included.get(device)
    const pending: { readonly sent: SentBadge; readonly state: SentBadge['state'] }[] = []
    for (let sent = last ?? null; sent !== null; sent = sent.before) {
      pending.push({ sent, state: sent.state })
      sent.state = 'overtaken'
    }
    this.#last.delete(device)
    this.#included.delete(device)
    return () => {
      for (const { sent, state } of pending) sent.state = state
      if (last !== undefined) this.#last.set(device, last)
      if (included !== undefined) this.#included.set(device, included)
    }
  }

  #next(push: number, device: number, change: BadgeChange, before: SentBadge | null, stored: number | null): SentBadge {
    if ('set' in change) {
      const wasStored = before === null && stored === change.set
      return { push, device, badge: change.set, relative: false, wasStored, before, state: 'sent' }
    }
    const shown = before?.badge ?? stored ?? this.#read(device)
    const badge = this.#isIn(push, device, before) ? shown : applyBadge(change, shown)
    const wasStored = before === null && badge === shown
    return { push, device, badge, relative: true, wasStored, before, state: 'sent' }
  }

  /** Whether what is stored, or on its way, has counted from an earlier attempt of this push. */
  #isIn(push: number, device: number, before: SentBadge | null): boolean {
    for (let older = before; older?.relative === true; older = older.before) {
      if (older.push === push) return true
    }
    return this.#included.get(device)?.has(push) === true
  }

  /** It is not counted again, should it be sent again. */
  #include({ device, push }: SentBadge): void {
    const pushes = this.#included.get(device) ?? new Set()
    this.#included.set(device, pushes.add(push))
    forgetOldest(pushes, MAX_PUSHES)
    forgetOldest(this.#included, MAX_INCLUDED)
  }
}

/** Where there is one too many. */
function forgetOldest(entries: Map<number, unknown> | Set<number>, max: number): void {
  if (entries.size <= max) return
  for (const oldest of entries.keys()) {
    entries.delete(oldest)
    return
  }
}
