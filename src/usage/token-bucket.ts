/**
 * A token bucket that is refilled when it is looked at: `rate` tokens a second, never above `burst`; a call costs one
 * token (test/api/http/admission.test.ts). The state is changed in place, since every call of the API passes here.
 */
export interface TokenBucket {
  /** Thousandths of a token, so that whole rates and milliseconds add up without rounding. */
  level: number
  /** When `level` was right, in milliseconds since the Unix epoch. */
  at: number
}

/** Thousandths of a token that a call costs. */
const CALL = 1000

/** Thousandths of a token. A rate such as 1/3 adds up to 999.9999…, and must still be the token that was promised. */
const ROUNDING = 1e-6

/** A bucket that nobody has taken from. */
export function fullBucket(burst: number, now: number): TokenBucket {
  return { level: burst * CALL, at: now }
}

/** Whether these limits let everything through: 0 = unlimited, for either. */
export function isUnlimited(rate: number, burst: number): boolean {
  return rate <= 0 || burst <= 0
}

/**
 * Takes `count` tokens, or answers `false` and takes none. `rate` is in tokens a second, `burst` in tokens, `now` in
 * milliseconds. Other limits than at the last call hold for the whole time since then. With no limit nothing is taken.
 */
export function takeToken(bucket: TokenBucket, rate: number, burst: number, now: number, count = 1): boolean {
  if (isUnlimited(rate, burst)) return true
  // A clock that was put back gives nothing, and time counts from there: waiting for it to catch up could take hours.
  const elapsed = Math.max(0, now - bucket.at)
  bucket.level = Math.min(burst * CALL, bucket.level + elapsed * rate)
  bucket.at = now
  const cost = count * CALL
  if (bucket.level < cost - ROUNDING) return false
  bucket.level = Math.max(0, bucket.level - cost)
  return true
}

/** Gives back what was taken a moment ago. */
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
