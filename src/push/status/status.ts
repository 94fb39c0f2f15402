import type { Platform } from '../../device/device.ts'

/**
 * scheduled → (its time comes) → sending → (all addressed devices have an outcome) → finished; sending ⇄ paused: all
 * remaining devices wait for a gateway or credential; scheduled, sending or paused → (cancel) → cancelled.
 */
export type PushState = 'scheduled' | 'sending' | 'paused' | 'finished' | 'cancelled'

/** Pushes on one platform, waves included. Counts are devices. */
export interface PlatformProgress {
  readonly platform: Platform
  /** Addressed, as far as counted. */
  readonly t: number
  /** Accepted by the gateway. */
  readonly s: number
  /** Refused, gone, expired, cancelled, or removed before they were sent to. */
  readonly failed: number
  /** Counted in `failed` too. */
  readonly removed: number
  /** Undecided, in open deliveries. */
  readonly waiting: number
  /** Of `waiting`, tried before. */
  readonly retrying: number
  readonly open: boolean
  readonly startedAt: number | null
  readonly finishedAt: number | null
  /** The gateway's reason for refusing the push for everybody. */
  readonly refused: string | null
}

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

export interface StoredPush {
  readonly number: number
  readonly id: string
  readonly createdAt: number
  /** `null`: now. */
  readonly sendAt: number | null
  readonly releasedAt: number | null
  readonly cancelledAt: number | null
  /** Of a push by local time. */
  readonly wavesToCome: number
}

export interface FailedRecipient {
  /** `null`: erased since. */
  readonly token: string | null
  readonly platform: Platform
  readonly state: FailedState
  /** The gateway's last one. */
  readonly reason: string
  readonly attempts: number
  /** Of the decision. */
  readonly at: number
}

/** `expired`: the time to live was over. */
export type FailedState = 'rejected' | 'gone' | 'expired'

/** Why a platform can't be sent to now; `null`: it can. */
export type PauseOf = (platform: Platform) => string | null

/** `reason`: what a paused push waits for, or why a gateway refused it for everybody. */
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
  // Until the audience is counted nothing waits, and perhaps nobody needs the missing credential.
  const waiting = open.filter((one) => one.waiting > 0).map(({ platform }) => pauseOf(platform))
  if (pauses.includes(null) || waiting.length === 0) return { state: 'sending', reason: null }
  return { state: 'paused', reason: [...new Set(waiting)].join('; ') }
}

/** `null`: not finished. */
export function finishedAtOf(push: StoredPush, reach: readonly PlatformProgress[]): number | null {
  if (reach.some((one) => one.open)) return null
  if (push.cancelledAt === null && (push.releasedAt === null || push.wavesToCome > 0)) return null
  const ends = reach.flatMap(({ finishedAt }) => finishedAt ?? [])
  return ends.length > 0 ? Math.max(...ends) : (push.cancelledAt ?? push.releasedAt)
}

/** `null`: nothing sent yet. */
export function startedAtOf(reach: readonly PlatformProgress[]): number | null {
  const starts = reach.flatMap(({ startedAt }) => startedAt ?? [])
  return starts.length > 0 ? Math.min(...starts) : null
}

/** Accepted notifications a second. */
export function rateOf(accepted: number, startedAt: number | null, finishedAt: number | null, now: number): number {
  if (startedAt === null) return 0
  const runningMs = Math.max((finishedAt ?? now) - startedAt, 1)
  return Math.round((accepted / runningMs) * 100_000) / 100
}
