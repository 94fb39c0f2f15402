export type Value = string | number | null | Uint8Array

/** Compiled when it first runs; the types are those of its SQL. */
export interface Statement<Row, Params extends readonly Value[]> {
  get(...params: Params): Row | null
  all(...params: Params): Row[]
  iterate(...params: Params): IterableIterator<Row>
  run(...params: Params): { changes: number; lastInsertRowid: number | bigint }
}
