import type { BackupState } from '../backup/schedule.ts'
import { within } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { SenderStats } from '../delivery/sender-stats.ts'
import type { Log } from '../log.ts'
import { readinessOf } from './readiness.ts'
import type { EarlyEnds, NearlyUsed, Readiness } from './readiness.ts'
import type { Disk } from './storage.ts'
import { named } from './tally.ts'
import type { NameOf } from './tally.ts'
import { messageOf } from '../text/error-code.ts'

/** For a tiny write. */
const PATIENCE_MS = 2000

interface Dependencies {
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
  readonly probeDatabase: () => Promise<void>
  readonly senders: () => readonly SenderStats[]
  readonly nameOf: NameOf
  readonly disk: () => Disk | null
  readonly backups: () => BackupState | null
  readonly moved: () => readonly string[]
  readonly nearlyUsed: () => readonly NearlyUsed[]
  readonly earlyEnds: () => EarlyEnds | null
}

/** Accepts a write that succeeded within the last `maxAgeMs`. */
export type CheckReadiness = (maxAgeMs: number) => Promise<Readiness>

export function createReadinessCheck(deps: Dependencies): CheckReadiness {
  const { clock, log, senders, nameOf, disk, backups, moved, nearlyUsed, earlyEnds } = deps
  let writtenAt = Number.NEGATIVE_INFINITY
  let running: Promise<string | null> | null = null

  return async (maxAgeMs) => {
    const ageMs = clock.now() - writtenAt
    const databaseProblem = ageMs >= 0 && ageMs < maxAgeMs ? null : await inTime((running ??= probe()))
    return readinessOf({
      now: clock.now(),
      databaseProblem,
      senders: named(senders(), nameOf),
      disk: disk(),
      backups: backups(),
      moved: moved(),
      nearlyUsed: nearlyUsed(),
      earlyEnds: earlyEnds(),
    })
  }

  /** One at a time: probes must not pile up on a hanging disk. */
  async function probe(): Promise<string | null> {
    try {
      await deps.probeDatabase()
      writtenAt = clock.now()
      return null
    } catch (error) {
      log.error('database cannot be written', { error: String(error) })
      return messageOf(error)
    } finally {
      running = null
    }
  }

  async function inTime(probing: Promise<string | null>): Promise<string | null> {
    return await within(clock, PATIENCE_MS, probing, `it has not taken a write for ${PATIENCE_MS / 1000} seconds`)
  }
}
