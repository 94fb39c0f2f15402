import { Database } from 'bun:sqlite'
import { join } from 'node:path'

/** What is wrong with the database of a service that was stopped; nothing, when all is well. */
export function checkDatabase(data: string): readonly string[] {
  using database = new Database(join(data, 'bellhop.db'), { readonly: true })
  const findings: string[] = []
  const integrity = database.query('PRAGMA integrity_check').values().flat().join('; ')
  if (integrity !== 'ok') findings.push(`integrity_check: ${integrity}`)
  for (const [what, sql] of CHECKS) {
    const rows = database.query(sql).values().length
    if (rows > 0) findings.push(`${what}: ${rows}`)
  }
  return findings
}

/** Whether every delivery was written down as finished: that may come after its last page, when a disk was full. */
export function allFinished(data: string): boolean {
  using database = new Database(join(data, 'bellhop.db'), { readonly: true })
  return database.query(UNFINISHED).values().length === 0
}

const UNFINISHED = 'SELECT 1 FROM delivery WHERE finished_at IS NULL'

const CHECKS: readonly (readonly [what: string, sql: string])[] = [
  ['rows that refer to nothing', 'PRAGMA foreign_key_check'],
  ['deliveries that are not finished', UNFINISHED],
  ['recipients still to be sent to, or given up', 'SELECT 1 FROM push_exception'],
  [
    'deliveries whose counts do not agree',
    'SELECT 1 FROM delivery WHERE addressed IS NOT accepted OR settled <> addressed OR failed <> 0',
  ],
  [
    'analytics that are not the sum of the deliveries',
    'SELECT 1 WHERE (SELECT sum(t) FROM tally) IS NOT (SELECT sum(addressed) FROM delivery) OR (SELECT sum(s) FROM tally) IS NOT (SELECT sum(accepted) FROM delivery)',
  ],
]
