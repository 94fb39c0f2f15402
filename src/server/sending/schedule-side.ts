import { createScheduleStore } from '../../push/schedule/schedule-store.ts'
import { startSchedule } from '../../push/schedule/schedule.ts'
import type { Senders } from './senders.ts'
import type { Service } from '../service.ts'

export function startScheduled(service: Service, { pool }: Pick<Senders, 'pool'>) {
  const { clock, time, log, database, commit, finished, opened } = service
  const store = createScheduleStore({ database })
  const schedule = startSchedule({
    clock,
    time,
    log,
    commit,
    store: {
      next: store.next,
      release(dueBy, now, limit) {
        const released = store.release(dueBy, now, limit)
        // A push without recipients is over when it is released.
        for (const each of released) finished.tell(each, now)
        return released
      },
    },
    wake: (application, push) => pool.wake(application, push),
  })
  opened.defer(() => schedule.stop())
  return schedule
}
