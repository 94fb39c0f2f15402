export interface RetryPolicy {
  /** Milliseconds before the second attempt. */
  readonly firstMs: number
  /** The longest wait. */
  readonly longestMs: number
}

/**
 * Milliseconds before attempt `attempt + 1`: doubles, times a jitter of 0.5 to 1, so that devices that failed together
 * don't retry together. `random` is in [0, 1). Never shorter than the gateway's `askedMs`.
 */
export function backoffMs(policy: RetryPolicy, attempt: number, random: number, askedMs: number | null = null): number {
  const doubled = Math.min(policy.firstMs * 2 ** Math.min(Math.max(attempt - 1, 0), 30), policy.longestMs)
  const jittered = doubled * (0.5 + random / 2)
  return Math.round(Math.max(jittered, (askedMs ?? 0) + (random * policy.firstMs) / 2))
}
