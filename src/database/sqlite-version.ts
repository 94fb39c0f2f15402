import { Database as Sqlite } from 'bun:sqlite'

/** Such as `3.53.3`: Bun's own SQLite, or on macOS the system's. */
export function sqliteVersion(): string {
  using memory = new Sqlite(':memory:')
  return memory.query<{ version: string }, []>('SELECT sqlite_version() AS version').get()?.version ?? 'unknown'
}
