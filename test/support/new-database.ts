import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/database/database.ts'
import { temporaryDirectory } from './temporary-directory.ts'

let bytes: Buffer | undefined

/**
 * Lays a database in which nobody has written anything into a directory that has none. Migrating one takes six times as
 * long as the copy: scripts/test.ts has one migrated for all files; a file that runs without it migrates its own.
 */
export function layNewDatabase(directory: string): void {
  const made = process.env['TEST_DATABASE']
  bytes ??= made === undefined ? migratedDatabase() : readFileSync(made)
  writeFileSync(join(directory, 'bellhop.db'), bytes, { mode: 0o600, flag: 'wx' })
}

/** The file that the migrations make of nothing. */
export function migratedDatabase(): Buffer {
  using directory = temporaryDirectory('bellhop-new')
  using database = openDatabase(directory.path)
  // All of it in the one file.
  database.statement('PRAGMA wal_checkpoint(TRUNCATE)').all()
  return readFileSync(join(directory.path, 'bellhop.db'))
}
