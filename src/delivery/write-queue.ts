import type { SenderContext } from './sender-context.ts'

interface Waiting {
  readonly operation: () => void
  readonly resolve: () => void
}

/**
 * Writes of one delivery, in order. A page stores the progress of the whole delivery, earlier pages included: written
 * before one that the disk has refused for now, it would make that one pass for settled.
 *
 * idle → (the first: written at once) → writing → (those added meanwhile: together, in one transaction) → idle.
 */
export class WriteQueue {
  readonly #persist: SenderContext['persist']
  #waiting: Waiting[] = []
  #writing: Promise<void> | null = null

  constructor(persist: SenderContext['persist']) {
    this.#persist = persist
  }

  /** Resolves when it is on disk. The operation may run twice, so it must touch only the database. */
  add(operation: () => void): Promise<void> {
    const written = new Promise<void>((resolve) => this.#waiting.push({ operation, resolve }))
    this.#writing ??= this.#write()
    return written
  }

  /** Resolves when nothing waits any more. */
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
