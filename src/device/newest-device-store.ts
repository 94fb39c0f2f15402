import type { Database } from '../database/database.ts'
import { PLATFORMS } from '../platform.ts'
import { registeredRows, STATE } from './device-row.ts'
import type { DeviceState, Platform } from './device.ts'
import { LABEL_KIND } from './index/label-index.ts'

export interface NewestQuery {
  readonly state: DeviceState
  readonly platform: Platform | null
  readonly tag: string | null
  readonly user: string | null
  readonly version: string | null
  /** `next` of the previous page; `null`: the first page. Other text lists nothing or starts over. */
  readonly before: string | null
  readonly limit: number
}

interface NewestPage {
  /** `device.id`. */
  readonly ids: readonly number[]
  /** `null`: the end. */
  readonly next: string | null
}

/** `at`: when the device left; 0 in a list by id. */
interface Candidate {
  readonly at: number
  readonly id: number
}

/** Devices that a page compares row by row, without an index. */
const MAX_LOOKED_AT = 5000

export type NewestDevices = ReturnType<typeof createNewestDevices>

/**
 * For operators, on the read-only connection. Newest first: registered devices by first registration, others by the
 * time they left.
 */
export function createNewestDevices({ database }: { database: Pick<Database, 'reading'> }) {
  const registeredOn = (platforms: readonly Platform[]) =>
    database.reading<Candidate, [application: number, before: number]>(
      `${registeredRows('0 AS at, id', 'id < ?2', { platforms, order: 'DESC' })} LIMIT ${MAX_LOOKED_AT}`,
    )
  const registered = registeredOn(PLATFORMS)
  const registeredOnOne = new Map(PLATFORMS.map((platform) => [platform, registeredOn([platform])]))
  const left = database.reading<Candidate, [at: number, before: number]>(
    `SELECT updated_at AS at, id FROM device INDEXED BY device_left
     WHERE state <> ${STATE.registered} AND updated_at <= ?1 AND (updated_at < ?1 OR id < ?2)
     ORDER BY updated_at DESC, id DESC LIMIT ${MAX_LOOKED_AT}`,
  )
  const tagged = database.reading<Candidate, [application: number, tag: string, before: number]>(
    `SELECT 0 AS at, x.device AS id FROM label l JOIN device_label x ON x.label = l.id
     WHERE l.application = ? AND l.kind = ${LABEL_KIND.tag} AND l.name = ? AND x.device < ?
     ORDER BY x.device DESC LIMIT ${MAX_LOOKED_AT}`,
  )
  const ofUser = database.reading<Candidate, [application: number, user: string, before: number]>(
    `SELECT 0 AS at, id FROM device INDEXED BY device_by_user WHERE application = ? AND user = ? AND id < ?
     ORDER BY id DESC LIMIT ${MAX_LOOKED_AT}`,
  )
  type Wanted = [
    candidates: string,
    application: number,
    state: number,
    platform: Platform | null,
    user: string | null,
    version: string | null,
    tag: string | null,
    limit: number,
  ]
  // CROSS JOIN makes SQLite keep the order of the candidates.
  const matching = database.reading<{ id: number }, Wanted>(
    `SELECT d.id FROM json_each(?1) c CROSS JOIN device d ON d.id = c.value
     WHERE d.application = ?2 AND d.state = ?3 AND (?4 IS NULL OR d.platform = ?4) AND (?5 IS NULL OR d.user = ?5)
       AND (?6 IS NULL OR d.app_version = ?6)
       AND (?7 IS NULL OR EXISTS (SELECT 1 FROM device_label x JOIN label l ON l.id = x.label
         WHERE x.device = d.id AND l.kind = ${LABEL_KIND.tag} AND l.name = ?7))
     LIMIT ?8`,
  )

  function candidates(application: number, { state, platform, tag, user, before }: NewestQuery): readonly Candidate[] {
    const { at, id } = positionOf(before)
    if (user !== null) return ofUser.all(application, user, id)
    if (tag !== null) return tagged.all(application, tag, id)
    if (state !== 'registered') return left.all(at, id)
    const statement = platform === null ? registered : (registeredOnOne.get(platform) ?? registered)
    return statement.all(application, id)
  }

  return {
    /** A short page is not the end: see `next`. */
    page(application: number, query: NewestQuery): NewestPage {
      const { state, platform, user, version, tag, limit } = query
      const looked = candidates(application, query)
      const given = JSON.stringify(looked.map(({ id }) => id))
      const ids = matching
        .all(given, application, STATE[state], platform, user, version, tag, limit)
        .map(({ id }) => id)
      const isFull = ids.length === limit
      const last = isFull ? looked.find(({ id }) => id === ids.at(-1)) : looked[MAX_LOOKED_AT - 1]
      return { ids, next: last === undefined ? null : nameOf(last) }
    },
  }
}

function positionOf(before: string | null): Candidate {
  const [, id = '', at = ''] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(before ?? '') ?? []
  const [none, all] = [0, Number.MAX_SAFE_INTEGER]
  if (id === '') return { at: all, id: all }
  return { at: at === '' ? none : Number(at), id: Number(id) }
}

function nameOf({ at, id }: Candidate): string {
  return at === 0 ? String(id) : `${id}-${at}`
}
