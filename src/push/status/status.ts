import type { Platform } from '../../device/device.ts'

/**
 * scheduled → (its moment comes) → sending → (everybody it addressed is answered for) → finished.
 * sending ⇄ paused: everybody who is left waits for a gateway or a credential.
 * scheduled, sending or paused → (called off) → cancelled.
 */
export type PushState = 'scheduled' | 'sending' | 'paused' | 'finished' | 'cancelled'

/**
 * How far a push, or several, are on one platform, waves together; `progress-store.ts` reads it. Counts are devices,
 * times ms since the Unix epoch.
 */
export interface PlatformProgress {
  readonly platform: Platform
  /** Addressed, as far as they are counted. */
  readonly t: number
  /** Of `t`, taken by the gateway. */
  readonly s: number
  /** Of `t`, those that are given up: refused, gone, out of time, cancelled, or removed before they were sent to. */
  readonly failed: number
  /** Of `failed`, those removed before they were sent to. */
  readonly removed: number
  /** Of `t`, those of open deliveries of whom nothing is decided yet: what `s` and `failed` leave. */
  readonly waiting: number
  /** Of `waiting`, those that have been tried. */
  readonly retrying: number
  /** Whether anything is still to be sent. */
  readonly open: boolean
  /** `null`: no device was sent to. */
  readonly startedAt: number | null
  /** `null` while the push is open. */
  readonly finishedAt: number | null
  /** Why the gateway refused the push for everybody; `null` where it did not. */
  readonly refused: string | null
}

/** All platforms together. */
export function totalOf(
  platforms: readonly PlatformProgress[],
): Pick<PlatformProgress, 't' | 's' | 'failed' | 'waiting'> {
  const sum = (count: (one: PlatformProgress) => number) => platforms.reduce((total, one) => total + count(one), 0)
  return {
    t: sum((one) => one.t),
    s: sum((one) => one.s),
    failed: sum((one) => one.failed),
    waiting: sum((one) => one.waiting),
  }
}

/** What is stored of a push, without what it says. Times are ms since the Unix epoch. */
export interface StoredPush {
  /** `push.number`. */
  readonly number: number
  readonly id: string
  readonly createdAt: number
  /** `null`: at once. */
  readonly sendAt: number | null
  readonly releasedAt: number | null
  readonly cancelledAt: number | null
  /** Waves of a push by local time that are still to come. */
  readonly wavesToCome: number
}

/** A device that a push did not reach. */
export interface FailedRecipient {
  /** `null`: the device was erased since. */
  readonly token: string | null
  readonly platform: Platform
  readonly state: FailedState
  /** The gateway's last word. */
  readonly reason: string
  /** Sends. */
  readonly attempts: number
  /** When it was decided, ms since the Unix epoch. */
  readonly at: number
}

/** Expired: the push's time to live was over. */
export type FailedState = 'rejected' | 'gone' | 'expired'

/** Why nothing can be sent to a platform now; `null` where it can. */
export type PauseOf = (platform: Platform) => string | null

/** The state of a push; `reason` says why a paused push waits, or why a gateway refused it for everybody. */
export function pushStateOf(
  push: StoredPush,
  reach: readonly PlatformProgress[],
  pauseOf: PauseOf,
): { readonly state: PushState; readonly reason: string | null } {
  if (push.cancelledAt !== null) return { state: 'cancelled', reason: null }
  if (push.releasedAt === null) return { state: 'scheduled', reason: null }
  const open = reach.filter((one) => one.open)
  if (open.length === 0) {
    const refusals = [...new Set(reach.flatMap(({ refused }) => refused ?? []))]
    const reason = refusals.length === 0 ? null : refusals.join('; ')
    return { state: push.wavesToCome > 0 ? 'sending' : 'finished', reason }
  }
  const pauses = open.map(({ platform }) => pauseOf(platform))
  // Before they are counted nobody waits, and it may be nobody for whom a credential is not there.
  const waiting = open.filter((one) => one.waiting > 0).map(({ platform }) => pauseOf(platform))
  if (pauses.includes(null) || waiting.length === 0) return { state: 'sending', reason: null }
  return { state: 'paused', reason: [...new Set(waiting)].join('; ') }
}

/** When a push was over, ms since the Unix epoch; `null` while something is left of it. */
export function finishedAtOf(push: StoredPush, reach: readonly PlatformProgress[]): number | null {
  if (reach.some((one) => one.open)) return null
  if (push.cancelledAt === null && (push.releasedAt === null || push.wavesToCome > 0)) return null
  const ends = reach.flatMap(({ finishedAt }) => finishedAt ?? [])
  return ends.length > 0 ? Math.max(...ends) : (push.cancelledAt ?? push.releasedAt)
}

/** When the first device was sent to, ms since the Unix epoch; `null` for nobody yet. */
export function startedAtOf(reach: readonly PlatformProgress[]): number | null {
  const starts = reach.flatMap(({ startedAt }) => startedAt ?? [])
  return starts.length > 0 ? Math.min(...starts) : null
}

/** Notifications a second that the gateways have taken, from the first on until the end, or `now`. 0 before. */
export function rateOf(accepted: number, startedAt: number | null, finishedAt: number | null, now: number): number {
  if (startedAt === null) return 0
  const runningMs = Math.max((finishedAt ?? now) - startedAt, 1)
  return Math.round((accepted / runningMs) * 100_000) / 100
}
