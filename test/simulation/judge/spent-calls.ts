interface SpentCall {
  readonly day: string
  /** When it was asked for. */
  readonly quota: { readonly least: number; readonly most: number }
}

/** Calls of an application with a daily quota. */
export class SpentCalls {
  /** No refusal before `least`, no grant after `most`. They differ during a change. */
  #quota: { readonly least: number; readonly most: number }
  /** By day, in UTC. */
  readonly #days = new Map<string, { asked: number; granted: readonly number[] }>()

  constructor(quota: number) {
    this.#quota = { least: quota, most: quota }
  }

  /** The returned function: the quota has changed. */
  change(quota: number): () => void {
    const { least, most } = this.#quota
    this.#quota = { least: Math.min(least, quota), most: Math.max(most, quota) }
    return () => void (this.#quota = { least: quota, most: quota })
  }

  /** `now`: ms since the Unix epoch. */
  ask(now: number): SpentCall {
    const day = new Date(now).toISOString().slice(0, 10)
    const spent = this.#of(day)
    this.#days.set(day, { ...spent, asked: spent.asked + 1 })
    return { day, quota: this.#quota }
  }

  /** Returns what is wrong; `null`: nothing. `at`: `WorldClock.passedMs`. */
  answered({ day, quota }: SpentCall, isGranted: boolean, at: number): string | null {
    const spent = this.#of(day)
    const { asked, granted } = spent
    // It may have changed since.
    const least = Math.min(quota.least, this.#quota.least)
    const most = Math.max(quota.most, this.#quota.most)
    if (!isGranted) return asked > least ? null : `refused after ${asked} calls`
    this.#days.set(day, { ...spent, granted: [...granted, at] })
    return granted.length < most ? null : `granted after ${granted.length} others`
  }

  /** Grants after this time may be lost. */
  forget(after: number): void {
    for (const [day, { asked, granted }] of this.#days) {
      this.#days.set(day, { asked, granted: granted.filter((at) => at <= after) })
    }
  }

  #of(day: string) {
    return this.#days.get(day) ?? { asked: 0, granted: [] }
  }
}
