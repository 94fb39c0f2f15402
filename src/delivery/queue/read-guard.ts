import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'
import { describeError } from '../../text/error-code.ts'

/** How long to leave alone what could not be read. */
export const READ_AGAIN_MS = 10_000

export type ReadGuard = ReturnType<typeof createReadGuard>

/** A failed read holds up nothing else; it is tried again, and logged, after 10 s. */
export function createReadGuard(clock: Pick<Clock, 'monotonic'>, log: Pick<Log, 'error'>) {
  /** Until when, ms of the monotonic clock. */
  const leftAlone = new Map<unknown, number>()

  function has(what: unknown): boolean {
    const until = leftAlone.size === 0 ? undefined : leftAlone.get(what)
    if (until === undefined) return false
    if (until > clock.monotonic()) return true
    leftAlone.delete(what)
    return false
  }

  function failed(what: unknown, error: unknown): void {
    leftAlone.set(what, clock.monotonic() + READ_AGAIN_MS)
    log.error('a delivery cannot be read; trying again', { error: describeError(error) })
  }

  /** `null` also if that fails, or `what` is left alone. */
  function read<Read>(what: unknown, read: () => Read | null): Read | null {
    if (has(what)) return null
    try {
      return read()
    } catch (error) {
      failed(what, error)
      return null
    }
  }

  return { has, failed, read }
}
