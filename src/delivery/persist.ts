import { sleep } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import { isConstraint } from '../database/sqlite-error.ts'
import type { Log } from '../log.ts'
import { describeError } from '../text/error-code.ts'

/** After a failed write or read. */
export const AGAIN_MS = 1000

/** Writes until it succeeds: a full disk delays writes and loses none. The operation may run twice. */
export type Persist = <T>(operation: () => T) => Promise<T>

/** Its promises never resolve once nothing can follow. */
export function createPersist(
  commit: Commit,
  clock: Pick<Clock, 'after'>,
  log: Pick<Log, 'error'>,
  isClosed: () => boolean,
): Persist {
  return async <T>(operation: () => T): Promise<T> => {
    for (;;) {
      try {
        return await (commit as Persist)(operation)
      } catch (error) {
        // Broken references: the application was deleted. Anything else is the disk, and passes.
        if (isConstraint(error) || isClosed()) return new Promise<never>(() => {})
        log.error('delivery results could not be stored; trying again', { error: describeError(error) })
        await sleep(clock, AGAIN_MS)
      }
    }
  }
}

/** Runs steps, each in its own transaction, until one returns `null`. Each gets the result of the one before. */
export async function inSteps<From>(persist: Persist, step: (from: From | null) => From | null): Promise<void> {
  let from: From | null = null
  do {
    const at: From | null = from
    from = await persist(() => step(at))
  } while (from !== null)
}

/**
 * Writes of one delivery, in order: a page stores the progress of the whole delivery, so before an earlier page that
 * the disk refused, it would settle that one too. Writes added during a transaction share the next.
 */
export class WriteQueue {
  readonly #persist: Persist
  #waiting: { readonly operation: () => void; readonly resolve: () => void }[] = []
  #writing: Promise<void> | null = null

  constructor(persist: Persist) {
    this.#persist = persist
  }

  add(operation: () => void): Promise<void> {
    const written = new Promise<void>((resolve) => this.#waiting.push({ operation, resolve }))
    this.#writing ??= this.#write()
    return written
  }

  async empty(): Promise<void> {
    await this.#writing
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0)
      await this.#persist(() => {
        for (const { operation } of batch) operation()
      })
      for (const { resolve } of batch) resolve()
    }
    this.#writing = null
  }
}
