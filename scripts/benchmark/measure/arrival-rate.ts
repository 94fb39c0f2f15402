/** Number of requests that had arrived at a time. */
export interface Sample {
  /** Any epoch. */
  readonly atMs: number
  readonly requests: number
}

export interface Ramp {
  /** From `startMs` until requests arrive at nine tenths of `limit`, if they ever do. */
  readonly rampMs: number | null
  /** Requests a second from then on. */
  readonly steady: number | null
}

/** Rates are averaged over this many round trips, so that a burst of answers does not count as full speed. */
const ROUND_TRIPS = 2

/**
 * When a sender reached full speed, and its speed from then on. `samples`: in order, up to the last arrival. `limit`:
 * requests a second.
 */
export function rampOf(
  samples: readonly Sample[],
  { startMs, limit, roundTripMs }: { startMs: number; limit: number; roundTripMs: number },
): Ramp {
  const last = samples.at(-1)
  for (const [index, from] of samples.entries()) {
    const to = samples.slice(index).find(({ atMs }) => atMs - from.atMs >= roundTripMs * ROUND_TRIPS)
    if (last === undefined || to === undefined) break
    if (rate(from, to) >= limit * 0.9) return { rampMs: from.atMs - startMs, steady: rate(from, last) }
  }
  return { rampMs: null, steady: null }
}

function rate(from: Sample, to: Sample): number {
  return ((to.requests - from.requests) * 1000) / (to.atMs - from.atMs)
}
