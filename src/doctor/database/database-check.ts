import type { Alert } from '../../alert/alert.ts'
import { byteSize } from '../../text/byte-size.ts'
import { counted, listed } from '../../text/format.ts'
import { failing, note, ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

/** Numbers of the last migration: in the database, and in this program. */
export function judgeSchema(found: number, known: number): Finding {
  if (found > known) {
    return failing(
      `A newer Bellhop has written the database (schema ${found}; this one knows ${known}).`,
      'Use that version, or newer; the files bellhop.db.before-… beside it are copies from before an upgrade.',
    )
  }
  if (found === known) return ok(`The database has the schema of this version (${found}).`)
  return warning(
    `The database has the schema ${found} of ${known}: it is upgraded at the next start, and a copy is kept.`,
    'Start this version; nothing else is needed.',
  )
}

export function judgeIntegrity(damage: readonly string[], full: boolean): Finding {
  if (damage.length === 0) {
    return ok(
      full ? 'The database and its indexes are intact.' : 'The database is intact (--full also checks its indexes).',
    )
  }
  return failing(
    `The database is damaged: ${listed(damage.map(legible), 2)}.`,
    'Stop the server, keep a copy of the data directory, and restore a backup: bellhop help restore. Then check the disk and the memory of this machine.',
  )
}

/** `tables`: those with rows whose parent is missing. */
export function judgeForeignKeys(tables: readonly string[]): Finding {
  if (tables.length === 0) return ok('The database has no dangling references.')
  return warning(
    `Rows of ${listed(tables)} belong to something that is not there.`,
    'Another program wrote to the database, which only Bellhop may do. Restore a backup from before that time.',
  )
}

/** The server empties it at 40 MB, lets it grow to 160 MB (`checkpointer.ts`), and keeps 64 MB (`database.ts`). */
const LONG_LOG_BYTES = 250_000_000

/** `log`: size of bellhop.db-wal in bytes; `null`: no such file. */
export function judgeLog(log: number | null): Finding {
  if (log === null || log === 0) return ok('The WAL file is empty.')
  if (log < LONG_LOG_BYTES) return ok(`The WAL file has ${byteSize(log)}.`)
  return warning(
    `The WAL file has grown to ${byteSize(log)}: a long-running reader keeps it from being truncated.`,
    'End backups and database browsers that hang; then restart the server, which empties it.',
  )
}

export function judgeFreePages(all: number, free: number): Finding {
  const share = all === 0 ? 0 : free / all
  const found = `The database has ${byteSize(all)}, of which ${byteSize(free)} are free for new rows`
  if (free < 100_000_000 || share < 0.5) return ok(`${found}.`)
  return note(`${found}.`, 'bellhop compact releases that space while the server is stopped.')
}

export function judgeAlerts(alerts: readonly Pick<Alert, 'name' | 'problem'>[]): Finding {
  const failed = alerts.find(({ problem }) => problem !== null)
  if (failed !== undefined) {
    return warning(
      `A message of the alert ${failed.name} was not taken: ${failed.problem}.`,
      `Try it when that is fixed: bellhop alert test ${failed.name}.`,
    )
  }
  if (alerts.length > 0) return ok(`${counted(alerts.length, 'alert is', 'alerts are')} set. No message has failed.`)
  return note(
    'No alert is set.',
    'bellhop alert add tells you when something is wrong. Ignore this if monitoring does.',
  )
}

/** SQLite may quote the content of a row. */
function legible(line: string): string {
  return line
    .replaceAll(/[^\w .,:;()/-]/g, ' ')
    .slice(0, 120)
    .trim()
}
