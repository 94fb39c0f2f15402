import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import initial from '../../migrations/0001_initial.sql' with { type: 'text' }
import providerToken from '../../migrations/0002_provider_token.sql' with { type: 'text' }
import labelTrigger from '../../migrations/0003_label_trigger.sql' with { type: 'text' }
import pushLife from '../../migrations/0004_push_life.sql' with { type: 'text' }
import devicePlace from '../../migrations/0005_device_place.sql' with { type: 'text' }
import webhook from '../../migrations/0006_webhook.sql' with { type: 'text' }
import deviceMove from '../../migrations/0007_device_move.sql' with { type: 'text' }
import opened from '../../migrations/0008_opened.sql' with { type: 'text' }

/** In order; a number is never reused and a text never changed once released. */
export const MIGRATIONS: readonly { readonly number: number; readonly sql: string }[] = [
  { number: 1, sql: initial },
  { number: 2, sql: providerToken },
  { number: 3, sql: labelTrigger },
  { number: 4, sql: pushLife },
  { number: 5, sql: devicePlace },
  { number: 6, sql: webhook },
  { number: 7, sql: deviceMove },
  { number: 8, sql: opened },
]

export class NewerDatabase extends Error {
  override readonly name = 'NewerDatabase'
}

/**
 * Brings the database at `path` to this binary's schema. `PRAGMA user_version` holds the number of the last
 * migration applied. A database that holds data is copied to `<path>.before-<number>` first.
 */
export function migrate(connection: Database, path: string, migrations = MIGRATIONS): void {
  const latest = migrations.at(-1)?.number ?? 0
  if (versionOf(connection) === latest) return
  const before = versionOf(connection)
  if (before > latest) {
    throw new NewerDatabase(
      `The database ${path} was written by a newer Bellhop (schema ${before}; this one knows ${latest}). Use that version, or newer.`,
    )
  }
  const copy = `${path}.before-${latest}`
  if (before > 0 && !existsSync(copy)) connection.run('VACUUM INTO ?', [copy])
  for (const migration of migrations) apply(connection, migration)
}

function apply(connection: Database, migration: { readonly number: number; readonly sql: string }): void {
  connection
    .transaction(() => {
      // Whoever came second finds the work done.
      if (versionOf(connection) >= migration.number) return
      connection.run(migration.sql)
      connection.run(`PRAGMA user_version = ${migration.number}`)
    })
    .immediate()
}

function versionOf(connection: Database): number {
  return connection.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0
}
