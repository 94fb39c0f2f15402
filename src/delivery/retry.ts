import { MINUTE_MS, SECOND_MS } from '../clock.ts'
import { backoffMs } from '../network/backoff.ts'
import type { RetryPolicy } from '../network/backoff.ts'

/** How long a whole credential waits: its gateway cannot be reached, or asked for a pause without saying how long. */
export const GATEWAY_RETRY: RetryPolicy = { firstMs: 1 * SECOND_MS, longestMs: 1 * MINUTE_MS }

/** How long a misconfigured credential waits before one notification is tried again, unless it is replaced before. */
export const MISCONFIGURED_RETRY: RetryPolicy = { firstMs: 30 * SECOND_MS, longestMs: 10 * MINUTE_MS }

/** How long a device waits that was sent to before, and whose token is refused now, before that is believed. */
export const TOKENS_RETRY: RetryPolicy = { firstMs: 2 * SECOND_MS, longestMs: 10 * MINUTE_MS }

interface FailedAttempt {
  /** Attempts so far, this one included. */
  readonly attempt: number
  readonly now: number
  /** The end of the time to live. */
  readonly expiresAt: number
  /** In [0, 1). */
  readonly random: number
  /** The gateway's own wish, in ms, which is never undercut; `null` if it gave none. */
  readonly askedMs: number | null
}

/**
 * When an attempt that failed is repeated. Where the backoff ends after the time to live, the last attempt is made just
 * before the end: between half the least wait of `policy` and the whole of it, so that no other fits in after it. At or
 * after `expiresAt` where none fits in at all.
 */
export function nextAttemptAt(policy: RetryPolicy, failed: FailedAttempt): number {
  const { attempt, now, expiresAt, random, askedMs } = failed
  const leastMs = backoffMs(policy, 1, 0)
  const lastAt = expiresAt - Math.round(leastMs * (1 - random / 2))
  const soonestAt = now + Math.max(leastMs, askedMs ?? 0)
  return Math.min(now + backoffMs(policy, attempt, random, askedMs), Math.max(soonestAt, lastAt))
}
