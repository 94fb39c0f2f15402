import { sleep } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import { isConstraint } from '../database/sqlite-error.ts'
import type { Log } from '../log.ts'
import { describeError } from '../text/error-code.ts'
import type { ServiceClock } from '../time/service-clock.ts'
import type { DeliveryEvents, DeviceRegistry, SenderContext } from './sender-context.ts'

/** How long what the disk would not take, or not give, waits before it is tried again, in ms. */
export const AGAIN_MS = 1000

interface PersistOptions {
  readonly clock: Pick<Clock, 'after'>
  readonly log: Pick<Log, 'error'>
  readonly commit: Commit
  readonly isClosed: () => boolean
}

/** Writes until it succeeds; never resolves where nothing follows from it any more. */
export function createPersist({ clock, log, commit, isClosed }: PersistOptions): SenderContext['persist'] {
  return async <T>(operation: () => T): Promise<T> => {
    for (;;) {
      try {
        return await (commit as (operation: () => T) => Promise<T>)(operation)
      } catch (error) {
        // Broken references: the application was deleted meanwhile. Then, and after the end, nothing follows from it.
        // Anything else is the disk, and passes.
        if (isConstraint(error) || isClosed()) return new Promise<never>(() => {})
        log.error('a delivery could not be written down; trying again', { error: describeError(error) })
        await sleep(clock, AGAIN_MS)
      }
    }
  }
}

/** Runs one step after the other, each in a transaction of its own, until one says that there is no more. */
export async function inSteps<From>(
  persist: <T>(operation: () => T) => Promise<T>,
  step: (from: From | null) => From | null,
): Promise<void> {
  let from: From | null = null
  do {
    const at: From | null = from
    from = await persist(() => step(at))
  } while (from !== null)
}

interface Told {
  readonly clock: Pick<ServiceClock, 'wallAt'>
  readonly registry: DeviceRegistry
  readonly events: DeliveryEvents
}

/** What devices and callers are told has the time of day. */
export function byTimeOfDay({ clock, registry, events }: Told): Pick<Told, 'registry' | 'events'> {
  return {
    registry: { ...registry, apply: (finding, now) => registry.apply(finding, clock.wallAt(now)) },
    events: {
      pushFinished: (delivery, now) => events.pushFinished(delivery, clock.wallAt(now)),
      credentialPaused: (application, platform, reason, now) =>
        events.credentialPaused(application, platform, reason, clock.wallAt(now)),
      credentialResumed: (application, platform, now) =>
        events.credentialResumed(application, platform, clock.wallAt(now)),
    },
  }
}
