/** What a part of the bench found out: a table, what of it there are targets for, and what a reader must know of it. */
export interface Section {
  /** Such as `Send`. */
  readonly title: string
  /** One or two sentences: what was done, against what, how often. */
  readonly conditions: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  /** What could not be measured here, and why. */
  readonly notes: readonly string[]
  readonly targets: readonly Target[]
}

export interface Column {
  readonly key: string
  /** With its unit: `pushes/s`, `CPU µs a push`, `peak RSS MB`. */
  readonly label: string
  readonly digits: number
}

export interface Row {
  readonly name: string
  /** How a picture shows it: the service itself, or a limit that no sender reaches. Default: something compared with. */
  readonly role?: 'service' | 'limit'
  /** One value a round, by column key; a column without a value here was not measured. */
  readonly values: Readonly<Record<string, readonly number[]>>
}

/** A figure that there is a goal for: what it must reach, and what it should. */
export interface Target {
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly digits: number
  readonly better: 'more' | 'less'
  readonly required: number
  readonly aim: number
}
