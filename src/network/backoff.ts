export interface RetryPolicy {
  /** Milliseconds before the second attempt. */
  readonly firstMs: number
  /** The longest wait, in milliseconds. */
  readonly longestMs: number
}

/**
 * Milliseconds to wait before attempt `attempt + 1`: doubling, with jitter between half and the whole of it, so that
 * devices that failed together don't retry together. `random` is in [0, 1). A gateway's own wish (`askedMs`) is never
 * shortened.
 */
export function backoffMs(policy: RetryPolicy, attempt: number, random: number, askedMs: number | null = null): number {
  const doubled = Math.min(policy.firstMs * 2 ** Math.min(Math.max(attempt - 1, 0), 30), policy.longestMs)
  const jittered = doubled * (0.5 + random / 2)
  return Math.round(askedMs === null ? jittered : Math.max(askedMs, 0) + (random * policy.firstMs) / 2)
}
