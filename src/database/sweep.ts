/**
 * Erases some expired rows, found along an index: 2 or 3 ms of work, so that nobody waits long. `after` is 0 at first,
 * then the result of the previous step. `null`: done. Each room sweeps its own tables.
 */
export type Sweep = (now: number, after: number) => number | null

/** Erases up to `limit` rows; returns how many. */
export type EraseRows = (application: number, limit: number) => number
