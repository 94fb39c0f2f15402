import { SECOND_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'

/** How often to read the clock, and how much time a standstill of the process counts as. */
export const HEARTBEAT_MS = 250

/** A longer gap between two readings means that the process, or its machine, stood still. */
const STOOD_STILL_MS = 10 * SECOND_MS

/** The time of day may differ this much from service time before it counts as a jump. */
const TOLERANCE_MS = SECOND_MS

/** A moment of service time, and the time of day then, both in ms. */
export interface ServiceMoment {
  readonly service: number
  readonly wall: number
}

/**
 * Service time: milliseconds that only run forward, even if the time of day is set. It started as the time of day of
 * the first start. While the service runs it follows the monotonic clock, between runs the time of day. `now` measures
 * waits, leases and lifetimes; people are shown `wallAt`.
 */
export interface ServiceClock extends Clock, WallClock {}

export interface WallClock {
  /** The time of day of a moment of service time, by the clock as it is set now; ms since the Unix epoch. */
  wallAt(moment: number): number
}

export interface RunningServiceClock extends ServiceClock {
  /** Checks whether the time of day was set, and logs it. */
  look(): ServiceMoment
}

interface Options {
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  /** From the previous run; `null` at the first start. */
  readonly last: ServiceMoment | null
  /** Whether a jump ahead counts as time that has passed, for lifetimes and waits. */
  readonly followsJumps: boolean
}

export function startServiceClock({ clock, log, last, followsJumps }: Options): RunningServiceClock {
  const startedAt = clock.now()
  // A clock that was set back adds nothing. One that is a year ahead adds a year: it looks like a year without a run.
  let service = last === null ? startedAt : last.service + Math.max(startedAt - last.wall, 0)
  let readAt = clock.monotonic()
  let stoodStillMs = 0
  /** By how much the time of day is ahead. */
  let offset = startedAt - service

  function now(): number {
    const monotonic = clock.monotonic()
    const passed = monotonic - readAt
    readAt = monotonic
    const ran = passed > STOOD_STILL_MS ? HEARTBEAT_MS : passed
    stoodStillMs += passed - ran
    service += ran
    return Math.floor(service)
  }

  function follow(byMs: number): void {
    const aheadMs = byMs - Math.round(stoodStillMs)
    if (stoodStillMs > 0) log.warn('the process stood still', { stoodStillMs: Math.round(stoodStillMs) })
    if (aheadMs >= TOLERANCE_MS) log.warn('the clock was set forward', { aheadMs })
    if (aheadMs <= -TOLERANCE_MS) log.warn('the clock was set back', { backMs: -aheadMs })
    stoodStillMs = 0
    if (followsJumps && byMs > 0) service += byMs
    else offset += byMs
  }

  return {
    now,
    monotonic: () => clock.monotonic(),
    after: (delayMs, callback) => clock.after(delayMs, callback),
    wallAt: (moment) => moment + offset,
    look() {
      const byMs = clock.now() - now() - offset
      if (Math.abs(byMs) >= TOLERANCE_MS) follow(byMs)
      const at = now()
      return { service: at, wall: at + offset }
    },
  }
}
