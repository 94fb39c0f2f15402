import { PLATFORMS } from '../../platform.ts'
import { logError } from '../../log.ts'
import { createCancelStore } from '../../push/cancel-store.ts'
import type { Schedule } from '../../push/schedule/schedule.ts'
import type { Senders } from './senders.ts'
import type { Service } from '../service.ts'

/**
 * Makes the senders and the schedule follow changes of commands and the admin API: credentials, new pushes, cancelled
 * ones. Returns a function that ends it.
 */
export function followChanges({ log, commit, database, directory }: Service, senders: Senders, schedule: Schedule) {
  const { providers, pool, deliveries } = senders
  const cancellations = createCancelStore({ database })
  const known = new Set(directory.all().map(({ number }) => number))

  async function follow(): Promise<void> {
    await providers.prepare(directory.all())
    for (const application of directory.all()) {
      known.add(application.number)
      for (const platform of PLATFORMS) {
        if (providers.isStale(application, platform)) pool.reload(application.number, platform)
      }
    }
    pool.reloadIdle()
    for (const number of known) {
      if (directory.byNumber(number) !== null) continue
      known.delete(number)
      pool.forget(number)
    }
    // Read in a transaction, so it is on disk.
    const last = await commit(() => deliveries.lastPush())
    for (const { application, platform } of deliveries.senders()) {
      pool.wake(application, last)
      for (const push of cancellations.cancelledOpen(application, platform)) {
        void commit(() => pool.cancelStored(application, push))
          .then(() => pool.cancel(application, push))
          .catch(logError(log))
      }
    }
    schedule.wake()
  }

  return directory.onChange(() => void follow().catch(logError(log)))
}

/** Reads what another process has changed; followers of the directory then act on it. */
export function takeUp({ directory, log }: Service): void {
  try {
    directory.refresh()
  } catch (error) {
    log.error('changes by a command cannot be read', { error: String(error) })
  }
}
