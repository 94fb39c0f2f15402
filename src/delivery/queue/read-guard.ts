import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'
import { describeError } from '../../text/error-code.ts'

/** How long what could not be read is left alone, in ms: the database is damaged, or the disk is. */
export const READ_AGAIN_MS = 10_000

/**
 * Reads that may fail. What cannot be read holds up nothing else, and is not tried again, and told, with each answer.
 *
 * readable → (a read fails) → left alone → (10 s) → readable.
 */
export class ReadGuard {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #log: Pick<Log, 'error'>
  readonly #name: object
  /** Until when, of the monotonic clock, in ms. */
  readonly #leftAlone = new Map<unknown, number>()

  constructor(clock: Pick<Clock, 'monotonic'>, log: Pick<Log, 'error'>, name: object) {
    this.#clock = clock
    this.#log = log
    this.#name = name
  }

  has(what: unknown): boolean {
    if (this.#leftAlone.size === 0) return false
    const until = this.#leftAlone.get(what)
    if (until === undefined) return false
    if (until > this.#clock.monotonic()) return true
    this.#leftAlone.delete(what)
    return false
  }

  /** What `read` gives; `null` where that fails, or `what` is left alone. */
  read<Read>(what: unknown, read: () => Read | null): Read | null {
    if (this.has(what)) return null
    try {
      return read()
    } catch (error) {
      this.failed(what, error)
      return null
    }
  }

  /** A read has failed. */
  failed(what: unknown, error: unknown): void {
    this.#leftAlone.set(what, this.#clock.monotonic() + READ_AGAIN_MS)
    this.#log.error('a delivery cannot be read; trying again', { ...this.#name, error: describeError(error) })
  }
}
