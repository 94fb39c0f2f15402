import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/database/database.ts'
import type { Database } from '../../src/database/database.ts'
import { layNewDatabase } from './new-database.ts'
import { temporaryDirectory } from './temporary-directory.ts'

interface TemporaryDatabase extends Disposable {
  readonly directory: string
  readonly database: Database
  /** Another opening of the same file, as another process has it. */
  openAgain(): Database
  /** Whether these bytes stand anywhere in the directory's files. */
  contains(bytes: string | Uint8Array): boolean
}

/** A database in a directory of its own; both are gone at the end of the scope. */
export function temporaryDatabase(): TemporaryDatabase {
  const own = temporaryDirectory('bellhop-test')
  const directory = own.path
  layNewDatabase(directory)
  const opened = [openDatabase(directory)]
  const [database] = opened as [Database]
  return {
    directory,
    database,
    openAgain() {
      const again = openDatabase(directory)
      opened.push(again)
      return again
    },
    contains: (bytes) => readdirSync(directory).some((name) => readFileSync(join(directory, name)).includes(bytes)),
    [Symbol.dispose]() {
      for (const each of opened.reverse()) each[Symbol.dispose]()
      own[Symbol.dispose]()
    },
  }
}
