import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { Commit } from '../../database/group-commit.ts'
import type { Log } from '../../log.ts'
import { describeError } from '../../text/error-code.ts'
import type { ServiceClock } from '../../time/service-clock.ts'
import type { DueBy, ScheduleStore } from './schedule-store.ts'

/** Between two looks at the clock, and before a failed write is retried. */
const LOOK_MS = 1000

/** In one transaction. */
const RELEASE_LIMIT = 100

interface Dependencies {
  readonly clock: Clock
  readonly time: Pick<ServiceClock, 'now'>
  readonly log: Log
  readonly commit: Commit
  readonly store: Pick<ScheduleStore, 'next' | 'release'>
  /** Starts the delivery of `push.number`. */
  readonly wake: (application: number, push: number) => void
}

export interface Schedule {
  /** Call this when a new push waits. */
  wake(): void
  stop(): void
}

/**
 * Sends out each push at its time. A clock that jumps ahead sends nothing until it has held for a minute; a hold lasts
 * its time, whatever the clock shows.
 */
export function startSchedule({ clock, time, log, commit, store, wake }: Dependencies): Schedule {
  const believedTime = createBelievedTime(clock)
  let cancel = () => {}
  let releasing = false
  let stopped = false

  function look(): void {
    if (stopped || releasing) return
    cancel()
    const by = { wall: believedTime(), service: time.now() }
    const due = next()
    const dueInMs = Math.min(due.wall - by.wall, due.service - by.service)
    if (dueInMs <= 0) void release(by)
    else cancel = clock.after(Math.min(dueInMs, LOOK_MS), look)
  }

  /** Tries again in a second if that can't be read. */
  function next(): DueBy {
    try {
      return store.next()
    } catch (error) {
      log.error('due pushes cannot be read; trying again', { error: describeError(error) })
      return { wall: Number.POSITIVE_INFINITY, service: Number.POSITIVE_INFINITY }
    }
  }

  async function release(dueBy: DueBy): Promise<void> {
    releasing = true
    try {
      const released = await commit(() => store.release(dueBy, clock.now(), RELEASE_LIMIT))
      if (stopped) return
      for (const { application, push } of released) wake(application, push)
      releasing = false
      look()
    } catch (error) {
      log.error('due pushes could not be released; trying again', { error: describeError(error) })
      releasing = false
      if (!stopped) cancel = clock.after(LOOK_MS, look)
    }
  }

  look()
  return {
    wake: look,
    stop() {
      stopped = true
      cancel()
    },
  }
}

/**
 * How long a time the clock has jumped to must hold. A mistake is corrected within seconds; a correction by NTP after a
 * boot lasts, and delays what is due by no more.
 */
const HOLD_MS = MINUTE_MS

/** Drift allowed between two readings. */
const TOLERANCE_MS = SECOND_MS

/** Time of day. A jump back counts immediately. Must be read every second. */
function createBelievedTime(clock: Pick<Clock, 'now' | 'monotonic'>): () => number {
  /** The least offset of the time of day to monotonic time, since when; offsets ascend. */
  const steps: { readonly offset: number; readonly since: number }[] = []

  return () => {
    const at = clock.monotonic()
    const offset = clock.now() - at
    let since = at
    for (let last = steps.at(-1); last !== undefined && last.offset > offset - TOLERANCE_MS; last = steps.at(-1)) {
      since = last.since
      steps.pop()
    }
    steps.push({ offset, since })
    while (steps[1] !== undefined && steps[1].since + HOLD_MS <= at) steps.shift()
    return Math.floor(at + (steps[0]?.offset ?? offset))
  }
}
