/** The calls of an application with a quota of so many a day, as they were asked for and granted. */
export class SpentCalls {
  readonly #quota: number
  /** By day, in UTC. */
  readonly #days = new Map<string, { asked: number; granted: readonly number[] }>()

  constructor(quota: number) {
    this.#quota = quota
  }

  /** One is asked for; `now`: ms since the Unix epoch. Returns the day that it counts for. */
  ask(now: number): string {
    const day = new Date(now).toISOString().slice(0, 10)
    const spent = this.#of(day)
    this.#days.set(day, { ...spent, asked: spent.asked + 1 })
    return day
  }

  /** One was granted, or refused; `at`: `WorldClock.passedMs`. Gives what is wrong with that; `null`: nothing. */
  answered(day: string, isGranted: boolean, at: number): string | null {
    const spent = this.#of(day)
    const { asked, granted } = spent
    if (!isGranted) return asked > this.#quota ? null : `refused after ${asked} calls`
    this.#days.set(day, { ...spent, granted: [...granted, at] })
    return granted.length < this.#quota ? null : `granted after ${granted.length} others`
  }

  /** What was granted after this moment may be forgotten. */
  forget(after: number): void {
    for (const [day, { asked, granted }] of this.#days) {
      this.#days.set(day, { asked, granted: granted.filter((at) => at <= after) })
    }
  }

  #of(day: string) {
    return this.#days.get(day) ?? { asked: 0, granted: [] }
  }
}
