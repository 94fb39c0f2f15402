/** One record of a file, as text. */
export interface Piece {
  /** On which it begins, from 1. */
  readonly line: number
  readonly text: string
  /** The key under which it stands in an object; `null`: it does not. */
  readonly key: string | null
  /** Where the next one may begin. */
  readonly next: FilePlace
  /** It has no end: its text is as far as it may go. */
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
  /** What is complete with these bytes, which follow those before. To be read to its end before the next call. */
  push(bytes: Uint8Array): Iterable<Piece>
  /** What is left when there are no more bytes. */
  end(): Iterable<Piece>
  /** Bytes that are held back, since what they begin is not complete. */
  pending(): number
}

export type Split = (start: FilePlace) => Splitter
