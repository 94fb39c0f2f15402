export interface Piece {
  /** The line on which the record begins, from 1. */
  readonly line: number
  readonly text: string
  /** The record's key, if records are members of an object; else `null`. */
  readonly key: string | null
  /** Where the next record may begin. */
  readonly next: FilePlace
  /** The record has no end: `text` is its first line. */
  readonly broken: boolean
}

/** Between two records. */
export interface FilePlace {
  /** In bytes of the file, unpacked. */
  readonly offset: number
  readonly line: number
  /** The open containers, outermost first: `{[`. */
  readonly stack: string
}

export const BEGINNING: FilePlace = { offset: 0, line: 1, stack: '' }

/** Splits a file as it is read. */
export interface Splitter {
  /** The records that these next bytes complete. To be read to the end before the next call. */
  push(bytes: Uint8Array): Iterable<Piece>
  /** The rest, at the end of the file. */
  end(): Iterable<Piece>
  /** Bytes of a record that is not complete yet. */
  pending(): number
}

export type Split = (start: FilePlace) => Splitter
