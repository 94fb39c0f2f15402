const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS

export interface RetryPolicy {
  /** Milliseconds before the second attempt. */
  readonly firstMs: number
  /** The longest wait, in milliseconds. */
  readonly longestMs: number
}

/**
 * How long one recipient waits after a passing fault: half of it at the least. Google asks for 10 s or more
 * (firebase.google.com/docs/cloud-messaging/scale-fcm); Apple names no figure.
 */
export const RECIPIENT_RETRY: Readonly<Record<'apns' | 'fcm', RetryPolicy>> = {
  apns: { firstMs: 2 * SECOND_MS, longestMs: 30 * MINUTE_MS },
  fcm: { firstMs: 20 * SECOND_MS, longestMs: 30 * MINUTE_MS },
}

/** How long a whole credential waits: its gateway cannot be reached, or asked for a pause without saying how long. */
export const GATEWAY_RETRY: RetryPolicy = { firstMs: 1 * SECOND_MS, longestMs: 1 * MINUTE_MS }

/** How long a misconfigured credential waits before one notification is tried again, unless it is replaced before. */
export const MISCONFIGURED_RETRY: RetryPolicy = { firstMs: 30 * SECOND_MS, longestMs: 10 * MINUTE_MS }

/** How long a credential waits that was good and has only refused tokens now: another device may show it to be good. */
export const REFUSALS_RETRY: RetryPolicy = { firstMs: 2 * SECOND_MS, longestMs: 10 * MINUTE_MS }

/**
 * The longest wait that a start believes, in milliseconds: no backoff is longer, and a gateway that asks for more may be
 * asked once before. What else is longer was written down while the clock was ahead.
 */
export const LONGEST_WAIT_MS = 60 * MINUTE_MS

/**
 * Milliseconds to wait before attempt `attempt + 1`: doubling, and at random between half and the whole of that, so
 * that what failed together does not come back together. `random` is in [0, 1). A gateway's own wish (`askedMs`) is
 * a least, never shortened.
 */
export function backoffMs(policy: RetryPolicy, attempt: number, random: number, askedMs: number | null = null): number {
  const doubled = Math.min(policy.firstMs * 2 ** Math.min(Math.max(attempt - 1, 0), 30), policy.longestMs)
  const jittered = doubled * (0.5 + random / 2)
  return Math.round(askedMs === null ? jittered : Math.max(askedMs, 0) + (random * policy.firstMs) / 2)
}
