import { logChanges } from '../database/change-log-store.ts'
import type { ChangeLog } from '../database/change-log-store.ts'
import type { Database } from '../database/database.ts'
import { EVENT_CODES } from './receipt.ts'

export interface Opens {
  readonly application: number
  /** UUID; `null`: the app named none. */
  readonly push: string | null
  readonly count: number
}

/** Opens that apps report, summed up by push: one with its waves. */
export function logOpens({ database }: { readonly database: Database }): ChangeLog<Opens> {
  const ofPush = { table: 'push_receipt', when: `new.event = ${EVENT_CODES.opened}` }
  const push = '(SELECT application FROM push WHERE number = new.push), new.push'
  return logChanges(
    database,
    'application, push, count',
    [
      { ...ofPush, on: 'insert', values: `${push}, new.count` },
      { ...ofPush, on: 'update', column: 'count', values: `${push}, new.count - old.count` },
      { table: 'tally', on: 'insert', when: 'new.o > 0', values: 'new.application, NULL, new.o' },
      { table: 'tally', on: 'update', column: 'o', values: 'new.application, NULL, new.o - old.o' },
    ],
    `SELECT w.application, w.id AS push, sum(c.count) AS count
     FROM changes c JOIN push p ON p.number = c.push JOIN push w ON w.number = coalesce(p.parent, p.number)
     GROUP BY w.number
     UNION ALL
     SELECT application, NULL, sum(iif(push IS NULL, count, -count)) AS unnamed
     FROM changes GROUP BY application HAVING unnamed > 0`,
  )
}
