import type { Database } from '../database/database.ts'
import { DEVICE_COLUMNS, deviceOf, registeredRows } from './device-row.ts'
import type { DeviceRow } from './device-row.ts'
import type { Device } from './device.ts'
import { labelsIn } from './index/label-index.ts'
import type { LabelRow } from './index/label-index.ts'

/** For a page's own texts, and again for its labels: 500 devices with 200 labels could take 100 MB. */
const PAGE_CHARACTERS = 1024 * 1024

/** Ids after `after` (default 0), of one user (default all). */
interface DeviceRange {
  readonly after?: number
  readonly user?: string | undefined
}

const BY_USER = { index: 'device_by_user' } as const

export function createDeviceList({ database }: { database: Pick<Database, 'statement' | 'reading'> }) {
  type PageRange = [application: number, after: number, limit: number, through: number]
  const page = database.reading<DeviceRow, PageRange>(
    `${registeredRows(DEVICE_COLUMNS, 'id > ?2 AND id <= ?4')} LIMIT ?3`,
  )
  const pageOfUser = database.reading<DeviceRow, [...PageRange, user: string]>(
    `${registeredRows(DEVICE_COLUMNS, 'user = ?5 AND id > ?2 AND id <= ?4', BY_USER)} LIMIT ?3`,
  )
  type Skipped = [application: number, after: number, skipped: number]
  const idsFrom = database.reading<{ id: number }, Skipped>(`${registeredRows('id', 'id > ?2')} LIMIT 2 OFFSET ?3`)
  const idsOfUser = database.reading<{ id: number }, [...Skipped, user: string]>(
    `${registeredRows('id', 'user = ?4 AND id > ?2', BY_USER)} LIMIT 2 OFFSET ?3`,
  )
  // CROSS JOIN makes SQLite keep the order of the ids.
  const labels = database.reading<LabelRow & { readonly device: number }, [devices: string]>(
    `SELECT d.value AS device, l.kind, l.name
     FROM json_each(?) d
     CROSS JOIN device_label dl ON dl.device = d.value
     CROSS JOIN label l ON l.id = dl.label`,
  )

  function fitting(rows: readonly DeviceRow[]): Device[] {
    const fit = rows.map((row) => ({ row, labels: [] as LabelRow[] }))
    const own = budget()
    const end = rows.findIndex((row, at) => own.exceeded(lengthOf(row)) && at > 0)
    if (end > 0) fit.length = end
    const named = budget()
    let at = 0
    for (const { device, ...label } of labels.iterate(JSON.stringify(fit.map(({ row }) => row.id)))) {
      while (at < fit.length && fit[at]?.row.id !== device) at++
      if (named.exceeded(label.name.length) && at > 0) {
        fit.length = at
        break
      }
      fit[at]?.labels.push(label)
    }
    return fit.map(({ row, labels }) => deviceOf(row, labelsIn(labels)))
  }

  return {
    /** Oldest first, up to id `through`. Returns fewer than `limit` devices if they are large; none at the end. */
    list(
      application: number,
      { after = 0, through = Number.MAX_SAFE_INTEGER, limit, user }: DeviceRange & { through?: number; limit: number },
    ): Device[] {
      const range = [application, after, limit, through] as const
      return fitting(user === undefined ? page.all(...range) : pageOfUser.all(...range, user))
    },

    /** The id of the `limit`th device after `after`; `null`: no more follow. */
    endOfPage(application: number, limit: number, { after = 0, user }: DeviceRange): number | null {
      const range = [application, after, limit - 1] as const
      const [last, next] = user === undefined ? idsFrom.all(...range) : idsOfUser.all(...range, user)
      return next === undefined ? null : (last?.id ?? null)
    },
  }
}

function lengthOf({ token, alias, user }: DeviceRow): number {
  return token.length + (alias?.length ?? 0) + (user?.length ?? 0)
}

function budget() {
  let characters = 0
  return { exceeded: (more: number) => (characters += more) > PAGE_CHARACTERS }
}
