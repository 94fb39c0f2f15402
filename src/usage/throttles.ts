import type { Clock } from '../clock.ts'
import { networkOf, SITE_SHARE, siteKey, siteOf, userKey } from '../network/address.ts'
import { createBucketTable } from './bucket-table.ts'
import { secondsToToken, takeToken } from './token-bucket.ts'

interface Options {
  readonly clock: Clock
  /** Networks. Default 50,000. */
  readonly capacity?: number
}

/** Per address. */
const FAILURES = 20
const FAILURES_PER_SECOND = 1 / 3

/**
 * Slows down whoever guesses secrets: a network, and for IPv6 its site. A table of its own, so that ordinary callers
 * cannot push a guesser out.
 */
export function createFailureThrottle(options: Options) {
  const take = createTake(options, FAILURES_PER_SECOND, FAILURES)
  return {
    /** Call this for wrong credentials only. `allowed`: to answer as what it is. */
    failed(address: string): { readonly allowed: boolean; readonly retryAfterSeconds: number } {
      const site = siteOf(address)
      const retryAfterSeconds = (site !== null && take(site, SITE_SHARE, 1)) || take(networkOf(address), 1, 1)
      return { allowed: retryAfterSeconds === 0, retryAfterSeconds }
    },
  }
}

/**
 * Rows beyond ordinary calls that one address may add at once, and per second. A phone that registers for the first
 * time with 100 common tags adds 90: 220 of them behind one address may do so at once, and 800 an hour after that.
 *
 * A row takes 40 bytes (a label of a device) to 900 (256 bytes of a name or token, with index). One address can fill
 * 110 MB an hour (measured; 43 GB without this).
 */
const ROWS = 20_000
const ROWS_PER_SECOND = 20

export function createGrowthThrottle(options: Options) {
  const take = createTake(options, ROWS_PER_SECOND, ROWS)
  return {
    /** Seconds to wait; 0: taken. */
    take(application: number, address: string, rows: number): number {
      // Its own first: rows refused to one network must not be missing to others of its site.
      const wait = take(userKey(application, address), 1, rows)
      const site = wait === 0 ? siteKey(application, address) : null
      return site === null ? wait : take(site, SITE_SHARE, rows)
    },
  }
}

/** From a bucket `share` times as large as `burst`; seconds to wait, 0: taken. */
function createTake({ clock, capacity = 50_000 }: Options, rate: number, burst: number) {
  const table = createBucketTable(capacity)
  return (key: string, share: number, count: number): number => {
    const now = clock.now()
    const bucket = table.bucket(key, burst * share, now)
    return takeToken(bucket, rate * share, burst * share, now, count) ? 0 : secondsToToken(bucket, rate * share, count)
  }
}
