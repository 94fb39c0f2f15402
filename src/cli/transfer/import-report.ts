import { closeSync, constants, existsSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'

export interface ImportCounts {
  /** Devices: the sum of `imported`, `updated`, `unchanged` and `rejected`. */
  readonly read: number
  readonly imported: number
  readonly updated: number
  readonly unchanged: number
  readonly rejected: number
  /** Of the unchanged: devices that have told something newer here. */
  readonly kept: number
  /** Of the others: devices imported without some of their data. */
  readonly partial: number
  /** Of the imported: devices of a user, whose place a registration of that user may take. */
  readonly adoptable: number
  /** Entries of feedback and statistics, from an export of Bellhop. */
  readonly history: number
}

export const NO_COUNTS: ImportCounts = {
  read: 0,
  imported: 0,
  updated: 0,
  unchanged: 0,
  rejected: 0,
  kept: 0,
  partial: 0,
  adoptable: 0,
  history: 0,
}

/** A row that was not imported, or not as it stands. */
export interface Reject {
  readonly line: number
  readonly field: string
  readonly reason: string
  /** The device is there, without this field. */
  readonly imported: boolean
  readonly row: unknown
}

/** JSON Lines of what was not imported. No file is made before the first line. */
export interface RejectFile extends Disposable {
  write(rejects: readonly Reject[]): void
  bytes(): number
}

/** `keep`: bytes of the file that count; the rest is cut off. */
export function openRejects(path: string, keep: number): RejectFile {
  // One of an earlier import would be taken for one of this.
  if (keep === 0) rmSync(path, { force: true })
  let file: number | null = null
  let length = existsSync(path) ? keep : 0
  return {
    write(rejects) {
      if (rejects.length === 0) return
      if (file === null) {
        const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
        // Its own: what somebody has put there meanwhile would be theirs to read.
        const begin = length === 0 ? O_CREAT | O_EXCL : 0
        file = openSync(path, O_WRONLY | O_APPEND | O_NOFOLLOW | begin, 0o600)
        ftruncateSync(file, length)
      }
      const bytes = Buffer.from(rejects.map((reject) => `${JSON.stringify(reject)}\n`).join(''))
      for (let from = 0; from < bytes.length;) from += writeSync(file, bytes, from)
      length += bytes.length
    },
    bytes: () => length,
    [Symbol.dispose]() {
      if (file !== null) closeSync(file)
    },
  }
}
