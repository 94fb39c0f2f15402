import { sleep } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import { isConstraint } from '../database/sqlite-error.ts'
import type { Log } from '../log.ts'
import { describeError } from '../text/error-code.ts'
import type { SenderContext } from './sender-context.ts'

/** How long to wait, in ms, after the disk failed a write or a read. */
export const AGAIN_MS = 1000

interface PersistOptions {
  readonly clock: Pick<Clock, 'after'>
  readonly log: Pick<Log, 'error'>
  readonly commit: Commit
  readonly isClosed: () => boolean
}

/** Writes until it succeeds; never resolves if nothing can follow any more. */
export function createPersist({ clock, log, commit, isClosed }: PersistOptions): SenderContext['persist'] {
  return async <T>(operation: () => T): Promise<T> => {
    for (;;) {
      try {
        return await (commit as (operation: () => T) => Promise<T>)(operation)
      } catch (error) {
        // Broken references: the application was deleted. Anything else is the disk, and passes.
        if (isConstraint(error) || isClosed()) return new Promise<never>(() => {})
        log.error('a delivery could not be written down; trying again', { error: describeError(error) })
        await sleep(clock, AGAIN_MS)
      }
    }
  }
}

/** Runs steps, each in its own transaction, until one returns `null`. Each gets the result of the one before. */
export async function inSteps<From>(
  persist: SenderContext['persist'],
  step: (from: From | null) => From | null,
): Promise<void> {
  let from: From | null = null
  do {
    const at: From | null = from
    from = await persist(() => step(at))
  } while (from !== null)
}
