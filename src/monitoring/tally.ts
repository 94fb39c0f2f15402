import type { SeriesLabels } from './exposition.ts'

/** The name of an application, by `application.number`; `null` where it is deleted. */
export type NameOf = (application: number) => string | null

/** What happened to each application how often since the start, by kind. */
export class Tally<Kind extends string> {
  readonly #kinds: readonly Kind[]
  readonly #label: string
  readonly #counts = new Map<number, Record<string, number>>()

  /** `label` is the name under which `kinds` are shown. */
  constructor(label: string, kinds: readonly Kind[]) {
    this.#label = label
    this.#kinds = kinds
  }

  note(application: number, kind: Kind): void {
    let counts = this.#counts.get(application)
    // All kinds at once: a series that begins above zero hides its first count from a rate.
    if (counts === undefined) {
      counts = Object.fromEntries(this.#kinds.map((each) => [each, 0]))
      this.#counts.set(application, counts)
    }
    counts[kind] = (counts[kind] ?? 0) + 1
  }

  series(nameOf: NameOf): [SeriesLabels, number][] {
    return [...this.#counts].flatMap(([number, counts]) => {
      const application = nameOf(number)
      if (application === null) return []
      return this.#kinds.map((kind): [SeriesLabels, number] => [
        { application, [this.#label]: kind },
        counts[kind] ?? 0,
      ])
    })
  }
}
