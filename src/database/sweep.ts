/**
 * Erases some of what is over its time, found along an index: 2 or 3 ms of work, in a transaction of the caller, for
 * nobody is to wait long for it. `now` in ms since the Unix epoch; `after` is 0 at first, then what the step before
 * returned. `null`: that was all. Each room sweeps its own tables.
 */
export type Sweep = (now: number, after: number) => number | null

/** Erases up to `limit` rows of an application, in a transaction of the caller; how many there were. */
export type EraseRows = (application: number, limit: number) => number
