import type { Clock } from '../clock.ts'
import { SITE_SHARE } from '../network/address.ts'
import { createBucketTable } from './bucket-table.ts'
import { isUnlimited, returnToken, secondsToFull, secondsToToken, takeToken, tokensLeft } from './token-bucket.ts'

interface Limits {
  /** 0 = unlimited. */
  readonly rate: number
  /** 0 = unlimited. */
  readonly burst: number
}

export interface RateVerdict {
  readonly allowed: boolean
  /** A second; 0 = unlimited. */
  readonly rate: number
  /** 0 = unlimited: the numbers below mean nothing then. */
  readonly limit: number
  readonly remaining: number
  /** Until the bucket is full, rounded up. */
  readonly resetSeconds: number
  /** Rounded up, at least 1; 0 if this call was allowed. */
  readonly retryAfterSeconds: number
}

const UNLIMITED: RateVerdict = {
  allowed: true,
  rate: 0,
  limit: 0,
  remaining: 0,
  resetSeconds: 0,
  retryAfterSeconds: 0,
}

/**
 * One bucket for each key (see `userKey`). Beyond `capacity` keys (default 50,000, about 10 MB) the least recently used
 * is forgotten, which at worst gives its user a full bucket.
 */
export function createRateLimiter(options: { readonly clock: Clock; readonly capacity?: number }) {
  const { clock, capacity = 50_000 } = options
  const table = createBucketTable(capacity)

  function takeFrom(key: string, { rate, burst }: Limits, now: number) {
    const bucket = table.bucket(key, burst, now)
    const allowed = takeToken(bucket, rate, burst, now)
    const verdict: RateVerdict = {
      allowed,
      rate,
      limit: burst,
      remaining: tokensLeft(bucket),
      resetSeconds: secondsToFull(bucket, rate, burst),
      retryAfterSeconds: allowed ? 0 : secondsToToken(bucket, rate),
    }
    return { bucket, verdict }
  }

  return {
    /** Limits may differ from call to call. Keys of a `site` share a second bucket, `SITE_SHARE` times as large. */
    take(key: string, limits: Limits, site: string | null = null): RateVerdict {
      if (isUnlimited(limits.rate, limits.burst)) return UNLIMITED
      const now = clock.now()
      if (site === null) return takeFrom(key, limits, now).verdict
      const whole = takeFrom(site, { rate: limits.rate * SITE_SHARE, burst: limits.burst * SITE_SHARE }, now)
      if (!whole.verdict.allowed) return whole.verdict
      const { verdict } = takeFrom(key, limits, now)
      if (!verdict.allowed) returnToken(whole.bucket)
      return verdict
    },
  }
}
