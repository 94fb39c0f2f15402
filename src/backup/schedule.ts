import { HOUR_MS, MINUTE_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { backupNameAt, lastTimeOf } from './backup-name.ts'
import type { BackupOutcome } from './own-process.ts'
import { backupNames } from './repository.ts'
import type { BackupRepository } from './repository.ts'
import type { Verifier } from './verifier.ts'

export interface BackupState {
  /** `null`: none yet, or unknown. */
  readonly lastSuccessAt: number | null
  /** A sentence; `null`: the last try did not fail. */
  readonly lastError: string | null
  readonly everyMs: number
  /** Whether the newest can be restored; `null`: not checked. */
  readonly verified: Verified | null
}

interface Verified {
  /** `null`: never. */
  readonly lastSuccessAt: number | null
  /** A sentence; `null`: nothing. */
  readonly lastError: string | null
}

export interface BackupSchedule extends AsyncDisposable {
  state(): BackupState
  isMaking(): boolean
  /** `false`: one is being made. The result is in `state`. */
  makeNow(): boolean
}

interface Options {
  readonly clock: Clock
  readonly log: Log
  /** Between two backups. */
  readonly everyMs: number
  readonly list: BackupRepository['list']
  readonly make: (name: string) => Making
  /** Runs after each turn, so that no backup is erased while it is verified. `null`: none is verified. */
  readonly verifier: Verifier | null
}

export interface Making {
  readonly ended: Promise<BackupOutcome>
  /** Without a trace; resolves when nothing of it is left. */
  stop(): Promise<void>
}

const START_MS = 10_000

/** The clock may be corrected, or a folder mounted, meanwhile. */
const LOOK_MS = HOUR_MS

/** Doubles after each failure. */
const RETRY_MS = MINUTE_MS
const LONGEST_RETRY_MS = HOUR_MS

/**
 * waiting → (the newest name there is `everyMs` old, or there is none) → making → waiting.
 * making → (failed) → waiting, for a minute, then two, at most an hour.
 * Before it waits, the newest is verified if that is due.
 *
 * The existing backups decide when the next is due, however often the service starts.
 */
export function startBackupSchedule({ clock, log, everyMs, list, make, verifier }: Options): BackupSchedule {
  let lastSuccessAt: number | null = null
  let lastError: string | null = null
  let failures = 0
  let making: Making | null = null
  let stopped = false
  let isAsked = false
  let isBusy = false
  let cancel = clock.after(START_MS, turn)

  function turn(): void {
    isBusy = true
    void look()
      .catch((error: unknown) => fail(String(error)))
      .then(verifyToo)
      .then((nextInMs) => {
        isBusy = false
        if (!stopped) cancel = clock.after(isAsked ? 0 : Math.min(nextInMs, LOOK_MS), turn)
      })
  }

  async function verifyToo(nextInMs: number): Promise<number> {
    if (verifier === null || stopped) return nextInMs
    try {
      return Math.min(nextInMs, await verifier.look())
    } catch (error) {
      log.error('the newest backup was not verified', { problem: String(error) })
      return nextInMs
    }
  }

  /** Returns the time until the next look, in ms. */
  async function look(): Promise<number> {
    const wasAsked = isAsked
    isAsked = false
    if (!wasAsked && lastSuccessAt !== null && failures === 0 && untilDue() > 0) return untilDue()
    const there = await list()
    if (stopped) return 0
    if (there.kind === 'problem') return fail(there.problem)
    lastSuccessAt = lastTimeOf(backupNames(there), clock.now())
    if (!wasAsked && untilDue() > 0) return succeed()

    const name = backupNameAt(clock.now())
    const startedAt = clock.now()
    making = make(name)
    const outcome = await making.ended
    making = null
    if (stopped) return 0
    if (outcome.kind === 'problem') return fail(outcome.problem)
    lastSuccessAt = startedAt
    const { bytes, erased, warning } = outcome
    log.info('backup made', { name, bytes, erased, ms: clock.now() - startedAt })
    if (warning !== null) log.warn('old backups could not be deleted', { problem: warning })
    return succeed()
  }

  function isMaking(): boolean {
    return isAsked || making !== null
  }

  function untilDue(): number {
    const now = clock.now()
    // A clock that was set back must not delay the next one.
    return lastSuccessAt === null || lastSuccessAt > now ? 0 : lastSuccessAt + everyMs - now
  }

  function succeed(): number {
    failures = 0
    lastError = null
    return untilDue()
  }

  function fail(problem: string): number {
    failures += 1
    lastError = problem
    const retryInMs = Math.min(RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS, everyMs)
    log.error('no backup was made', { problem, tries: failures, retryInMs })
    return retryInMs
  }

  return {
    state: () => ({ lastSuccessAt, lastError, everyMs, verified: verifier && verifiedOf(verifier) }),
    isMaking,
    makeNow() {
      if (stopped || isMaking()) return false
      isAsked = true
      if (!isBusy) {
        cancel()
        turn()
      }
      return true
    },
    async [Symbol.asyncDispose]() {
      stopped = true
      cancel()
      await Promise.all([making?.stop(), verifier?.stop()])
    },
  }
}

function verifiedOf(verifier: Verifier): Verified {
  const { good, problem } = verifier.state()
  return { lastSuccessAt: good?.at ?? null, lastError: problem?.what ?? null }
}
