/** What a parameter may be. */
export type Value = string | number | null | Uint8Array

/** A statement compiled once, when it is first run, with the shapes its SQL takes and gives. */
export interface Statement<Row, Params extends readonly Value[]> {
  get(...params: Params): Row | null
  all(...params: Params): Row[]
  iterate(...params: Params): IterableIterator<Row>
  run(...params: Params): { changes: number; lastInsertRowid: number | bigint }
}
