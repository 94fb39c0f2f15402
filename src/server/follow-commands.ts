import type { ApplicationDirectory } from '../application/application-directory.ts'
import { every } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import { PLATFORMS } from '../platform.ts'
import { noted } from '../log.ts'
import type { Log } from '../log.ts'
import type { CancelStore } from '../push/cancel-store.ts'
import type { Schedule } from '../push/schedule/schedule.ts'
import type { Senders } from './senders.ts'

/** How soon a running server follows what a command changes. A second is promised. */
const FOLLOW_MS = 250

interface Dependencies {
  readonly clock: Clock
  readonly log: Log
  readonly commit: Commit
  readonly directory: ApplicationDirectory
  readonly senders: Pick<Senders, 'providers' | 'pool' | 'deliveries'>
  readonly cancellations: Pick<CancelStore, 'cancelledOpen'>
  readonly schedule: Pick<Schedule, 'wake'>
}

/** Follows what commands, processes of their own, change in the database. The returned function ends it. */
export function followCommands({ clock, log, commit, directory, senders, cancellations, schedule }: Dependencies) {
  const { providers, pool, deliveries } = senders
  const known = new Set(directory.all().map(({ number }) => number))
  const forgetListener = directory.onChange(() => void follow().catch(noted(log)))
  const stop = every(clock, FOLLOW_MS, refresh)

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
    // What a command has pushed, or called off: read in a transaction, it is on disk.
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

  function refresh(): void {
    try {
      directory.refresh()
    } catch (error) {
      log.error('what a command has changed cannot be read', { error: String(error) })
    }
  }

  return () => {
    stop()
    forgetListener()
  }
}
