import type { ApplicationDirectory } from '../application/application-directory.ts'
import type { Commit } from '../database/group-commit.ts'
import { PLATFORMS } from '../platform.ts'
import { noted } from '../log.ts'
import type { Log } from '../log.ts'
import type { CancelStore } from '../push/cancel-store.ts'
import type { Schedule } from '../push/schedule/schedule.ts'
import type { Senders } from './senders.ts'

interface Dependencies {
  readonly log: Log
  readonly commit: Commit
  readonly directory: ApplicationDirectory
  readonly senders: Pick<Senders, 'providers' | 'pool' | 'deliveries'>
  readonly cancellations: Pick<CancelStore, 'cancelledOpen'>
  readonly schedule: Pick<Schedule, 'wake'>
}

/**
 * Has the senders and the schedule follow what commands and the admin API have changed: credentials, pushes, and those
 * that were called off. The returned function ends it.
 */
export function followChanges({ log, commit, directory, senders, cancellations, schedule }: Dependencies) {
  const { providers, pool, deliveries } = senders
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
    // Read in a transaction, it is on disk.
    const last = await commit(() => deliveries.lastPush())
    for (const { application, platform } of deliveries.senders()) {
      pool.wake(application, last)
      for (const push of cancellations.cancelledOpen(application, platform)) {
        void commit(() => pool.cancelStored(application, push))
          .then(() => pool.cancel(application, push))
          .catch(noted(log))
      }
    }
    schedule.wake()
  }

  return directory.onChange(() => void follow().catch(noted(log)))
}
