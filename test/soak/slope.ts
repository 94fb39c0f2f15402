/** `at`: any unit of time. */
export interface Point {
  readonly at: number
  readonly value: number
}

/** Growth per unit of `at`. */
export interface Slope {
  /** Theil and Sen: the median slope of all pairs. Tolerates a third of wild values. */
  readonly median: number
  /** 95 % confidence (Sen 1968, by the variance of Kendall's S with ties). */
  readonly least: number
  readonly most: number
  /** Median of the values. */
  readonly level: number
}

/** Standard normal distribution, 2.5 % on either side. */
const Z_95 = 1.96

/** `null`: fewer than three points, or all at one time. */
export function slopeOf(points: readonly Point[]): Slope | null {
  const slopes: number[] = []
  for (const [n, { at, value }] of points.entries()) {
    for (const later of points.slice(n + 1)) {
      if (later.at !== at) slopes.push((later.value - value) / (later.at - at))
    }
  }
  if (points.length < 3 || slopes.length === 0) return null
  slopes.sort((a, b) => a - b)
  const spread = Z_95 * Math.sqrt(kendallVariance(points))
  const last = slopes.length - 1
  const lowest = Math.max(0, Math.floor((slopes.length - spread) / 2))
  const highest = Math.min(last, Math.ceil((slopes.length + spread) / 2))
  return {
    median: medianOfSorted(slopes),
    least: slopes[lowest] ?? Number.NaN,
    most: slopes[highest] ?? Number.NaN,
    level: medianOf(points.map(({ value }) => value)),
  }
}

/**
 * At most `count` points, the medians of equal shares of the time. Dependent neighbours, such as the memory before and
 * after a collection, would count as too much evidence.
 */
export function inBins(points: readonly Point[], count: number): readonly Point[] {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return []
  const width = (last.at - first.at) / count
  if (width === 0) return [first]
  const bins = Map.groupBy(points, ({ at }) => Math.min(count - 1, Math.floor((at - first.at) / width)))
  return Array.from(bins.values(), (inside) => ({
    at: medianOf(inside.map(({ at }) => at)),
    value: medianOf(inside.map(({ value }) => value)),
  }))
}

/** Whether values grow with 95 % confidence, and by more than `share` of their level over the time `watched`. */
export function grows(slope: Slope, watched: number, share: number): boolean {
  return slope.least > 0 && slope.least * watched > share * Math.abs(slope.level)
}

/** Of Kendall's S. Ties reduce it (Kendall 1955, as Sen uses it). */
function kendallVariance(points: readonly Point[]): number {
  const term = (n: number) => n * (n - 1) * (2 * n + 5)
  const ties = Map.groupBy(points, ({ value }) => value)
  const tied = Array.from(ties.values(), (equal) => term(equal.length)).reduce((sum, each) => sum + each, 0)
  return (term(points.length) - tied) / 18
}

function medianOf(values: readonly number[]): number {
  return medianOfSorted(values.toSorted((a, b) => a - b))
}

function medianOfSorted(sorted: readonly number[]): number {
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]]
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2
}
