import { statSync } from 'node:fs'
import { join } from 'node:path'
import { NEWEST_SCHEMA } from '../../database/migration/migrations.ts'
import type { DoctorContext } from '../context.ts'
import { skipped } from '../finding.ts'
import type { CheckList, Finding } from '../finding.ts'
import {
  judgeAlerts,
  judgeForeignKeys,
  judgeFreePages,
  judgeIntegrity,
  judgeLog,
  judgeSchema,
} from './database-check.ts'
import type { InspectedDatabase } from './inspected-database.ts'
import { checkSealingKey } from './sealing-key-check.ts'

interface Options {
  readonly data: string
  /** The sealing key in the settings, if any. */
  readonly key: string | null
  /** Also compare indexes with their tables, which takes ten times as long. */
  readonly full: boolean
  readonly watch: DoctorContext['watch']
}

/** Returns the key that opens the database's seals, if there is one. */
export async function examineDatabase(
  inspected: InspectedDatabase,
  { data, key, full, watch }: Options,
  list: CheckList,
): Promise<Uint8Array | null> {
  const look = (id: string, check: () => Finding) => list.look({ id, group: 'database' }, check)
  const { database, schema, inspection } = inspected
  await look('database', () => inspected.opened)
  if (database === null) return null
  if (inspected.opened.state === 'ok') {
    await look('schema', () => judgeSchema(schema, NEWEST_SCHEMA))
  }
  let opening: Uint8Array | null = null
  if (inspection !== null) {
    await look('integrity', () => {
      const step = { into: null, size: inspection.size().all }
      return judgeIntegrity(
        watch.during(step, () => inspection.damage(full)),
        full,
      )
    })
    await look('foreign-keys', () => judgeForeignKeys(inspection.orphans()))
    await look('free-pages', () => {
      const { all, free } = inspection.size()
      return judgeFreePages(all, free)
    })
    const alerts = inspection.alerts()
    if (alerts !== null) await look('alerts', () => judgeAlerts(alerts))
    await look('sealing-key', () => {
      try {
        const checked = checkSealingKey(database, schema, data, key)
        opening = checked.key
        return checked.finding
      } catch (error) {
        if (schema === NEWEST_SCHEMA) throw error
        return skipped('The sealing key is looked at when the database is upgraded: its tables are older ones.')
      }
    })
  }
  await look('log', () => judgeLog(statSync(join(data, 'bellhop.db-wal'), { throwIfNoEntry: false })?.size ?? null))
  return opening
}
