import { Database as Sqlite } from 'bun:sqlite'

/** Such as `3.53.3`: the SQLite inside Bun, or on macOS that of the system, which Bun uses there. */
export function sqliteVersion(): string {
  using memory = new Sqlite(':memory:')
  return memory.query<{ version: string }, []>('SELECT sqlite_version() AS version').get()?.version ?? 'unknown'
}
