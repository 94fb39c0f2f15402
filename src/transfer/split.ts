export interface Piece {
  /** From 1. */
  readonly line: number
  readonly text: string
  /** `null`: the record is no member of an object. */
  readonly key: string | null
  /** Where the next record may begin. */
  readonly next: FilePlace
  /** The record never ends; `text` is its first line. */
  readonly broken: boolean
}

/** Between two records. */
export interface FilePlace {
  /** In bytes, unpacked. */
  readonly offset: number
  readonly line: number
  /** Open containers, outermost first: `{[`. */
  readonly stack: string
}

export const BEGINNING: FilePlace = { offset: 0, line: 1, stack: '' }

export interface Splitter {
  /** The records that these bytes complete. Read them all before the next call. */
  push(bytes: Uint8Array): Iterable<Piece>
  end(): Iterable<Piece>
  /** Bytes of the incomplete record. */
  pending(): number
}

export type Split = (start: FilePlace) => Splitter
