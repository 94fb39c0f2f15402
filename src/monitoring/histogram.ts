/** `observe` runs for every send, so it allocates nothing. */
export class Histogram {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  /** Inclusive upper bounds, ascending. */
  get bounds(): readonly number[] {
    return this.#bounds
  }

  /** Per bucket, not cumulative; the last is for values above all bounds. */
  get counts(): readonly number[] {
    return this.#counts
  }

  get sum(): number {
    return this.#sum
  }

  observe(value: number): void {
    const bounds = this.#bounds
    const counts = this.#counts
    let at = 0
    while (value > (bounds[at] ?? Number.POSITIVE_INFINITY)) at++
    counts[at] = (counts[at] ?? 0) + 1
    this.#sum += value
  }
}
