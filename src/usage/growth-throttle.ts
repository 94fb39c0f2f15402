import type { Clock } from '../clock.ts'
import { SITE_SHARE, siteKey, userKey } from '../network/address.ts'
import { createBucketTable } from './bucket-table.ts'
import { secondsToToken, takeToken } from './token-bucket.ts'

/**
 * Rows beyond those of ordinary calls that one address may add at once, and from then on in a second. A phone that
 * registers for the first time with 100 tags, which other phones have too, adds 90: 220 of them behind one address may
 * do so at once, and 800 an hour from then on. The first of all phones adds 180.
 *
 * A row takes 40 bytes of the disk (a label of a device) to 900 (256 bytes of a name or a token, and their index). What one
 * address can fill of it in an hour, with the calls that it has by default: 110 MB (measured; 43 GB without this).
 */
const BURST = 20_000
const RATE = 20

export interface GrowthThrottle {
  /** Takes rows of this application's from the address, and from the site that it belongs to; the seconds to wait for them, 0 where they were taken. */
  take(application: number, address: string, rows: number): number
}

/** Slows down addresses that fill the disk. `capacity` networks are remembered, default 50,000. */
export function createGrowthThrottle(options: { readonly clock: Clock; readonly capacity?: number }): GrowthThrottle {
  const { clock, capacity = 50_000 } = options
  const table = createBucketTable(capacity)

  function takeFrom(key: string, rows: number, now: number, share: number): number {
    const bucket = table.bucket(key, BURST * share, now)
    return takeToken(bucket, RATE * share, BURST * share, now, rows) ? 0 : secondsToToken(bucket, RATE * share, rows)
  }

  return {
    take(application, address, rows) {
      const now = clock.now()
      // Its own first: what is refused to one network is not to be missing to the others of its site.
      const wait = takeFrom(userKey(application, address), rows, now, 1)
      const site = wait === 0 ? siteKey(application, address) : null
      return site === null ? wait : takeFrom(site, rows, now, SITE_SHARE)
    },
  }
}
