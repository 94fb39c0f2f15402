import type { Clock } from '../../clock.ts'
import type { Commit } from '../../database/group-commit.ts'
import type { Log } from '../../log.ts'
import { describeError } from '../../text/error-code.ts'
import type { ServiceClock } from '../../time/service-clock.ts'
import { createBelievedTime } from './believed-time.ts'
import type { DueBy, ScheduleStore } from './schedule-store.ts'

/** How often the clock is looked at, and how soon a write that failed is tried again. */
const LOOK_MS = 1000

/** Pushes let go in one transaction. */
const RELEASE_LIMIT = 100

interface Dependencies {
  readonly clock: Clock
  readonly time: Pick<ServiceClock, 'now'>
  readonly log: Log
  readonly commit: Commit
  readonly store: Pick<ScheduleStore, 'next' | 'release'>
  /** Tells the delivery that this push of this application, `push.number`, is to be sent. */
  readonly wake: (application: number, push: number) => void
}

export interface Schedule {
  /** Something new waits. */
  wake(): void
  stop(): void
}

/**
 * Lets each push go when its moment comes. What waits is in the database, so a start catches up with what came due
 * while nothing ran. A jump of the clock ahead lets nothing go before it has held for a minute; a hold is over when it
 * has lasted, whatever the clock shows.
 *
 * waiting → (due, or a second has passed) → releasing → waiting.
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
    // Never longer than a second: the clock may be set meanwhile.
    else cancel = clock.after(Math.min(dueInMs, LOOK_MS), look)
  }

  /** When the next is due; what cannot be read now is looked for again in a second. */
  function next(): DueBy {
    try {
      return store.next()
    } catch (error) {
      log.error('what is due cannot be read; trying again', { error: describeError(error) })
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
      log.error('what is due could not be let go; trying again', { error: describeError(error) })
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
