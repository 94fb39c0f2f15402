/** How often which value was seen, in fixed buckets. `observe` is on the path of every send: it allocates nothing. */
export class Histogram {
  /** Upper bounds, ascending, each included in its bucket. */
  readonly bounds: readonly number[]
  /** Of each bucket alone; one more than there are bounds, for what is above all of them. */
  readonly counts: number[]
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe(value: number): void {
    const { bounds, counts } = this
    let at = 0
    while (value > (bounds[at] ?? Number.POSITIVE_INFINITY)) at++
    counts[at] = (counts[at] ?? 0) + 1
    this.sum += value
  }
}
