import type { Clock } from '../clock.ts'
import { createBucketTable } from './bucket-table.ts'
import { isUnlimited, secondsToFull, secondsToToken, takeToken, tokensLeft } from './token-bucket.ts'

export interface Verdict {
  readonly allowed: boolean
  /** Calls a second: the rate this call was held against. 0 = unlimited. */
  readonly rate: number
  /** Calls: the size of the bucket. 0 = unlimited, and then the numbers below are 0 and say nothing. */
  readonly limit: number
  /** Calls that could be made at this moment. */
  readonly remaining: number
  /** Seconds until the bucket is full again, rounded up. */
  readonly resetSeconds: number
  /** Seconds until a call will be allowed, rounded up, at least 1; 0 where this one was. */
  readonly retryAfterSeconds: number
}

export interface RateLimiter {
  /**
   * Takes one call from the bucket of `key`; a refused call takes nothing. `rate` is in calls a second, `burst` in
   * calls; either 0 = unlimited. Limits may differ from call to call.
   */
  take(key: string, limits: { readonly rate: number; readonly burst: number }): Verdict
}

const UNLIMITED: Verdict = {
  allowed: true,
  rate: 0,
  limit: 0,
  remaining: 0,
  resetSeconds: 0,
  retryAfterSeconds: 0,
}

/**
 * One bucket for each key (see `userKey`), in bounded memory: beyond `capacity` keys (default 50,000, about 10 MB) the
 * least recently used is forgotten, which at worst gives its user a full bucket (spec/decisions, "Admission" 6).
 */
export function createRateLimiter(options: { readonly clock: Clock; readonly capacity?: number }): RateLimiter {
  const { clock, capacity = 50_000 } = options
  const table = createBucketTable(capacity)
  return {
    take(key, { rate, burst }) {
      if (isUnlimited(rate, burst)) return UNLIMITED
      const now = clock.now()
      const bucket = table.bucket(key, burst, now)
      const allowed = takeToken(bucket, rate, burst, now)
      return {
        allowed,
        rate,
        limit: burst,
        remaining: tokensLeft(bucket),
        resetSeconds: secondsToFull(bucket, rate, burst),
        retryAfterSeconds: allowed ? 0 : secondsToToken(bucket, rate),
      }
    },
  }
}
