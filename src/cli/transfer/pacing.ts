import { sleep } from '../../clock.ts'
import { isServed } from '../../database/directory-lock.ts'
import type { World } from '../command.ts'

/**
 * Pauses are as long as the transaction, but at least this long. With half of it, the 99th percentile of registrations
 * was 59 ms instead of 24.
 */
const MIN_PAUSE_MS = 5

/** For a new or stopped server. */
const LOOK_MS = 500

export function createPacing({ data, clock, served: own }: Pick<World, 'data' | 'clock' | 'served'>) {
  let served = own !== null || isServed(data)
  let lookedAt = clock.now()
  return {
    get served(): boolean {
      return served
    },
    /** After each transaction of `tookMs`: lets a server write. */
    async rest(tookMs: number): Promise<void> {
      if (served) await sleep(clock, Math.max(tookMs, MIN_PAUSE_MS))
      if (own !== null || clock.now() - lookedAt < LOOK_MS) return
      lookedAt = clock.now()
      served = isServed(data)
    },
  }
}
