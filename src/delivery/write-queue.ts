interface Waiting {
  readonly operation: () => void
  readonly steps: (() => boolean) | null
  readonly resolve: () => void
}

type Persist = <T>(operation: () => T) => Promise<T>

/**
 * What one delivery has to write, in the order in which it came to be. A settled page stores how far the delivery is,
 * the pages before it included: written ahead of one that the disk has refused for now, it would have that one pass for
 * done, and the older one would put the progress back when it came at last.
 *
 * idle → (the first comes: written at once) → writing → (what came meanwhile: together, in one transaction) → idle.
 */
export class WriteQueue {
  readonly #persist: Persist
  #waiting: Waiting[] = []
  #writing: Promise<void> | null = null

  /** `persist` writes until it succeeds. */
  constructor(persist: Persist) {
    this.#persist = persist
  }

  /**
   * Resolves when it is on disk. The operation may run twice, so it must only touch the database. `steps` runs before it,
   * as often as it says that there is more to do, in a transaction each.
   */
  add(operation: () => void, steps: (() => boolean) | null = null): Promise<void> {
    const written = new Promise<void>((resolve) => this.#waiting.push({ operation, steps, resolve }))
    this.#writing ??= this.#write()
    return written
  }

  /** Resolves when nothing waits any more. */
  async empty(): Promise<void> {
    await this.#writing
  }

  async #write(): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      while (next.steps !== null && (await this.#persist(next.steps))) continue
      const following = this.#waiting.findIndex(({ steps }, at) => at > 0 && steps !== null)
      const batch = this.#waiting.splice(0, following === -1 ? this.#waiting.length : following)
      await this.#persist(() => {
        for (const { operation } of batch) operation()
      })
      for (const { resolve } of batch) resolve()
    }
    this.#writing = null
  }
}
