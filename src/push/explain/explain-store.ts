import { audiencePages } from '../../audience/audience.ts'
import { filterOf } from '../../audience/filter-schema.ts'
import { exclusionsBy } from '../../audience/exclusion.ts'
import type { Exclusion } from '../../audience/exclusion.ts'
import type { Audience, DeviceTraits, Filter } from '../../audience/filter.ts'
import { audienceFrom } from '../../audience/stored-audience.ts'
import type { Database } from '../../database/database.ts'
import { PLAIN, plainOf } from '../../device/columns.ts'
import type { PlainName, PlainRow } from '../../device/columns.ts'
import { packToken, unpackToken } from '../../device/device.ts'
import { PLATFORMS } from '../../platform.ts'
import type { Platform } from '../../device/device.ts'
import { tokenWarning } from '../../device/push-token.ts'
import { createReceiptCounts } from '../../stats/receipt-count-store.ts'
import { tagOf } from '../../text/language-tag.ts'
import { WALL_AHEAD } from '../../time/service-time-store.ts'
import { createPushTexts } from '../push-text-store.ts'
import { waveIn } from '../schedule/local-time.ts'
import { CANCELLED } from './explanation.ts'
import type { DeviceFacts, ExceptionFacts, ExplainFacts } from './explanation.ts'
import { storedJson } from '../../database/damage.ts'

type PushRow = ExplainFacts['push'] & {
  number: number
  audience: string
  ceiling: number
  createdAt: number
}

interface DeviceRow extends Omit<DeviceTraits, 'tag' | 'active' | PlainName>, PlainRow {
  token: string | Uint8Array
  state: 0 | 1 | 2
}

interface ExceptionRow extends Omit<ExceptionFacts, 'cancelled'> {
  push: number
  language: string | null
}

type DeliveryRow = Pick<NonNullable<ExplainFacts['delivery']>, 'finishedAt' | 'refused' | 'expiresAt'> & {
  readonly progress: number
  readonly ahead: string
  readonly addressed: number | null
}

export interface Found {
  readonly facts: Omit<ExplainFacts, 'pause'>
  readonly device: number | null
  readonly platform: Platform | null
  /**
   * The language that was sent, if recorded, else the one for the device's locale now; `null`: the push's own text.
   * Absent if the push has no languages or the token no device.
   */
  readonly language?: string | null
}

const STATES = ['registered', 'gone', 'quarantined'] as const

const DEVICE_COLUMNS = `id, platform, token, state, alias, ${PLAIN.join()}, lat, lng, moved_at AS movedAt,
  registered_at AS registeredAt, seen_at AS seenAt`
const PUSH_COLUMNS = `number, audience, ceiling, created_at AS createdAt, send_at AS sendAt, released_at AS releasedAt,
  cancelled_at AS cancelledAt`
const WHOLE = '(SELECT number FROM push WHERE number = ?1 OR parent = ?1)'

export type ExplainStore = ReturnType<typeof createExplainStore>

/** Reads a few rows of one push and one device, whatever the size of the push. */
export function createExplainStore({ database }: { database: Pick<Database, 'reading'> }) {
  const findPush = database.reading<PushRow, [string, number]>(
    `SELECT ${PUSH_COLUMNS} FROM push WHERE id = ? AND application = ? AND parent IS NULL`,
  )
  const wavesOf = database.reading<PushRow, [number]>(
    `SELECT ${PUSH_COLUMNS} FROM push WHERE parent = ? ORDER BY send_at`,
  )
  const { languagesOf } = createPushTexts((sql) => database.reading(sql))
  const findDevice = database.reading<DeviceRow, [number, string | Uint8Array, Platform]>(
    `SELECT ${DEVICE_COLUMNS} FROM device WHERE application = ? AND token = ? AND platform = ?`,
  )
  const deviceById = database.reading<DeviceRow, [id: number]>(`SELECT ${DEVICE_COLUMNS} FROM device WHERE id = ?`)
  const adoptionOf = database.reading<{ at: number }, [device: number]>('SELECT at FROM adopted_token WHERE device = ?')
  const adoptedToken = database.reading<{ device: number; at: number }, [number, string | Uint8Array, Platform]>(
    'SELECT device, at FROM adopted_token WHERE application = ? AND token = ? AND platform = ?',
  )
  const departure = database.reading<{ reason: string; at: number }, [number, Platform, string | Uint8Array]>(
    'SELECT reason, at FROM feedback WHERE application = ? AND platform = ? AND token = ?',
  )
  const labels = database.reading<{ kind: 0 | 1; name: string }, [number]>(
    'SELECT l.kind, l.name FROM device_label x JOIN label l ON l.id = x.label WHERE x.device = ? ORDER BY l.name',
  )
  const findException = database.reading<ExceptionRow, [number, Platform, number]>(
    `SELECT push, state, reason, attempt AS attempts, language,
       due_at + iif(state IN ('retry', 'leased'), ${WALL_AHEAD}, 0) AS at FROM push_exception
     WHERE push IN ${WHOLE} AND platform = ? AND device = ? LIMIT 1`,
  )
  const receipts = createReceiptCounts({ database })
  const findDelivery = database.reading<DeliveryRow, [number, Platform]>(
    // Deliveries that finished before this column existed have the push's time.
    `SELECT d.progress, d.ahead, d.addressed, d.finished_at AS finishedAt, d.refused,
       coalesce(d.expires_at + iif(d.finished_at IS NULL, ${WALL_AHEAD}, 0), p.expires_at) AS expiresAt
     FROM delivery d JOIN push p ON p.number = d.push WHERE d.push = ? AND d.platform = ?`,
  )

  function exclusionsOf(application: number, audience: Audience, device: DeviceRow): Exclusion[] {
    if ('device' in audience) {
      const same = audience.device === device.id
      return same ? [] : [{ field: 'token', why: 'is not the one device that the push is for' }]
    }
    const all = labels.all(device.id)
    const named = (kind: number) => all.filter((label) => label.kind === kind).map(({ name }) => name)
    const excluded = exclusionsBy(audience.filter, { ...device, ...plainOf(device), tag: named(0), active: named(1) })
    return wasMissed(application, audience.filter, device) ? excluded : [...excluded, NOT_MISSED]
  }

  /** For resends: whether the earlier push failed for the device. */
  function wasMissed(application: number, { missed, platforms }: Filter, { id, platform }: DeviceRow): boolean {
    if (missed === undefined || !platforms.includes(platform)) return true
    const filter = { ...filterOf({ platform: [platform] }), missed }
    return audiencePages(database, { filter }, application, platform).page(id - 1, id, 1).rows.length > 0
  }

  /** A wave to come leaves out devices that moved since the first. */
  function audienceOf(push: PushRow, whole: PushRow): Audience {
    const audience = audienceFrom(push.audience, whole.audience)
    const isToCome = push.number !== whole.number && push.releasedAt === null
    if (!isToCome || whole.releasedAt === null || 'device' in audience) return audience
    const { letGoAt = whole.releasedAt } = storedJson(whole.audience) as { letGoAt?: number }
    return { filter: { ...audience.filter, stayedSince: letGoAt } }
  }

  function passed(push: PushRow, device: DeviceRow): ExplainFacts['delivery'] {
    const row = findDelivery.get(push.number, device.platform)
    if (row === null) return null
    const { progress, finishedAt, refused, expiresAt } = row
    const ahead = storedJson(row.ahead) as readonly (readonly [number, number])[]
    const settled = device.id <= progress || ahead.some(([from, to]) => from <= device.id && device.id <= to)
    // A delivery that ended by itself has looked at everybody.
    const wasEnded = push.cancelledAt !== null || refused !== null
    const endedByItself = finishedAt !== null && !wasEnded && finishedAt < expiresAt
    const nobody = endedByItself && row.addressed === 0
    return { passed: settled || endedByItself, nobody, finishedAt, refused, expiresAt }
  }

  /** `null`: the local time had passed. */
  function waveOf(whole: PushRow, local: string, device: DeviceRow): PushRow | null {
    const waves = wavesOf.all(whole.number)
    const moments = waves.map((wave) => wave.sendAt ?? 0)
    const moment = waveIn(local, device.timezone, moments, whole.createdAt)
    return waves.find((wave) => wave.sendAt === moment) ?? null
  }

  function languageOf(push: number, { locale }: DeviceRow, sent: string | null): Pick<Found, 'language'> {
    const languages = languagesOf(push)
    if (languages === null) return {}
    return { language: sent === null ? languages.choose(locale) : tagOf(sent) }
  }

  /** The holder of a token, else the device that was imported with it. */
  function deviceWith(application: number, token: string, platform?: Platform) {
    const asked = (platform === undefined ? PLATFORMS : [platform]).map(
      (one) => [application, packToken(token, one), one] as const,
    )
    const holders = asked.flatMap((one) => findDevice.get(...one) ?? [])
    const [holder] = holders.toSorted((a, b) => a.state - b.state || b.seenAt - a.seenAt)
    if (holder !== undefined) return { device: holder, byFormerToken: false }
    const [former] = asked.flatMap((one) => adoptedToken.get(...one) ?? []).toSorted((a, b) => b.at - a.at)
    return { device: former === undefined ? null : deviceById.get(former.device), byFormerToken: true }
  }

  return {
    /** Without `platform`, of several holders the one seen last. */
    find(application: number, id: string, token: string, platform?: Platform): Found | null {
      const whole = findPush.get(id, application)
      if (whole === null) return null
      const { device, byFormerToken } = deviceWith(application, token, platform)
      if (device === null) return { facts: { ...UNKNOWN, push: whole }, device: null, platform: null }

      const exception = findException.get(whole.number, device.platform, device.id)
      const audience = storedJson(whole.audience) as Audience
      const local = 'filter' in audience ? audience.local : undefined
      const waves = exception === null || local === undefined ? [] : wavesOf.all(whole.number)
      const written = waves.find(({ number }) => number === exception?.push) ?? null
      const wave = written ?? (local === undefined ? whole : waveOf(whole, local, device))
      const push = wave ?? whole
      const registered = device.state === 0
      const adopted = adoptionOf.get(device.id)
      const exclusions = registered ? exclusionsOf(application, audienceOf(push, whole), device) : []
      if (wave === null && local !== undefined) {
        exclusions.push({
          field: 'send_at_local',
          why: `is in a time zone where ${local} had passed when the push was accepted`,
        })
      }
      return {
        facts: {
          push,
          adopted: adopted && { at: adopted.at, byFormerToken },
          device: deviceFacts(device, departure.get(application, device.platform, device.token)),
          receipts: receipts.ofDevice(whole.number, device.id),
          exception: exception && { ...exception, cancelled: exception.reason === CANCELLED },
          registeredSince: push.releasedAt !== null && device.id > push.ceiling,
          exclusions,
          delivery: passed(push, device),
        },
        device: device.id,
        platform: device.platform,
        ...languageOf(whole.number, device, exception?.language ?? null),
      }
    },
  }
}

const NOT_MISSED: Exclusion = {
  field: 'resend',
  why: 'is not one of the devices that the earlier push failed for, and this push is only for those',
}

const UNKNOWN = {
  device: null,
  adopted: null,
  receipts: [],
  exception: null,
  registeredSince: false,
  exclusions: [],
  delivery: null,
} as const

function deviceFacts(device: DeviceRow, left: DeviceFacts['left']): DeviceFacts {
  return {
    platform: device.platform,
    tokenWarning: tokenWarning(device.platform, unpackToken(device.token)),
    state: STATES[device.state],
    registeredAt: device.registeredAt,
    seenAt: device.seenAt,
    left,
  }
}
