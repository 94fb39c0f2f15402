import { MINUTE_MS, SECOND_MS } from '../clock.ts'
import { backoffMs } from '../network/backoff.ts'
import type { RetryPolicy } from '../network/backoff.ts'

/** How long a lane pauses whose gateway cannot be reached, or asks for a pause without saying how long. */
export const GATEWAY_RETRY: RetryPolicy = { firstMs: 1 * SECOND_MS, longestMs: 1 * MINUTE_MS }

/** How long a misconfigured credential waits before one notification is tried again, unless it is replaced. */
export const MISCONFIGURED_RETRY: RetryPolicy = { firstMs: 30 * SECOND_MS, longestMs: 10 * MINUTE_MS }

/** How long a device that was reached before waits until its refused token is tried again. */
export const TOKENS_RETRY: RetryPolicy = { firstMs: 2 * SECOND_MS, longestMs: 10 * MINUTE_MS }

interface FailedAttempt {
  /** Attempts so far, this one included. */
  readonly attempt: number
  readonly now: number
  /** The end of the time to live. */
  readonly expiresAt: number
  /** In [0, 1). */
  readonly random: number
  /** The gateway's own wish in ms, a lower bound; `null` if it gave none. */
  readonly askedMs: number | null
}

/**
 * When a failed attempt is repeated. If the backoff ends after the time to live, the last attempt comes half to a whole
 * least wait of `policy` before the end, so that no other fits in after it; if none fits in, at `expiresAt` or later.
 */
export function nextAttemptAt(policy: RetryPolicy, failed: FailedAttempt): number {
  const { attempt, now, expiresAt, random, askedMs } = failed
  const leastMs = backoffMs(policy, 1, 0)
  const lastAt = expiresAt - Math.round(leastMs * (1 - random / 2))
  const soonestAt = now + Math.max(leastMs, askedMs ?? 0)
  return Math.min(now + backoffMs(policy, attempt, random, askedMs), Math.max(soonestAt, lastAt))
}
