import { byteSize } from '../../text/byte-size.ts'
import { listed } from '../../text/format.ts'
import { failing, note, ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

/** Last migrations: of the database, and of this program. */
export function judgeSchema(found: number, known: number): Finding {
  if (found > known) {
    return failing(
      `A newer Bellhop has written the database (schema ${found}; this one knows ${known}).`,
      'Use that version, or newer; the files bellhop.db.before-… beside it are the database as it was before an upgrade.',
    )
  }
  if (found === known) return ok(`The database has the schema of this version (${found}).`)
  return warning(
    `The database has the schema ${found} of ${known}: it is upgraded at the next start, and a copy is kept.`,
    'Start this version, and nothing else is to be done.',
  )
}

export function judgeIntegrity(damage: readonly string[], full: boolean): Finding {
  if (damage.length === 0) {
    return ok(
      full ? 'The database and its indexes are whole.' : 'The database is whole (--full also looks into its indexes).',
    )
  }
  return failing(
    `The database is damaged: ${listed(damage.map(legible), 2)}.`,
    'Stop the server, keep a copy of the data directory, and put a backup back: bellhop help restore. Then check the disk and the memory of this machine.',
  )
}

/** `tables`: with rows whose parent is gone. */
export function judgeForeignKeys(tables: readonly string[]): Finding {
  if (tables.length === 0) return ok('Nothing in the database points nowhere.')
  return warning(
    `Rows of ${listed(tables)} belong to something that is not there.`,
    'Another program has written to the database: only Bellhop may. A backup from before that time has them whole.',
  )
}

/** The server empties it at 40 MB, lets it grow to 160 (`checkpointer.ts`), and keeps 64 (`database.ts`). */
const LONG_LOG_BYTES = 250_000_000

/** `log`: bytes of the file bellhop.db-wal; `null`: there is none. */
export function judgeLog(log: number | null): Finding {
  if (log === null || log === 0) return ok('The log of the database is empty.')
  if (log < LONG_LOG_BYTES) return ok(`The log of the database has ${byteSize(log)}.`)
  return warning(
    `The log of the database has grown to ${byteSize(log)}: something has been reading for so long that it cannot be emptied.`,
    'End backups and database browsers that hang; then restart the server, which empties it.',
  )
}

export function judgeFreePages(all: number, free: number): Finding {
  const share = all === 0 ? 0 : free / all
  const found = `The database has ${byteSize(all)}, of which ${byteSize(free)} are free for new rows`
  if (free < 100_000_000 || share < 0.5) return ok(`${found}.`)
  return note(`${found}.`, 'bellhop compact gives that room back, while the server is stopped.')
}

/** SQLite may quote the content of a row. */
function legible(line: string): string {
  return line
    .replaceAll(/[^\w .,:;()/-]/g, ' ')
    .slice(0, 120)
    .trim()
}
