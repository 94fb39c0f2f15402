import type { Clock } from '../clock.ts'
import { userKey } from './address.ts'
import { createBucketTable } from './bucket-table.ts'
import { secondsToToken, takeToken } from './token-bucket.ts'

/**
 * Rows beyond those of ordinary calls that one address may add at once, and from then on in a second. A phone that
 * registers for the first time with 100 tags, which other phones have too, adds 90: 220 of them behind one address may
 * do so at once, and 800 an hour from then on. The first of all phones adds 180.
 *
 * A row takes 40 bytes of the disk (a label of a device) to 900 (256 bytes of a name or a token, and their index): 20 a
 * second are 18 kB a second at the most, or 65 MB an hour.
 */
const BURST = 20_000
const RATE = 20

export interface GrowthThrottle {
  /** Takes rows of this application's from the address; the seconds to wait for them, 0 where they were taken. */
  take(application: number, address: string, rows: number): number
}

/** Slows down who fills the disk. `capacity` networks are remembered, default 50,000. */
export function createGrowthThrottle(options: { readonly clock: Clock; readonly capacity?: number }): GrowthThrottle {
  const { clock, capacity = 50_000 } = options
  const table = createBucketTable(capacity)
  return {
    take(application, address, rows) {
      const now = clock.now()
      const bucket = table.bucket(userKey(application, address), BURST, now)
      return takeToken(bucket, RATE, BURST, now, rows) ? 0 : secondsToToken(bucket, RATE, rows)
    },
  }
}
