/**
 * Refilled when read: `rate` tokens a second, up to `burst`; a call costs one.
 * Changed in place, since every call of the API passes here.
 */
export interface TokenBucket {
  /** Thousandths of a token: whole rates and milliseconds need no rounding. */
  level: number
  /** When `level` was right. */
  at: number
}

const CALL = 1000

/** A rate of 1/3 adds up to 999.9999…, which must count as a token. */
const ROUNDING = 1e-6

export function fullBucket(burst: number, now: number): TokenBucket {
  return { level: burst * CALL, at: now }
}

/** 0 = unlimited, for either. */
export function isUnlimited(rate: number, burst: number): boolean {
  return rate <= 0 || burst <= 0
}

/** Takes `count` tokens, or none and returns `false`. New limits hold for the whole time since the last call. */
export function takeToken(bucket: TokenBucket, rate: number, burst: number, now: number, count = 1): boolean {
  if (isUnlimited(rate, burst)) return true
  // After the clock is set back, time counts from there: catching up could take hours.
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

/** At the last call. */
export function tokensLeft(bucket: TokenBucket): number {
  return Math.floor((bucket.level + ROUNDING) / CALL)
}

/** Since the last call, rounded up, at least 1 (RFC 9110, 10.2.3 Retry-After). */
export function secondsToToken(bucket: TokenBucket, rate: number, count = 1): number {
  return Math.max(1, secondsTo(count * CALL, bucket, rate))
}

/** Since the last call, rounded up; 0 = full (RateLimit-Reset). */
export function secondsToFull(bucket: TokenBucket, rate: number, burst: number): number {
  return Math.max(0, secondsTo(burst * CALL, bucket, rate))
}

function secondsTo(level: number, bucket: TokenBucket, rate: number): number {
  return Math.ceil((level - bucket.level - ROUNDING) / (rate * CALL))
}
