import { every, SECOND_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import type { GroupCommit } from '../../database/group-commit.ts'
import { noted } from '../../log.ts'
import type { Log } from '../../log.ts'
import { HEARTBEAT_MS, startServiceClock } from '../../time/service-clock.ts'
import type { ServiceClock, ServiceMoment } from '../../time/service-clock.ts'
import { createServiceTimeStore } from '../../time/service-time-store.ts'

interface Dependencies {
  readonly clock: Clock
  readonly log: Log
  readonly database: Database
  readonly group: Pick<GroupCommit, 'alongside' | 'commit'>
  /** What TTLs are measured by: time in which the service ran, or time of day. */
  readonly ttlClock: 'elapsed' | 'wall'
  readonly opened: AsyncDisposableStack
}

/**
 * Written along with other writes, at most once a second, and by itself when the time of day was set: a transaction
 * that writes a time finds the current offset.
 */
export function keepServiceTime({ clock, log, database, group, ttlClock, opened }: Dependencies): ServiceClock {
  const store = createServiceTimeStore({ database })
  let stored = store.last()
  const time = startServiceClock({ clock, log, last: stored, followsJumps: ttlClock === 'wall' })
  let isWriting = false

  /** Whether the stored offset is from before the clock was set. */
  const isOfOtherClock = ({ service, wall }: ServiceMoment): boolean =>
    stored === null || wall - service !== stored.wall - stored.service

  group.alongside(() => {
    // A rolled back transaction took its write with it.
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
