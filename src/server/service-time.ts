import { every, SECOND_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { GroupCommit } from '../database/group-commit.ts'
import { noted } from '../log.ts'
import type { Log } from '../log.ts'
import { HEARTBEAT_MS, startServiceClock } from '../time/service-clock.ts'
import type { ServiceClock, ServiceMoment } from '../time/service-clock.ts'
import { createServiceTimeStore } from '../time/service-time-store.ts'

interface Dependencies {
  readonly clock: Clock
  readonly log: Log
  readonly database: Database
  readonly group: Pick<GroupCommit, 'alongside' | 'commit'>
  /** What times to live are measured by: the time in which the service ran, or the time of day. */
  readonly ttlClock: 'elapsed' | 'wall'
  /** Ends the looking and the writing. */
  readonly opened: AsyncDisposableStack
}

/**
 * The service's own time: it rides along with what is written anyway, at most once a second, and is written by itself
 * when somebody has set the time of day. Whoever writes a time in a transaction thus finds the clock as it is.
 */
export function keepServiceTime({ clock, log, database, group, ttlClock, opened }: Dependencies): ServiceClock {
  const store = createServiceTimeStore({ database })
  let stored = store.last()
  const time = startServiceClock({ clock, log, last: stored, followsJumps: ttlClock === 'wall' })
  let isWriting = false

  /** Whether what is stored is of a clock that was set since. */
  const isOfOtherClock = ({ service, wall }: ServiceMoment): boolean =>
    stored === null || wall - service !== stored.wall - stored.service

  group.alongside(() => {
    // What was written in a transaction that came to nothing is not there.
    stored = store.last()
    const moment = time.look()
    if (!isOfOtherClock(moment) && moment.service - (stored?.service ?? 0) < SECOND_MS) return
    store.note(moment)
    stored = moment
  })

  async function look(): Promise<void> {
    if (!isOfOtherClock(time.look()) || isWriting) return
    isWriting = true
    await group.commit(() => undefined).catch(noted(log))
    isWriting = false
  }

  opened.defer(every(clock, HEARTBEAT_MS, () => void look()))
  return time
}
