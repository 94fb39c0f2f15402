import { Database } from 'bun:sqlite'
import { join } from 'node:path'

/** Problems of a stopped service's database. `owed`: recipients that failed or wait. */
export function checkDatabase(data: string, owed: number): readonly string[] {
  using database = new Database(join(data, 'bellhop.db'), { readonly: true })
  const findings: string[] = []
  const integrity = database.query('PRAGMA integrity_check').values().flat().join('; ')
  if (integrity !== 'ok') findings.push(`integrity_check: ${integrity}`)
  const { left } = database.query<{ left: number }, []>(OWED).get() ?? { left: 0 }
  if (left !== owed) findings.push(`recipients that wait, or were given up: ${left}, and it should be ${owed}`)
  for (const [what, sql] of CHECKS) {
    const rows = database.query(sql).values().length
    if (rows > 0) findings.push(`${what}: ${rows}`)
  }
  return findings
}

/**
 * Whether every delivery without open recipients is stored as finished. On a full disk that may come after the last
 * page.
 */
export function allFinished(data: string, mayWait = true): boolean {
  using database = new Database(join(data, 'bellhop.db'), { readonly: true })
  return database.query(mayWait ? UNFINISHED : OPEN).values().length === 0
}

/** Recipients of a delivery `d` that are due again. */
const WAITING = `(SELECT count(*) FROM push_exception e WHERE e.push = d.push AND e.platform = d.platform
  AND e.state NOT IN ('rejected', 'gone', 'expired'))`

/** Recipients that were asked, of a delivery `d` that its gateway refuses for everybody: the others fail unread. */
const ASKED = `(SELECT accepted + count(*) FROM push_exception e WHERE e.push = d.push AND e.platform = d.platform)`

const UNFINISHED = `SELECT 1 FROM delivery d WHERE finished_at IS NULL AND
  (${WAITING} = 0 OR addressed IS NOT accepted + failed + ${WAITING})`

const OPEN = 'SELECT 1 FROM delivery WHERE finished_at IS NULL'

const OWED = `SELECT coalesce(sum(failed + ${WAITING}), 0) AS left FROM delivery d`

const CHECKS: readonly (readonly [what: string, sql: string])[] = [
  ['rows that refer to nothing', 'PRAGMA foreign_key_check'],
  ['deliveries that are not finished', UNFINISHED],
  [
    'deliveries whose counts do not agree',
    `SELECT 1 FROM delivery d WHERE coalesce(addressed, 0) <> accepted + failed + ${WAITING}
       OR settled <> iif(refused IS NULL, addressed, ${ASKED})`,
  ],
  [
    'analytics that are not the sum of the deliveries',
    'SELECT 1 WHERE (SELECT sum(t) FROM tally) IS NOT (SELECT sum(addressed) FROM delivery) OR (SELECT sum(s) FROM tally) IS NOT (SELECT sum(accepted) FROM delivery)',
  ],
]
