import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'
import { describeError } from '../../text/error-code.ts'

/** How long to leave alone what could not be read, in ms: the database, or the disk, is damaged. */
export const READ_AGAIN_MS = 10_000

/**
 * Reads that may fail. What cannot be read holds up nothing else, and is not tried, and logged, again with each answer.
 *
 * readable → (a read fails) → left alone → (10 s) → readable.
 */
export class ReadGuard {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #log: Pick<Log, 'error'>
  /** Until when, ms of the monotonic clock. */
  readonly #leftAlone = new Map<unknown, number>()

  constructor(clock: Pick<Clock, 'monotonic'>, log: Pick<Log, 'error'>) {
    this.#clock = clock
    this.#log = log
  }

  /** Whether `what` is left alone. */
  has(what: unknown): boolean {
    const until = this.#leftAlone.size === 0 ? undefined : this.#leftAlone.get(what)
    if (until === undefined) return false
    if (until > this.#clock.monotonic()) return true
    this.#leftAlone.delete(what)
    return false
  }

  /** `null` also if that fails, or `what` is left alone. */
  read<Read>(what: unknown, read: () => Read | null): Read | null {
    if (this.has(what)) return null
    try {
      return read()
    } catch (error) {
      this.failed(what, error)
      return null
    }
  }

  failed(what: unknown, error: unknown): void {
    this.#leftAlone.set(what, this.#clock.monotonic() + READ_AGAIN_MS)
    this.#log.error('a delivery cannot be read; trying again', { error: describeError(error) })
  }
}
