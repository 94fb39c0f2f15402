import { SECOND_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'

/** The clock is read this often, and a standstill of the process counts as this much time. */
export const HEARTBEAT_MS = 250

/** Longer between two readings: the process or its machine stood still. */
const STOOD_STILL_MS = 10 * SECOND_MS

/** A larger difference between time of day and service time is a jump. */
const TOLERANCE_MS = SECOND_MS

/** Service time and time of day at one moment, both in ms. */
export interface ServiceMoment {
  readonly service: number
  readonly wall: number
}

/**
 * Service time, in ms, only runs forward, even if the time of day is set. It started as the time of day of the first
 * start. It follows the monotonic clock while the service runs, and the time of day between runs. `now` measures waits,
 * leases and lifetimes; people see `wallAt`.
 */
export interface ServiceClock extends Clock, WallClock {}

export interface WallClock {
  /** The time of day, ms since the Unix epoch, by the clock as it is set now. */
  wallAt(moment: number): number
}

export interface RunningServiceClock extends ServiceClock {
  /** Logs a change of the time of day. */
  look(): ServiceMoment
}

interface Options {
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  /** Of the previous run; `null`: first start. */
  readonly last: ServiceMoment | null
  /** Whether a jump ahead counts as elapsed, for lifetimes and waits. */
  readonly followsJumps: boolean
}

export function startServiceClock({ clock, log, last, followsJumps }: Options): RunningServiceClock {
  const startedAt = clock.now()
  // A clock set back adds nothing. One a year ahead adds a year: it looks like a year without a run.
  let service = last === null ? startedAt : last.service + Math.max(startedAt - last.wall, 0)
  let readAt = clock.monotonic()
  let stoodStillMs = 0
  /** How far the time of day is ahead, in ms. */
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
