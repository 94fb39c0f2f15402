import type { Database } from '../../database/database.ts'
import type { StoredRow, device } from '../../database/schema.ts'
import type { AdoptedToken } from '../registration/adoption-store.ts'
import { DEVICE_COLUMNS, ENVIRONMENT, fcmPlatformOf, STATE } from '../device-row.ts'
import type { DeviceRow } from '../device-row.ts'
import { unpackToken } from '../device.ts'
import type { DeviceState, FcmPlatform, Platform } from '../device.ts'
import type { FeedbackEntry } from '../feedback-store.ts'
import { LABEL_KIND } from '../index/label-index.ts'
import { createDeviceKeys } from '../webpush/device-key-store.ts'
import type { SubscriptionKeys } from '../webpush/subscription-keys.ts'
import { PLATFORM } from '../../platform.ts'

/** A device with all that is known of it. Times are ms since the Unix epoch. */
export interface WholeDevice {
  readonly token: string
  readonly platform: Platform
  readonly alias: string | null
  readonly user: string | null
  /** Sorted, as `active` is. */
  readonly tag: readonly string[]
  readonly active: readonly string[]
  readonly lat: number | null
  readonly lng: number | null
  readonly timezone: string | null
  readonly locale: string | null
  readonly badge: number
  readonly environment: 'production' | 'sandbox' | null
  /** Absent where it is not said. */
  readonly fcmPlatform?: FcmPlatform
  readonly registeredAt: number
  readonly seenAt: number
  readonly updatedAt: number
  /** `null`: it is registered. `reason` and `at`: what a gateway said last, `null` once that is forgotten. */
  readonly left: { readonly state: DeviceState; readonly reason: string | null; readonly at: number | null } | null
  /** As of `ImportedDevice`, and so is `adopted`; absent where they say nothing. */
  readonly imported?: boolean
  readonly adopted?: { readonly token: string; readonly at: number }
  /** Of a browser. */
  readonly keys?: SubscriptionKeys
}

type Row = DeviceRow & Pick<StoredRow<typeof device>, 'environment' | 'seen_at'>

/** Rows read at a time: what an export holds in memory, whatever its length. */
const PAGE = 1000

/** Names remembered. */
const MAX_NAMES = 50_000

/**
 * A registry with every state of its devices, on the connection that only reads. Between `begin` and `end` all reads
 * see one moment; the write-ahead log grows meanwhile by what others write.
 */
export function createExportStore({ database }: { database: Pick<Database, 'reading'> }) {
  const begin = database.reading<never, []>('BEGIN')
  const end = database.reading<never, []>('COMMIT')
  const counted = database.reading<{ devices: number; feedback: number }, [number]>(
    `SELECT (SELECT count(*) FROM device WHERE application = ?1) AS devices,
       (SELECT count(*) FROM feedback f WHERE application = ?1 AND ${ALONE}) AS feedback`,
  )
  // By its id alone, which is the order of registration: an index by application would have to be sorted.
  const page = database.reading<Row, [after: number, application: number, limit: number]>(
    `SELECT ${DEVICE_COLUMNS}, environment, seen_at FROM device WHERE id > ? AND +application = ? ORDER BY id LIMIT ?`,
  )
  const labelsBetween = database.reading<{ device: number; label: number }, [first: number, last: number]>(
    'SELECT device, label FROM device_label INDEXED BY device_label_by_device WHERE device BETWEEN ? AND ?',
  )
  const labelById = database.reading<{ kind: number; name: string }, [id: number]>(
    'SELECT kind, name FROM label WHERE id = ?',
  )
  const adoptedBy = database.reading<AdoptedToken, [device: number]>(
    'SELECT token, at FROM adopted_token WHERE device = ?',
  )
  const keysOf = createDeviceKeys((sql) => database.reading(sql))
  const feedbackOf = database.reading<{ reason: string; at: number }, [number, number, string | Uint8Array]>(
    'SELECT reason, at FROM feedback WHERE application = ? AND platform = ? AND token = ?',
  )
  const feedback = database.reading<
    { token: string | Uint8Array; platform: Platform; reason: string; at: number },
    [application: number, platform: number, token: string | Uint8Array, limit: number]
  >(
    `SELECT token, platform, reason, at FROM feedback f
     WHERE application = ? AND (platform, token) > (?, ?) AND ${ALONE} ORDER BY platform, token LIMIT ?`,
  )
  const names = new Map<number, { kind: number; name: string }>()

  function nameOf(label: number): { kind: number; name: string } | null {
    const known = names.get(label)
    if (known !== undefined) return known
    if (names.size >= MAX_NAMES) names.clear()
    const row = labelById.get(label)
    if (row !== null) names.set(label, row)
    return row
  }

  function wholeOf(application: number, row: Row, labels: Labels | undefined): WholeDevice {
    const { platform, token, alias, user, lat, lng, timezone, locale, badge, imported } = row
    // One that has registered since may have done so by another token.
    const adopted = imported === 0 ? adoptedBy.get(row.id) : null
    const keys = PLATFORM[platform].hasKeys ? keysOf(row.id) : null
    const fcmPlatform = fcmPlatformOf(row.fcm_platform)
    const said = row.state === STATE.registered ? null : feedbackOf.get(application, platform, token)
    return {
      token: unpackToken(token),
      platform,
      alias,
      user,
      tag: labels?.tag.sort() ?? [],
      active: labels?.active.sort() ?? [],
      lat,
      lng,
      timezone,
      locale,
      badge,
      environment: ENVIRONMENTS.find((name) => ENVIRONMENT[name] === row.environment) ?? null,
      registeredAt: row.registered_at,
      seenAt: row.seen_at,
      updatedAt: row.updated_at,
      left:
        row.state === STATE.registered
          ? null
          : { state: stateOf(row.state), reason: said?.reason ?? null, at: said?.at ?? null },
      ...(fcmPlatform !== null && { fcmPlatform }),
      ...(keys !== null && { keys }),
      ...(imported !== null && { imported: imported === 1 }),
      ...(adopted !== null && { adopted: { token: unpackToken(adopted.token), at: adopted.at } }),
    }
  }

  return {
    begin: () => void begin.run(),
    end: () => void end.run(),

    /** Reads through the whole index of the application. */
    count: (application: number) => counted.get(application) ?? { devices: 0, feedback: 0 },

    /** All devices in the order of their registration, a page at a time. */
    *devices(application: number): Generator<readonly WholeDevice[], void> {
      for (let after = 0; ;) {
        const rows = page.all(after, application, PAGE)
        const [first, last] = [rows[0], rows.at(-1)]
        if (first === undefined || last === undefined) return
        const labels = new Map<number, Labels>(rows.map(({ id }) => [id, { tag: [], active: [] }]))
        for (const { device, label } of labelsBetween.all(first.id, last.id)) {
          const lists = labels.get(device)
          const name = lists === undefined ? null : nameOf(label)
          if (lists !== undefined && name !== null) {
            ;(name.kind === LABEL_KIND.tag ? lists.tag : lists.active).push(name.name)
          }
        }
        yield rows.map((row) => wholeOf(application, row, labels.get(row.id)))
        after = last.id
      }
    },

    /** What gateways said of tokens that no device has, or whose device has registered again since. */
    *feedback(application: number): Generator<readonly FeedbackEntry[], void> {
      for (let [platform, token]: [number, string | Uint8Array] = [-1, '']; ;) {
        const rows = feedback.all(application, platform, token, PAGE)
        const last = rows.at(-1)
        if (last === undefined) return
        yield rows.map(({ token, platform, reason, at }) => ({ token: unpackToken(token), platform, reason, at }))
        platform = last.platform
        token = last.token
      }
    },
  }
}

/** A device that has left says it itself. */
const ALONE = `NOT EXISTS (SELECT 1 FROM device d WHERE d.application = f.application AND d.platform = f.platform
  AND d.token = f.token AND d.state <> ${STATE.registered})`

const ENVIRONMENTS = ['production', 'sandbox'] as const

interface Labels {
  readonly tag: string[]
  readonly active: string[]
}

function stateOf(state: number): DeviceState {
  return state === STATE.gone ? 'gone' : 'quarantined'
}
