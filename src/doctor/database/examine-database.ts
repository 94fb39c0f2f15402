import { statSync } from 'node:fs'
import { join } from 'node:path'
import { NEWEST_SCHEMA } from '../../database/migration/migrations.ts'
import type { CheckList } from '../check-list.ts'
import type { DoctorContext } from '../context.ts'
import { skipped } from '../finding.ts'
import { judgeForeignKeys, judgeFreePages, judgeIntegrity, judgeLog, judgeSchema } from './database-check.ts'
import type { InspectedDatabase } from './inspected-database.ts'
import { checkSealingKey } from './sealing-key-check.ts'

interface Options {
  readonly data: string
  /** The sealing key of the settings; `null`: they have none. */
  readonly key: string | null
  /** Also hold indexes against their tables: ten times as long. */
  readonly full: boolean
  readonly watch: DoctorContext['watch']
}

/** The database itself; gives the key that opens what is sealed in it, `null` where there is none. */
export async function examineDatabase(
  inspected: InspectedDatabase,
  { data, key, full, watch }: Options,
  list: CheckList,
): Promise<Uint8Array | null> {
  const group = 'database'
  const { database, schema, inspection } = inspected
  await list.look({ id: 'database', group }, () => inspected.opened)
  if (database === null) return null
  if (inspected.opened.state === 'ok') {
    await list.look({ id: 'schema', group }, () => judgeSchema(schema, NEWEST_SCHEMA))
  }
  let opening: Uint8Array | null = null
  if (inspection !== null) {
    await list.look({ id: 'integrity', group }, () => {
      const step = { into: null, size: inspection.size().all }
      return judgeIntegrity(
        watch.during(step, () => inspection.damage(full)),
        full,
      )
    })
    await list.look({ id: 'foreign-keys', group }, () => judgeForeignKeys(inspection.orphans()))
    await list.look({ id: 'free-pages', group }, () => {
      const { all, free } = inspection.size()
      return judgeFreePages(all, free)
    })
    await list.look({ id: 'sealing-key', group }, () => {
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
  await list.look({ id: 'log', group }, () =>
    judgeLog(statSync(join(data, 'bellhop.db-wal'), { throwIfNoEntry: false })?.size ?? null),
  )
  return opening
}
