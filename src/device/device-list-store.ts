import type { Database } from '../database/database.ts'
import { DEVICE_COLUMNS, deviceOf, STATE } from './device-row.ts'
import type { DeviceRow } from './device-row.ts'
import type { Device } from './device.ts'
import { LABEL_KIND } from './label-index.ts'

interface LabelRow {
  readonly device: number
  readonly kind: number
  readonly name: string
}

/** The registry as a whole: long reads, on the connection that only reads. */
export function createDeviceList({ database }: { database: Pick<Database, 'statement' | 'reading'> }) {
  // Two ranges of the reach index, merged: nothing is sorted.
  const of = (platform: number) =>
    `SELECT ${DEVICE_COLUMNS} FROM device
     WHERE application = ?1 AND platform = ${platform} AND state = ${STATE.registered} AND id > ?2`
  const page = database.reading<DeviceRow, [application: number, after: number, limit: number]>(
    `${of(0)} UNION ALL ${of(1)} ORDER BY id LIMIT ?3`,
  )
  const labelsBetween = database.reading<LabelRow, [application: number, first: number, last: number]>(
    `SELECT d.id AS device, l.kind, l.name
     FROM device d INDEXED BY device_reach
     CROSS JOIN device_label dl ON dl.device = d.id
     CROSS JOIN label l ON l.id = dl.label
     WHERE d.application = ? AND d.platform IN (0, 1) AND d.state = ${STATE.registered} AND d.id BETWEEN ? AND ?`,
  )
  const counted = database.reading<{ count: number }, [application: number]>(
    `SELECT count(*) AS count FROM device
     WHERE application = ? AND platform IN (0, 1) AND state = ${STATE.registered}`,
  )
  const highest = database.statement<{ id: number | null }, []>('SELECT max(id) AS id FROM device')

  return {
    /** One page of the registered devices, in the order of their registration: those with an id beyond `after`. */
    list(application: number, { after = 0, limit }: { after?: number; limit: number }): Device[] {
      const rows = page.all(application, after, limit)
      const [first, last] = [rows[0], rows.at(-1)]
      if (first === undefined || last === undefined) return []
      const labels = new Map(rows.map(({ id }) => [id, { tag: [] as string[], active: [] as string[] }]))
      for (const { device, kind, name } of labelsBetween.all(application, first.id, last.id)) {
        const lists = labels.get(device)
        if (lists !== undefined) (kind === LABEL_KIND.tag ? lists.tag : lists.active).push(name)
      }
      return rows.map((row) => {
        const { tag = [], active = [] } = labels.get(row.id) ?? {}
        return deviceOf(row, { tag: tag.sort(), active: active.sort() })
      })
    },

    /** How many are registered. Reads the whole index of the application: for people, not for hot paths. */
    count: (application: number): number => counted.get(application)?.count ?? 0,

    /** The highest device id of the moment, over all applications; 0 when there is none. */
    highestId: (): number => highest.get()?.id ?? 0,
  }
}
