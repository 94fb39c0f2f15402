import { ELSEWHERE } from '../../application/elsewhere.ts'
import type { Audience } from '../../audience/filter.ts'
import { audienceFrom } from '../../audience/stored-audience.ts'
import type { WaveAudience } from '../../audience/stored-audience.ts'
import type { Database } from '../../database/database.ts'
import type { StoredRow, push as pushTable } from '../../database/schema.ts'
import { createNewDeliveryStore } from '../../delivery/store/new-delivery-store.ts'
import { CEILING } from '../../device/device-row.ts'
import { hasPassed, waveIn } from './local-time.ts'
import type { Zone } from './local-time.ts'
import { storedJson } from '../../database/damage.ts'
import { WALL_AHEAD } from '../../time/service-time-store.ts'

interface Released {
  readonly push: number
  readonly application: number
}

interface DueRow extends Released {
  audience: string
  parent: number | null
  send_at: number
}

type ParentRow = Pick<StoredRow<typeof pushTable>, 'audience' | 'created_at' | 'released_at'>

/** By one of two clocks: ms since the Unix epoch, or of service time. */
export interface DueBy {
  readonly wall: number
  readonly service: number
}

const WAITS = `released_at IS NULL AND cancelled_at IS NULL AND application NOT IN ${ELSEWHERE}`

/** Implies the condition of the index `push_scheduled`. */
const SCHEDULED = `${WAITS} AND send_at IS NOT NULL AND held_until IS NULL`

/** Implies the condition of the index `push_held`. */
const HELD = `${WAITS} AND held_until IS NOT NULL`

export type ScheduleStore = ReturnType<typeof createScheduleStore>

/** Pushes that wait for their time or the end of a hold. */
export function createScheduleStore({ database }: { database: Pick<Database, 'statement'> }) {
  const deliveries = createNewDeliveryStore({ database })
  const next = database.statement<{ [By in keyof DueBy]: number | null }, []>(
    `SELECT (SELECT send_at FROM push WHERE ${SCHEDULED} ORDER BY send_at LIMIT 1) AS wall,
       (SELECT min(held_until) FROM push WHERE ${HELD}) AS service`,
  )
  const due = database.statement<DueRow, [number, number]>(
    `SELECT number AS push, application, audience, parent, send_at FROM push
     WHERE ${SCHEDULED} AND send_at <= ? ORDER BY send_at, number LIMIT ?`,
  )
  const heldNoMore = database.statement<DueRow, [number, number]>(
    `SELECT number AS push, application, audience, parent, send_at FROM push WHERE ${HELD} AND held_until <= ?
     ORDER BY held_until, number LIMIT ?`,
  )
  const parentOf = database.statement<ParentRow, [number]>(
    'SELECT audience, created_at, released_at FROM push WHERE number = ?',
  )
  const wavesOf = database.statement<{ send_at: number }, [number]>(
    'SELECT send_at FROM push WHERE parent = ? ORDER BY send_at',
  )
  const release = database.statement<{ expires_at: number }, [number, string, number]>(
    `UPDATE push SET released_at = ?1, audience = ?2, ceiling = ${CEILING}, expires_at = ?1 + expires_at - send_at
     WHERE number = ?3 RETURNING expires_at`,
  )

  // One index lookup per zone, however many devices.
  const zones = database.statement<{ zone: string }, [number]>(
    `WITH RECURSIVE known (zone) AS (
       SELECT min(timezone) FROM device WHERE application = ?1 AND timezone IS NOT NULL
       UNION ALL
       SELECT (SELECT min(timezone) FROM device WHERE application = ?1 AND timezone > zone) FROM known
       WHERE zone IS NOT NULL)
     SELECT zone FROM known WHERE zone IS NOT NULL`,
  )

  /** `null`: devices without a known zone. */
  const zonesOf = (application: number): Zone[] => [null, ...zones.all(application).map(({ zone }) => zone)]

  /** What narrows the push's filter for one wave; `null`: nobody is left. */
  function waveOf({ application, send_at: wave }: DueRow, parent: number, now: number): WaveAudience | null {
    const row = parentOf.get(parent)
    const audience = row && (storedJson(row.audience) as Audience)
    if (!row || !audience || !('filter' in audience) || audience.local === undefined) return null
    const { filter, local, letGoAt } = audience
    const waves = wavesOf.all(parent).map(({ send_at: at }) => at)
    const inWave = zonesOf(application).filter(
      (zone) => (filter.zones?.includes(zone) ?? true) && waveIn(local, zone, waves, row.created_at) === wave,
    )
    if (inWave.length === 0) return null
    const own = { zones: inWave, stayedSince: letGoAt ?? row.released_at ?? wave }
    return { turn: { ...own, ...(filter.asOf !== undefined && { asOf: now }) } }
  }

  const audienceOf = (wave: WaveAudience, parent: number) =>
    audienceFrom(JSON.stringify(wave), parentOf.get(parent)?.audience ?? null)

  /** As in the trigger `device_moved`, which this is compared with. */
  const serviceTime = database.statement<{ at: number }, [now: number]>(`SELECT ? - ${WALL_AHEAD} AS at`)

  const withdraw = database.statement<{ number: number }, [number, number]>(
    `UPDATE push SET cancelled_at = coalesce(cancelled_at, ?2) WHERE number = ?1 AND released_at IS NULL
     RETURNING number`,
  )
  const withdrawWaves = database.statement<never, [number, number]>(
    'UPDATE push SET cancelled_at = coalesce(cancelled_at, ?2) WHERE parent = ?1',
  )

  return {
    /** Zones of devices in which `wall` has passed. */
    passedZones: (application: number, wall: string, now: number): string[] =>
      zonesOf(application).filter((zone) => zone !== null && hasPassed(wall, zone, now)) as string[],

    /** Cancels a push that hasn't gone out; `false` if it has. */
    withdraw(push: number, now: number): boolean {
      if (withdraw.get(push, now) === null) return false
      withdrawWaves.run(push, now)
      return true
    },

    /** Infinity: none waits. */
    next: (): DueBy => {
      const { wall = null, service = null } = next.get() ?? {}
      return { wall: wall ?? Number.POSITIVE_INFINITY, service: service ?? Number.POSITIVE_INFINITY }
    },

    /** Sends out what is due, at most `limit` pushes by each clock. Audience and time to live count from `now`. */
    release(dueBy: DueBy, now: number, limit: number): Released[] {
      const letGo = (push: number, audience: string) => release.get(now, audience, push)?.expires_at ?? now
      return [...due.all(dueBy.wall, limit), ...heldNoMore.all(dueBy.service, limit)].map((row) => {
        const { push, application, parent } = row
        if (parent === null) {
          const audience = asOf(storedJson(row.audience) as Audience, now)
          const letGoAt = 'local' in audience ? { letGoAt: serviceTime.get(now)?.at } : {}
          const expiresAt = letGo(push, JSON.stringify({ ...audience, ...letGoAt }))
          if (!('local' in audience)) deliveries.add(application, push, audience, expiresAt)
        } else {
          const wave = waveOf(row, parent, now)
          const expiresAt = letGo(push, wave === null ? row.audience : JSON.stringify(wave))
          if (wave !== null) deliveries.add(application, push, audienceOf(wave, parent), expiresAt)
        }
        return { push, application }
      })
    },
  }
}

/** Filters by time count back from `now`; those of a resend from its first push. */
function asOf(audience: Audience, now: number): Audience {
  if ('device' in audience || audience.filter.asOf === undefined || audience.filter.missed !== undefined)
    return audience
  return { ...audience, filter: { ...audience.filter, asOf: now } }
}
