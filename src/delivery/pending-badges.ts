import { applyBadge } from '../push/push.ts'
import type { BadgeChange } from '../push/push.ts'

/** No answer takes longer. What should have been ended by then and was not is forgotten. */
const FORGET_MS = 60_000

interface Pending {
  /** What the last notification on its way shows. */
  readonly badge: number
  /** Notifications on their way. */
  readonly sends: number
  readonly at: number
}

/**
 * Badges on their way: sent, and not written down yet. A "+1" that goes out while another is on its way counts from
 * what that one shows, since what is stored does not have it yet.
 */
export class PendingBadges {
  readonly #pending = new Map<number, Pending>()

  /** The badge to send to a device whose stored count was read as `stored`. `now` is ms since the Unix epoch. */
  next(device: number, change: BadgeChange, stored: number, now: number): number {
    if ('set' in change) return change.set
    const last = this.#pending.get(device)
    const known = last !== undefined && now - last.at < FORGET_MS ? last : null
    const badge = applyBadge(change, known?.badge ?? stored)
    this.#pending.set(device, { badge, sends: (known?.sends ?? 0) + 1, at: now })
    return badge
  }

  /** One of them has been written down, or will not be. */
  over(device: number, change: BadgeChange | null): void {
    if (change === null || 'set' in change) return
    const last = this.#pending.get(device)
    if (last === undefined) return
    if (last.sends === 1) this.#pending.delete(device)
    else this.#pending.set(device, { ...last, sends: last.sends - 1 })
  }
}
