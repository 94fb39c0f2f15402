import { sleep } from '../../clock.ts'
import { isServed } from '../../database/directory-lock.ts'
import type { World } from '../command.ts'

/**
 * A server gets the database for as long as the command had it, but at least this long. With half of it, the 99th
 * percentile of registrations was 59 ms instead of 24.
 */
const MIN_PAUSE_MS = 5

/** How often it is looked whether there is a server. */
const LOOK_MS = 500

export interface Pacing {
  /** Whether a server runs on the data directory. */
  readonly served: boolean
  /** To be awaited after each transaction of this length: lets a server write meanwhile. */
  rest(tookMs: number): Promise<void>
}

export function createPacing({ data, clock, served: own }: Pick<World, 'data' | 'clock' | 'served'>): Pacing {
  let served = own !== null || isServed(data)
  let lookedAt = clock.now()
  return {
    get served() {
      return served
    },
    async rest(tookMs) {
      if (served) await sleep(clock, Math.max(tookMs, MIN_PAUSE_MS))
      if (own !== null || clock.now() - lookedAt < LOOK_MS) return
      lookedAt = clock.now()
      served = isServed(data)
    },
  }
}
