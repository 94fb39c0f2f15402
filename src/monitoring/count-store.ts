import type { Database } from '../database/database.ts'
import type { Statement } from '../database/statement.ts'
import type { Platform } from '../device/device.ts'

export interface CountScope {
  readonly application: number
  readonly platform: Platform
}

export type IndexPlace = readonly number[]

/** A partial count, and where it stopped; `null`: at the end. */
export interface Part {
  readonly count: number
  readonly last: IndexPlace | null
}

/** Counts entries after `after` for about a millisecond; `null`: from the start. */
export type CountPart = (scope: CountScope, after: IndexPlace | null) => Part

/** Index entries in one part. */
const DEVICES = 10_000
/** SQLite also reads the row behind each entry: ten times the work. */
const PUSHES = 1000

export interface LeftPart extends Pick<Part, 'last'> {
  readonly gone: number
  readonly quarantined: number
}

interface WebhookRow {
  readonly application: number
  readonly waiting: number
  readonly disabled: 0 | 1
}

interface CertificateRow {
  readonly application: number
  readonly expiresAt: number
}

interface SizeRow {
  readonly application: number
  /** In any state. */
  readonly devices: number
  readonly labels: number
}

interface LeftRow {
  readonly updatedAt: number
  readonly id: number
  readonly state: 1 | 2
}

/** Rows in one part: no index has the state. */
const LEFT = 1000

type Counting<Row> = Statement<Row, [number, Platform, ...IndexPlace]>

export type CountStore = ReturnType<typeof createCountStore>

/** Anything large is read from indexes, never by a table scan. */
export function createCountStore({ database }: { database: Pick<Database, 'reading'> }) {
  const scheduled = database.reading<{ count: number }, []>(
    `SELECT count(*) AS count FROM push
     WHERE released_at IS NULL AND cancelled_at IS NULL AND send_at IS NOT NULL`,
  )
  const webhooks = database.reading<WebhookRow, []>(
    'SELECT application, waiting, disabled_at IS NOT NULL AS disabled FROM webhook',
  )
  const certificates = database.reading<CertificateRow, []>(
    `SELECT application, public ->> 'expiresAt' AS expiresAt FROM credential
     WHERE provider = 'apns' AND public ->> 'kind' = 'certificate'`,
  )
  const sizes = database.reading<SizeRow, []>('SELECT application, devices, labels FROM registry_size')
  const left = database.reading<LeftRow, IndexPlace>(
    `SELECT updated_at AS updatedAt, id, state FROM device
     WHERE state <> 0 AND (updated_at, id) > (?, ?) ORDER BY updated_at, id LIMIT ${LEFT}`,
  )
  const version = database.reading<{ version: string }, []>('SELECT sqlite_version() AS version')

  /** `columns`: the index's order. SQLite skips entries twice as fast as it counts them, hence OFFSET. */
  function inParts(entries: string, columns: readonly string[], size: number): CountPart {
    const key = columns.join(', ')
    const rows = `${entries} AND (${key}) > (${columns.map(() => '?').join(', ')})`
    const first = columns.map(() => -1)
    const nth: Counting<Record<string, number>> = database.reading(
      `SELECT ${key} ${rows} ORDER BY ${key} LIMIT 1 OFFSET ${size - 1}`,
    )
    const rest: Counting<{ count: number }> = database.reading(`SELECT count(*) AS count ${rows}`)
    return ({ application, platform }, after) => {
      const from = after ?? first
      const last = nth.get(application, platform, ...from)
      if (last !== null) return { count: size, last: Object.values(last) }
      return { count: rest.get(application, platform, ...from)?.count ?? 0, last }
    }
  }

  const open = (lane: 0 | 1) => {
    const all = `FROM delivery WHERE application = ? AND platform = ? AND lane = ${lane} AND finished_at IS NULL`
    return [
      inParts(`${all} AND waits_until IS NULL`, ['push'], PUSHES),
      // Their index begins with this column.
      inParts(`${all} AND waits_until IS NOT NULL`, ['waits_until', 'push'], PUSHES),
    ]
  }

  return {
    devices: inParts('FROM device WHERE application = ? AND platform = ? AND state = 0', ['id'], DEVICES),

    /** Stored devices that are no longer registered. */
    left: (after: IndexPlace | null): LeftPart => {
      const rows = left.all(...(after ?? [-1, -1]))
      const gone = rows.filter(({ state }) => state === 1).length
      const end = rows.length < LEFT ? undefined : rows.at(-1)
      return { gone, quarantined: rows.length - gone, last: end === undefined ? null : [end.updatedAt, end.id] }
    },

    open: [...open(0), ...open(1)],

    scheduled: (): number => scheduled.get()?.count ?? 0,

    webhooks: (): WebhookRow[] => webhooks.all(),

    /** APNs certificates; signing keys do not expire. */
    certificates: (): CertificateRow[] => certificates.all(),

    sizes: (): SizeRow[] => sizes.all(),

    sqliteVersion: (): string => version.get()?.version ?? '',
  }
}
