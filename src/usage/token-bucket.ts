/**
 * A token bucket, refilled when it is read: `rate` tokens a second, up to `burst`; a call costs one token
 * (test/api/http/admission.test.ts). Changed in place, since every call of the API passes here.
 */
export interface TokenBucket {
  /** Thousandths of a token: whole rates and milliseconds then need no rounding. */
  level: number
  /** When `level` was right, in milliseconds since the Unix epoch. */
  at: number
}

/** Thousandths of a token that a call costs. */
const CALL = 1000

/** Thousandths of a token: a rate of 1/3 adds up to 999.9999…, which has to count as a token. */
const ROUNDING = 1e-6

export function fullBucket(burst: number, now: number): TokenBucket {
  return { level: burst * CALL, at: now }
}

/** Whether these limits let everything through: 0 = unlimited, for either. */
export function isUnlimited(rate: number, burst: number): boolean {
  return rate <= 0 || burst <= 0
}

/**
 * Takes `count` tokens, or answers `false` and takes none. `rate` is in tokens a second, `burst` in tokens, `now` in
 * milliseconds. New limits hold for the whole time since the last call. Without a limit nothing is taken.
 */
export function takeToken(bucket: TokenBucket, rate: number, burst: number, now: number, count = 1): boolean {
  if (isUnlimited(rate, burst)) return true
  // After the clock is put back, time counts from there: catching up could take hours.
  const elapsed = Math.max(0, now - bucket.at)
  bucket.level = Math.min(burst * CALL, bucket.level + elapsed * rate)
  bucket.at = now
  const cost = count * CALL
  if (bucket.level < cost - ROUNDING) return false
  bucket.level = Math.max(0, bucket.level - cost)
  return true
}

export function returnToken(bucket: TokenBucket): void {
  bucket.level += CALL
}

/** Whole tokens left at the last call. */
export function tokensLeft(bucket: TokenBucket): number {
  return Math.floor((bucket.level + ROUNDING) / CALL)
}

/** Seconds from the last call until there are `count` tokens again, rounded up, at least 1 (RFC 9110, 10.2.3 Retry-After). */
export function secondsToToken(bucket: TokenBucket, rate: number, count = 1): number {
  return Math.max(1, secondsTo(count * CALL, bucket, rate))
}

/** Seconds from the last call until the bucket is full, rounded up; 0 = it is full (RateLimit-Reset). */
export function secondsToFull(bucket: TokenBucket, rate: number, burst: number): number {
  return Math.max(0, secondsTo(burst * CALL, bucket, rate))
}

function secondsTo(level: number, bucket: TokenBucket, rate: number): number {
  return Math.ceil((level - bucket.level - ROUNDING) / (rate * CALL))
}
