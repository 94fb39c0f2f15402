import { createFeedbackStore } from '../../device/feedback-store.ts'
import type { FeedbackEntry } from '../../device/feedback-store.ts'
import { createRestoreStore } from '../../device/restore-store.ts'
import type { Departures } from '../../device/restore-store.ts'
import type { ApplicationWorld } from '../command.ts'
import { startPolling } from '../terminal/poll.ts'
import { createProgress } from '../terminal/progress.ts'
import { createPacing } from '../transfer/pacing.ts'

export interface RestoreOptions extends Departures {
  /** `null`: any. */
  readonly reasons: readonly string[] | null
}

export interface RestoreCounts {
  readonly gone: number
  readonly quarantined: number
  /** Of these, without their alias, which another device has now. */
  readonly aliasTaken: number
  /** Of these, without labels and alias, which were not kept. */
  readonly bare: number
}

export const NOBODY: RestoreCounts = { gone: 0, quarantined: 0, aliasTaken: 0, bare: 0 }

/**
 * Writes in one transaction, for which a server beside this process waits: one a device, with its indexes and feedback
 * entry, and one a label. Measured on 2 busy cores with four labels a device: 7 ms, 12 in one of ten.
 */
const WRITES = 500
const WRITES_OF_DEVICE = 5

/**
 * Restores devices, those that left first last. `total`: for the progress bar. `stopped`: by a signal; the same command
 * continues.
 */
export async function restoreDevices(
  options: RestoreOptions,
  total: number,
  world: ApplicationWorld,
): Promise<{ readonly counts: RestoreCounts; readonly stopped: boolean }> {
  const { database, clock } = world
  const application = world.application.number
  const store = createRestoreStore(world)
  const entries = createFeedbackStore({ database }).list(application, options.since, options.until)
  const counts: { -readonly [Name in keyof RestoreCounts]: number } = { ...NOBODY }
  const progress = createProgress(world, { unit: 'devices' })
  const pacing = createPacing(world)
  // Only the last commit waits for the disk: the same command restores what is lost before.
  const sync = database.syncByHand()
  using polling = startPolling(world)

  /** As many entries as one transaction may restore; read outside it, since many others may be in between. */
  function read(): FeedbackEntry[] {
    const found: FeedbackEntry[] = []
    while (found.length < WRITES / WRITES_OF_DEVICE) {
      const { value: entry } = entries.next()
      if (entry === undefined) break
      const { platform, reason } = entry
      if (options.platforms.includes(platform) && (options.reasons?.includes(reason) ?? true)) found.push(entry)
    }
    return found
  }

  /** Returns the entries left for the next transaction. */
  function restore(waiting: readonly FeedbackEntry[]): FeedbackEntry[] {
    let writes = 0
    const end = waiting.findIndex((entry) => {
      if (writes >= WRITES) return true
      const restored = store.restore(application, entry)
      writes += WRITES_OF_DEVICE + (restored?.labels ?? 0)
      if (restored !== null) {
        counts[restored.state]++
        if (restored.aliasTaken) counts.aliasTaken++
        if (restored.bare) counts.bare++
      }
      return false
    })
    return end === -1 ? [] : waiting.slice(end)
  }

  try {
    for (let waiting = read(); waiting.length > 0;) {
      if (polling.isStopped()) return { counts, stopped: true }
      const startedAt = clock.now()
      const now = waiting
      waiting = database.transact(() => restore(now))
      const tookMs = clock.now() - startedAt
      progress.show(counts.gone + counts.quarantined, total)
      await pacing.rest(tookMs)
      if (waiting.length === 0) waiting = read()
    }
    return { counts, stopped: false }
  } finally {
    sync.now()
    progress.end()
  }
}
