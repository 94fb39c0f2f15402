import type { Database } from '../database/database.ts'
import type { StoredRow, leftDevice } from '../database/schema.ts'
import { LABEL_KIND } from './index/label-index.ts'
import type { DeviceLabels } from './index/label-index.ts'
import { storedJson } from '../database/damage.ts'

export interface Kept {
  readonly alias: string | null
  readonly labels: DeviceLabels
}

type LeftRow = Pick<StoredRow<typeof leftDevice>, 'alias' | 'labels'>

export type LeftDeviceStore = ReturnType<typeof createLeftDeviceStore>

/**
 * Labels and alias of gone devices, for a restore. Here they slow down no audience, and the alias is free. Stores
 * names, because unused labels are erased. Triggers erase the row when the device registers or is erased.
 */
export function createLeftDeviceStore({ database }: { database: Pick<Database, 'statement'> }) {
  const named = (kind: number) => `json(json_group_array(l.name) FILTER (WHERE l.kind = ${kind}))`
  const keep = database.statement<LeftRow, [device: number]>(
    `INSERT INTO left_device (device, alias, labels)
     SELECT d.id, d.alias, (
       SELECT json_object('tag', ${named(LABEL_KIND.tag)}, 'active', ${named(LABEL_KIND.type)})
       FROM device_label dl CROSS JOIN label l ON l.id = dl.label WHERE dl.device = d.id)
     FROM device d WHERE d.id = ?
     ON CONFLICT DO UPDATE SET alias = coalesce(excluded.alias, alias), labels = excluded.labels
     RETURNING alias, labels`,
  )
  const dropLabels = database.statement<never, [device: number]>('DELETE FROM device_label WHERE device = ?')
  const dropAlias = database.statement<never, [device: number]>('UPDATE device SET alias = NULL WHERE id = ?')
  const keepAlias = database.statement<never, [device: number]>(
    `INSERT INTO left_device (device, alias, labels) SELECT id, alias, '${NO_LABELS_STORED}' FROM device WHERE id = ?
     ON CONFLICT DO UPDATE SET alias = excluded.alias`,
  )
  const find = database.statement<LeftRow, [device: number]>('SELECT alias, labels FROM left_device WHERE device = ?')

  return {
    keep(device: number): void {
      const kept = keep.get(device)
      if (kept === null) return
      if (kept.labels !== NO_LABELS_STORED) dropLabels.run(device)
      if (kept.alias !== null) dropAlias.run(device)
    },

    /** Another device takes the alias of one that is not registered. */
    keepAlias(device: number): void {
      keepAlias.run(device)
      dropAlias.run(device)
    },

    /** `null`: the device left before Bellhop kept this. */
    find(device: number): Kept | null {
      const row = find.get(device)
      return row && { alias: row.alias, labels: storedJson(row.labels) as DeviceLabels }
    },
  }
}

/** As SQLite writes it. */
const NO_LABELS_STORED = '{"tag":[],"active":[]}'
