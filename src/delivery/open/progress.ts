/** Device ids, both ends included. */
export type Range = readonly [from: number, to: number]

/** Settled device ids of a delivery: all up to `upTo`, and the `ahead` ranges beyond it, in order, apart. */
export interface Progress {
  readonly upTo: number
  readonly ahead: readonly Range[]
}

/** Adds a settled range. Pages settle in any order; the lowest open one holds `upTo` back. */
export function settleRange(progress: Progress, range: Range): Progress {
  const merged: Range[] = []
  let [from, to] = range
  for (const other of progress.ahead) {
    if (other[1] < from - 1 || other[0] > to + 1) merged.push(other)
    else {
      from = Math.min(from, other[0])
      to = Math.max(to, other[1])
    }
  }
  if (from <= progress.upTo + 1) return { upTo: Math.max(progress.upTo, to), ahead: merged }
  return { upTo: progress.upTo, ahead: [...merged, [from, to] as const].sort((a, b) => a[0] - b[0]) }
}

export function nextGap(progress: Progress, cursor: number, ceiling: number): Range | null {
  let from = Math.max(cursor, progress.upTo) + 1
  for (const [start, end] of progress.ahead) {
    if (from < start) return from > ceiling ? null : [from, Math.min(start - 1, ceiling)]
    if (from <= end) from = end + 1
  }
  return from > ceiling ? null : [from, ceiling]
}
