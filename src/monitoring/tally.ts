import type { Application } from '../application/application.ts'
import type { SeriesLabels } from './exposition.ts'

/** `null`: the application was deleted. */
export type NameOf = (application: number) => string | null

/** Skips rows of deleted applications. */
export function named<Row extends { readonly application: number }>(
  rows: readonly Row[],
  nameOf: NameOf,
): (Row & { readonly name: string })[] {
  return rows.flatMap((row) => {
    const name = nameOf(row.application)
    return name === null ? [] : [{ ...row, name }]
  })
}

export class Tally<Kind extends string> {
  readonly #kinds: readonly Kind[]
  readonly #label: string
  readonly #counts = new Map<number, Record<string, number>>()

  /** `label`: the series label that names the kind. */
  constructor(label: string, kinds: readonly Kind[]) {
    this.#label = label
    this.#kinds = kinds
  }

  note(application: number, kind: Kind): void {
    let counts = this.#counts.get(application)
    if (counts === undefined) this.#counts.set(application, (counts = {}))
    counts[kind] = (counts[kind] ?? 0) + 1
  }

  /** All kinds of all: a series that starts above zero hides its first count from `rate()`. */
  series(applications: readonly Pick<Application, 'number' | 'name'>[]): [SeriesLabels, number][] {
    return applications.flatMap(({ number, name: application }) => {
      const counts = this.#counts.get(number)
      return this.#kinds.map((kind): [SeriesLabels, number] => [
        { application, [this.#label]: kind },
        counts?.[kind] ?? 0,
      ])
    })
  }
}
