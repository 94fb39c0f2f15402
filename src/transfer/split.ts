/** One record of a file, as text. */
export interface Piece {
  /** The line on which the record begins, from 1. */
  readonly line: number
  readonly text: string
  /** The key under which the record stands in an object; `null`: in none. */
  readonly key: string | null
  /** Where the next record may begin. */
  readonly next: FilePlace
  /** The record has no end: its text is cut off at the limit. */
  readonly broken: boolean
}

/** Between two records. */
export interface FilePlace {
  /** In bytes of the file, unpacked. */
  readonly offset: number
  readonly line: number
  /** The containers that are open there, from outside: `{[`. */
  readonly stack: string
}

export const BEGINNING: FilePlace = { offset: 0, line: 1, stack: '' }

/** Takes a file apart, as it is read. */
export interface Splitter {
  /** The records complete with these bytes, which follow those before. To be read to the end before the next call. */
  push(bytes: Uint8Array): Iterable<Piece>
  /** What is left when there are no more bytes. */
  end(): Iterable<Piece>
  /** Bytes that are held back, since what they begin is not complete. */
  pending(): number
}

export type Split = (start: FilePlace) => Splitter
