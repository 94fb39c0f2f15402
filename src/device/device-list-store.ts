import type { Database } from '../database/database.ts'
import { DEVICE_COLUMNS, deviceOf, STATE } from './device-row.ts'
import type { DeviceRow } from './device-row.ts'
import { PLATFORMS } from '../platform.ts'
import type { Device, Platform } from './device.ts'
import { LABEL_KIND } from './index/label-index.ts'

/** What a page has of tokens, aliases and users, and of labels: of 500 devices with all their labels it could be 100 MB. */
const PAGE_CHARACTERS = 1024 * 1024

/** Registered devices with an id beyond `after`, which is 0 by default; of one user, or of all. */
interface DeviceRange {
  readonly after?: number
  readonly user?: string | undefined
}

interface LabelRow {
  readonly device: number
  readonly kind: number
  readonly name: string
}

/** The registry as a whole: long reads, on the connection that only reads. */
export function createDeviceList({ database }: { database: Pick<Database, 'statement' | 'reading'> }) {
  // A range of one index for each platform, merged: nothing is sorted, and what is not read costs nothing.
  const merged = (columns: string, range: string, index = 'device_reach') => {
    const rowsOf = (platform: Platform) =>
      `SELECT ${columns} FROM device INDEXED BY ${index}
       WHERE application = ?1 AND platform = ${platform} AND state = ${STATE.registered} AND ${range}`
    return `${PLATFORMS.map(rowsOf).join(' UNION ALL ')} ORDER BY id`
  }
  type PageRange = [application: number, after: number, limit: number, through: number]
  const page = database.reading<DeviceRow, PageRange>(`${merged(DEVICE_COLUMNS, 'id > ?2 AND id <= ?4')} LIMIT ?3`)
  const pageOfUser = database.reading<DeviceRow, [...PageRange, user: string]>(
    `${merged(DEVICE_COLUMNS, 'user = ?5 AND id > ?2 AND id <= ?4', 'device_by_user')} LIMIT ?3`,
  )
  type Skipped = [application: number, after: number, skipped: number]
  const idsFrom = database.reading<{ id: number }, Skipped>(`${merged('id', 'id > ?2')} LIMIT 2 OFFSET ?3`)
  const idsOfUser = database.reading<{ id: number }, [...Skipped, user: string]>(
    `${merged('id', 'user = ?4 AND id > ?2', 'device_by_user')} LIMIT 2 OFFSET ?3`,
  )
  // One after the other, in the order given: CROSS JOIN keeps SQLite from another.
  const labels = database.reading<LabelRow, [devices: string]>(
    `SELECT d.value AS device, l.kind, l.name
     FROM json_each(?) d
     CROSS JOIN device_label dl ON dl.device = d.value
     CROSS JOIN label l ON l.id = dl.label`,
  )

  /** As many of these devices as fit into a page, at least one, with their labels. */
  function fitting(rows: readonly DeviceRow[]): Device[] {
    const fit = rows.map((row) => ({ row, tag: [] as string[], active: [] as string[] }))
    const own = budget()
    const end = rows.findIndex((row, at) => own.exceeded(lengthOf(row)) && at > 0)
    if (end > 0) fit.length = end
    const named = budget()
    let at = 0
    for (const { device, kind, name } of labels.iterate(JSON.stringify(fit.map(({ row }) => row.id)))) {
      while (at < fit.length && fit[at]?.row.id !== device) at++
      if (named.exceeded(name.length) && at > 0) {
        fit.length = at
        break
      }
      fit[at]?.[kind === LABEL_KIND.tag ? 'tag' : 'active'].push(name)
    }
    return fit.map(({ row, tag, active }) => deviceOf(row, { tag: tag.sort(), active: active.sort() }))
  }

  return {
    /**
     * One page of the registered devices, in the order of their registration: those with an id beyond `after`, up to
     * `through`; with `user` those of that user. At most `limit`, and fewer where they are large; none only where there
     * are none.
     */
    list(
      application: number,
      { after = 0, through = Number.MAX_SAFE_INTEGER, limit, user }: DeviceRange & { through?: number; limit: number },
    ): Device[] {
      const range = [application, after, limit, through] as const
      return fitting(user === undefined ? page.all(...range) : pageOfUser.all(...range, user))
    },

    /** The id of the `limit`th registered device beyond `after`; `null` where none comes behind it. */
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
