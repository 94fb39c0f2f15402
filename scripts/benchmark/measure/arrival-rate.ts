/** How many requests had arrived by a moment. */
export interface Sample {
  /** Any epoch. */
  readonly atMs: number
  readonly requests: number
}

export interface Ramp {
  /** From `startMs` until requests come at nine tenths of `limit`; `null` if they never do. */
  readonly rampMs: number | null
  /** Requests a second from then on. */
  readonly steady: number | null
}

/** A rate is looked at over this many round trips, so that one burst of answers is not taken for full speed. */
const ROUND_TRIPS = 2

/**
 * When a sender had reached full speed, and how fast it was from then on. `samples` in order, up to the last arrival;
 * `limit` in requests a second.
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
