import type { Clock } from '../clock.ts'
import { networkOf, SITE_SHARE, siteOf } from '../network/address.ts'
import { createBucketTable } from './bucket-table.ts'
import { secondsToToken, takeToken } from './token-bucket.ts'

/** Wrong credentials an address may send before it is throttled (test/api/http/admission.test.ts). */
const BURST = 20

/** Failures a second: one back every 3 s. */
const RATE = 1 / 3

export interface FailureThrottle {
  /**
   * To be told of every call with wrong credentials, and of no other. `allowed`: it may still be answered as what it
   * is; else the address has to wait `retryAfterSeconds` (0 where allowed).
   */
  failed(address: string): { readonly allowed: boolean; readonly retryAfterSeconds: number }
}

/**
 * Slows down who guesses secrets; of IPv6 also all networks of a site together, `SITE_SHARE` times as much. Has a table of its own (`capacity` networks, default 50,000), so that a crowd of
 * ordinary callers cannot push a guesser out of it.
 */
export function createFailureThrottle(options: { readonly clock: Clock; readonly capacity?: number }): FailureThrottle {
  const { clock, capacity = 50_000 } = options
  const table = createBucketTable(capacity)
  return {
    failed(address) {
      const now = clock.now()
      const site = siteOf(address)
      const whole = site === null ? null : takeFrom(site, SITE_SHARE, now)
      return whole?.allowed === false ? whole : takeFrom(networkOf(address), 1, now)
    },
  }

  function takeFrom(key: string, share: number, now: number) {
    const bucket = table.bucket(key, BURST * share, now)
    const allowed = takeToken(bucket, RATE * share, BURST * share, now)
    return { allowed, retryAfterSeconds: allowed ? 0 : secondsToToken(bucket, RATE * share) }
  }
}
