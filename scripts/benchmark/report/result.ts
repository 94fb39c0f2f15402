/** One part of the bench: a table, its targets, and notes. */
export interface Section {
  /** Such as `Send`. */
  readonly title: string
  /** One or two sentences: what was done, compared with what, how often. */
  readonly conditions: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  /** What could not be measured, and why. */
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
  /** `limit`: one that no sender reaches. Default: another sender. */
  readonly role?: 'service' | 'limit'
  /** One value for each round, by column key; a missing column was not measured. */
  readonly values: Readonly<Record<string, readonly number[]>>
}

/** A figure with a goal. */
export interface Target {
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly digits: number
  readonly better: 'more' | 'less'
  readonly required: number
  readonly aim: number
}
