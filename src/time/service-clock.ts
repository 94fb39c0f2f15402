import { SECOND_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'

/** How often the clock is to be read while the process runs, and what a time counts in which the process stood still. */
export const HEARTBEAT_MS = 250

/** A clock that was not read for longer than this: the process stood still, or its machine did. */
const STOOD_STILL_MS = 10 * SECOND_MS

/** The time of day may wander this much from service time before it counts as a jump. */
const TOLERANCE_MS = SECOND_MS

/** A moment of service time, and what the clock showed then: ms of service time, ms since the Unix epoch. */
export interface ServiceMoment {
  readonly service: number
  readonly wall: number
}

/**
 * Service time: milliseconds that only run forward, whatever is done to the time of day. It began as the time of day of
 * the first start, and counts the time in which the service ran, and by the time of day the time in which no process
 * did. What waits, is leased, or lives for a time is measured by `now`; what somebody is told has `wallAt`.
 */
export interface ServiceClock extends Clock, WallClock {}

export interface WallClock {
  /** The time of day of a moment of service time, as the clock is set now; ms since the Unix epoch. */
  wallAt(moment: number): number
}

export interface RunningServiceClock extends ServiceClock {
  /** Looks whether somebody has set the time of day; tells the log. Gives the moment. */
  look(): ServiceMoment
}

interface Options {
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  /** The last moment of the runs before; `null` at the first start. */
  readonly last: ServiceMoment | null
  /** Whether a jump ahead of the time of day is time that has passed: times to live end by it, and waits too. */
  readonly followsJumps: boolean
}

export function startServiceClock({ clock, log, last, followsJumps }: Options): RunningServiceClock {
  const startedAt = clock.now()
  // A clock that was put back in between adds nothing. What a wrong one adds has no bound: a clock that is a year ahead
  // cannot be told from a year in which nothing ran.
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
