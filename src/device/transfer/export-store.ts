import type { Database } from '../../database/database.ts'
import type { AdoptedToken } from '../registration/adoption-store.ts'
import { DEVICE_COLUMNS, deviceOf, STATE, stateOf, storedEnvironment } from '../device-row.ts'
import type { DeviceRow } from '../device-row.ts'
import { unpackToken } from '../device.ts'
import type { Device, DeviceState, Environment, PackedToken, Platform } from '../device.ts'
import type { FeedbackEntry } from '../feedback-store.ts'
import { labelsIn } from '../index/label-index.ts'
import type { LabelRow } from '../index/label-index.ts'
import { createDeviceKeys } from '../webpush/device-key-store.ts'
import type { SubscriptionKeys } from '../webpush/subscription-keys.ts'
import { PLATFORM } from '../../platform.ts'

export interface WholeDevice extends Device {
  readonly environment: Environment | null
  readonly seenAt: number
  /** `null`: registered. `reason` and `at`: the gateway's last word, `null` once erased. */
  readonly left: { readonly state: DeviceState; readonly reason: string | null; readonly at: number | null } | null
  /** As in `ImportedDevice`, like `adopted`. */
  readonly imported?: boolean
  readonly adopted?: { readonly token: string; readonly at: number }
  readonly keys?: SubscriptionKeys
}

const PAGE = 1000

const MAX_NAMES = 50_000

/**
 * Uses the read-only connection. Between `begin` and `end` all reads see one snapshot, and the WAL file grows with
 * every write.
 */
export function createExportStore({ database }: { database: Pick<Database, 'reading'> }) {
  const begin = database.reading<never, []>('BEGIN')
  const end = database.reading<never, []>('COMMIT')
  const counted = database.reading<{ devices: number; feedback: number }, [number]>(
    `SELECT (SELECT count(*) FROM device WHERE application = ?1) AS devices,
       (SELECT count(*) FROM feedback f WHERE application = ?1 AND ${ALONE}) AS feedback`,
  )
  // By id, the order of registration. The plus keeps SQLite from an index by application, which needs a sort.
  const page = database.reading<DeviceRow, [after: number, application: number, limit: number]>(
    `SELECT ${DEVICE_COLUMNS} FROM device WHERE id > ? AND +application = ? ORDER BY id LIMIT ?`,
  )
  const labelsBetween = database.reading<{ device: number; label: number }, [first: number, last: number]>(
    'SELECT device, label FROM device_label INDEXED BY device_label_by_device WHERE device BETWEEN ? AND ?',
  )
  const labelById = database.reading<LabelRow, [id: number]>('SELECT kind, name FROM label WHERE id = ?')
  const adoptedBy = database.reading<AdoptedToken, [device: number]>(
    'SELECT token, at FROM adopted_token WHERE device = ?',
  )
  const keysOf = createDeviceKeys((sql) => database.reading(sql))
  const feedbackOf = database.reading<{ reason: string; at: number }, [number, number, PackedToken]>(
    'SELECT reason, at FROM feedback WHERE application = ? AND platform = ? AND token = ?',
  )
  const feedback = database.reading<
    { token: PackedToken; platform: Platform; reason: string; at: number },
    [application: number, platform: number, token: PackedToken, limit: number]
  >(
    `SELECT token, platform, reason, at FROM feedback f
     WHERE application = ? AND (platform, token) > (?, ?) AND ${ALONE} ORDER BY platform, token LIMIT ?`,
  )
  const names = new Map<number, LabelRow>()

  function nameOf(label: number): LabelRow | null {
    const known = names.get(label)
    if (known !== undefined) return known
    if (names.size >= MAX_NAMES) names.clear()
    const row = labelById.get(label)
    if (row !== null) names.set(label, row)
    return row
  }

  function wholeOf(application: number, row: DeviceRow, labels: readonly LabelRow[]): WholeDevice {
    const { id, platform, token, state, imported } = row
    // A device that registered since may have used another token.
    const adopted = imported === 0 ? adoptedBy.get(id) : null
    const keys = PLATFORM[platform].hasKeys ? keysOf(id) : null
    const said = state === STATE.registered ? null : feedbackOf.get(application, platform, token)
    return {
      ...deviceOf(row, labelsIn(labels)),
      environment: storedEnvironment(row.environment),
      seenAt: row.seen_at,
      left:
        state === STATE.registered
          ? null
          : { state: stateOf(state), reason: said?.reason ?? null, at: said?.at ?? null },
      ...(keys !== null && { keys }),
      ...(imported !== null && { imported: imported === 1 }),
      ...(adopted !== null && { adopted: { token: unpackToken(adopted.token), at: adopted.at } }),
    }
  }

  return {
    begin: () => void begin.run(),
    end: () => void end.run(),

    /** Reads the application's whole index. */
    count: (application: number) => counted.get(application) ?? { devices: 0, feedback: 0 },

    /** In order of registration. */
    *devices(application: number): Generator<readonly WholeDevice[], void> {
      for (let after = 0; ;) {
        const rows = page.all(after, application, PAGE)
        const [first, last] = [rows[0], rows.at(-1)]
        if (first === undefined || last === undefined) return
        const labels = new Map<number, LabelRow[]>(rows.map(({ id }) => [id, []]))
        for (const { device, label } of labelsBetween.all(first.id, last.id)) {
          const ofDevice = labels.get(device)
          const name = ofDevice === undefined ? null : nameOf(label)
          if (name !== null) ofDevice?.push(name)
        }
        yield rows.map((row) => wholeOf(application, row, labels.get(row.id) ?? []))
        after = last.id
      }
    },

    /** For tokens without a device, or whose device registered again. */
    *feedback(application: number): Generator<readonly FeedbackEntry[], void> {
      for (let [platform, token]: [number, PackedToken] = [-1, '']; ;) {
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

/** A device that left has its feedback on its own line. */
const ALONE = `NOT EXISTS (SELECT 1 FROM device d WHERE d.application = f.application AND d.platform = f.platform
  AND d.token = f.token AND d.state <> ${STATE.registered})`
