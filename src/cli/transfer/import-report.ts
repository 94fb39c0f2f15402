import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs'

export interface ImportCounts {
  /** `imported` + `updated` + `unchanged` + `rejected` */
  readonly read: number
  readonly imported: number
  readonly updated: number
  readonly unchanged: number
  readonly rejected: number
  /** Unchanged, since they have newer data here. */
  readonly kept: number
  /** Imported or updated without some of their data. */
  readonly partial: number
  /** Imported for a user whose registration may adopt them. */
  readonly adoptable: number
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

export interface Reject {
  readonly line: number
  readonly field: string
  readonly reason: string
  /** Imported without this field. */
  readonly imported: boolean
  readonly row: unknown
}

/** Why `path` cannot be the list of rejected rows, which replaces an earlier one; `null`: it can. */
export function rejectsHindrance(path: string): string | null {
  const there = lstatSync(path, { throwIfNoEntry: false })
  if (there?.isDirectory() === true) return `--rejects: ${path} is a directory: name a file in it.`
  if (there?.isFile() !== true) return null
  const begin = Buffer.alloc(LIST_BEGIN.length)
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  const bytes = readSync(file, begin)
  closeSync(file)
  // A kill may have cut it off.
  if (LIST_BEGIN.startsWith(begin.toString('utf8', 0, bytes))) return null
  return `${path} exists, and is not a list of rejected rows: name another file with --rejects.`
}

/** Of each line. */
const LIST_BEGIN = '{"line":'

/** `keep`: bytes of an earlier part. */
export function openRejects(path: string, keep: number) {
  // An earlier import's file would be mistaken for this one's.
  if (keep === 0) rmSync(path, { force: true })
  let file: number | null = null
  let length = existsSync(path) ? keep : 0
  return {
    write(rejects: readonly Reject[]): void {
      if (rejects.length === 0) return
      if (file === null) {
        const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
        // Somebody else's file would be readable for them.
        const begin = length === 0 ? O_CREAT | O_EXCL : 0
        file = openSync(path, O_WRONLY | O_APPEND | O_NOFOLLOW | begin, 0o600)
        ftruncateSync(file, length)
      }
      const bytes = Buffer.from(rejects.map((reject) => `${JSON.stringify(reject)}\n`).join(''))
      for (let from = 0; from < bytes.length;) from += writeSync(file, bytes, from)
      length += bytes.length
    },
    bytes: (): number => length,
    [Symbol.dispose]() {
      if (file !== null) closeSync(file)
    },
  }
}
