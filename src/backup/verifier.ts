import { DAY_MS, HOUR_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { newestOf } from './backup-name.ts'
import { backupNames } from './repository.ts'
import type { BackupRepository } from './repository.ts'
import type { Verification } from './verified-file.ts'
import type { Verifying } from './own-process.ts'

export interface Verifier {
  /** Returns the time until the next look, in ms. Call one at a time. */
  look(): Promise<number>
  state(): Verification
  stop(): Promise<void>
}

interface Options {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly list: BackupRepository['list']
  readonly verify: (name: string) => Verifying
  readonly known: Verification
  /** May throw. */
  readonly keep: (verification: Verification) => void
}

const EVERY_MS = DAY_MS

/** A bucket may be reachable again, or a newer backup may have replaced a damaged one. */
const RETRY_MS = HOUR_MS

/**
 * The newest backup is due once a day; after a bad one as soon as there is a newer one, and an hour after one that
 * could not be reached.
 */
export function createVerifier({ clock, log, list, verify, known, keep }: Options): Verifier {
  let last = known
  /** Known to be damaged: not read again every hour. */
  let damaged: string | null = null
  let running: Verifying | null = null
  let stopped = false

  function untilDue(): number {
    const { good, problem } = last
    const seen = problem ?? good
    const now = clock.now()
    // A clock that was set back must not delay the next look.
    if (seen === null || seen.at > now) return 0
    return Math.max(0, seen.at + (problem === null ? EVERY_MS : RETRY_MS) - now)
  }

  async function look(): Promise<number> {
    if (untilDue() > 0) return untilDue()
    const there = await list()
    if (stopped) return RETRY_MS
    if (there.kind === 'problem') return RETRY_MS
    const now = clock.now()
    const newest = newestOf(backupNames(there), now)
    if (newest === null) return RETRY_MS
    if (newest === damaged && now - (last.problem?.at ?? 0) < EVERY_MS) return RETRY_MS
    running = verify(newest)
    const outcome = await running.ended
    running = null
    if (stopped) return RETRY_MS
    damaged = outcome.kind === 'bad' ? newest : null
    const at = clock.now()
    switch (outcome.kind) {
      case 'good':
        log.info('backup verified', { name: newest, devices: outcome.devices, ms: at - now })
        remember({ good: { name: newest, at, devices: outcome.devices }, problem: null })
        break
      case 'bad':
        complain(newest, at, `The backup ${newest} is not good: ${outcome.what}`)
        break
      case 'problem':
        complain(newest, at, `The backup ${newest} could not be verified: ${outcome.problem}`)
        break
    }
    return untilDue()
  }

  function complain(name: string, at: number, what: string): void {
    log.error('the newest backup was not verified', { problem: what })
    remember({ good: last.good, problem: { name, at, what } })
  }

  function remember(verification: Verification): void {
    last = verification
    try {
      keep(verification)
    } catch (error) {
      log.warn('the state of the newest backup could not be stored', { error: String(error) })
    }
  }

  return {
    look,
    state: () => last,
    async stop() {
      stopped = true
      await running?.stop()
    },
  }
}
