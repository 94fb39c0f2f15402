import { ALERT_SINCE } from '../../alert/alert-store.ts'
import type { Alert } from '../../alert/alert.ts'
import { USER_KEY_SINCE } from '../../application/user-key-store.ts'
import { DAY_MS } from '../../clock.ts'
import type { ReadOnlyDatabase } from '../../database/read-only-database.ts'
import type { Platform } from '../../device/device.ts'
import { codeOf } from '../../text/error-code.ts'
import { SERVICE_TIME_SINCE, WALL_AHEAD } from '../../time/service-time-store.ts'

/* Raw statements, since the schema may be older: a table is read only if the schema has it. */
export interface FoundApplication {
  readonly number: number
  readonly id: string
  readonly name: string
  readonly simulated: boolean
}

export interface DeviceStateCount {
  readonly application: number
  readonly platform: Platform
  readonly registered: number
  readonly gone: number
  readonly quarantined: number
  /** Registered devices not seen for 90 days (`stale`) and 270 days (`lost`). */
  readonly stale: number
  readonly lost: number
}

export interface ClientCount {
  readonly application: number
  /** `web/1.2.0` */
  readonly client: string
  readonly devices: number
}

/** The hour in which most devices of one application left and stayed away. */
export interface DepartureHour {
  /** First and last departure. */
  readonly since: number
  readonly until: number
  readonly departed: number
  /** The most frequent. */
  readonly reason: string
}

export interface OpenDeliveryCount {
  readonly application: number
  readonly platform: Platform
  readonly open: number
  /** Those whose time to live has passed. */
  readonly expired: number
  readonly oldest: number
}

export interface FoundWebhook {
  readonly application: number
  /** `null`: enabled. */
  readonly disabledAt: number | null
  readonly waiting: number
  readonly dropped: number
}

export interface VerifyingApplication {
  readonly application: number
  readonly hasUserKey: 0 | 1
}

const WEBHOOK_SINCE = 6
const CLIENT_SINCE = 39

/** `schema`: number of the last migration. */
export function createInspection(database: Pick<ReadOnlyDatabase, 'statement'>, schema: number) {
  const all = <Row>(sql: string, ...params: readonly number[]): Row[] =>
    database.statement<Row, readonly number[]>(sql).all(...params)
  const number = (pragma: string): number =>
    Object.values(all<Record<string, number>>(`PRAGMA ${pragma}`)[0] ?? {})[0] ?? 0

  return {
    applications: (): FoundApplication[] =>
      all<Omit<FoundApplication, 'simulated'> & { simulated: 0 | 1 }>(
        'SELECT number, id, name, simulated FROM application ORDER BY number',
      ).map((row) => Object.assign(row, { simulated: row.simulated === 1 })),

    /** One pass over all devices: 1 s for 1,000,000 on 2 cores; 5 s along the index. */
    devices: (now: number) =>
      all<DeviceStateCount>(
        `SELECT application, platform, sum(state = 0) AS registered, sum(state = 1) AS gone,
           sum(state = 2) AS quarantined, sum(state = 0 AND seen_at BETWEEN 1 AND ?1) AS stale,
           sum(state = 0 AND seen_at BETWEEN 1 AND ?2) AS lost
         FROM device NOT INDEXED GROUP BY application, platform`,
        now - 90 * DAY_MS,
        now - 270 * DAY_MS,
      ),

    /** Most frequent first; one pass over all devices. */
    clients: () =>
      schema < CLIENT_SINCE
        ? []
        : all<ClientCount>(
            `SELECT application, client, count(*) AS devices FROM device NOT INDEXED
             WHERE state = 0 AND client IS NOT NULL GROUP BY application, client ORDER BY devices DESC, client`,
          ),

    /** Counts hours that begin at `since` or later. */
    worstHour: (application: number, since: number): DepartureHour | null =>
      all<DepartureHour>(
        `WITH away AS MATERIALIZED (
           SELECT f.at, f.reason FROM feedback f INDEXED BY feedback_by_time CROSS JOIN device d
             ON d.application = f.application AND d.platform = f.platform AND d.token = f.token
           WHERE f.application = ? AND f.at >= ? AND d.state <> 0),
         hour AS (
           SELECT at AS since, max(at) OVER within AS until, count(*) OVER within AS departed FROM away
           WINDOW within AS (ORDER BY at RANGE BETWEEN CURRENT ROW AND 3600000 FOLLOWING)
           ORDER BY departed DESC, since LIMIT 1)
         SELECT since, until, departed, (SELECT reason FROM away WHERE at BETWEEN since AND until
           GROUP BY reason ORDER BY count(*) DESC, reason LIMIT 1) AS reason FROM hour`,
        application,
        since,
      )[0] ?? null,

    openDeliveries(now: number) {
      const expiresAt = schema < SERVICE_TIME_SINCE ? 'p.expires_at' : `d.expires_at + ${WALL_AHEAD}`
      return all<OpenDeliveryCount>(
        `SELECT d.application, d.platform, count(*) AS open, sum(${expiresAt} < ?1) AS expired,
           min(p.created_at) AS oldest
         FROM delivery d JOIN push p ON p.number = d.push
         WHERE d.finished_at IS NULL GROUP BY d.application, d.platform`,
        now,
      )
    },

    verifying: () =>
      schema < USER_KEY_SINCE
        ? []
        : all<VerifyingApplication>(
            `SELECT a.number AS application, k.application IS NOT NULL AS hasUserKey
             FROM application a LEFT JOIN user_key k ON k.application = a.number WHERE a.verify_users = 1`,
          ),

    webhooks: () =>
      schema < WEBHOOK_SINCE
        ? []
        : all<FoundWebhook>('SELECT application, disabled_at AS disabledAt, waiting, dropped FROM webhook'),

    alerts: () =>
      schema < ALERT_SINCE ? null : all<Pick<Alert, 'name' | 'problem'>>('SELECT name, problem FROM alert'),

    paused: () =>
      schema < WEBHOOK_SINCE
        ? []
        : all<{ application: number; platform: Platform }>('SELECT application, platform FROM paused_credential'),

    /** At most 20 lines. `full` also compares indexes with their tables. */
    damage(full: boolean): string[] {
      try {
        return all<Record<string, string>>(`PRAGMA ${full ? 'integrity_check' : 'quick_check'}(20)`)
          .flatMap((row) => Object.values(row))
          .filter((line) => line !== 'ok')
      } catch (error) {
        if (error instanceof Error && codeOf(error)?.startsWith('SQLITE_CORRUPT') === true) return [error.message]
        throw error
      }
    },

    /** Tables with rows whose parent is missing. */
    orphans: (): string[] => [...new Set(all<{ table: string }>('PRAGMA foreign_key_check').map(({ table }) => table))],

    size: () => {
      const page = number('page_size')
      return { all: number('page_count') * page, free: number('freelist_count') * page }
    },
  }
}

/** Number of the last applied migration. */
export function schemaOf(database: Pick<ReadOnlyDatabase, 'statement'>): number {
  return database.statement<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0
}

export type DatabaseInspection = ReturnType<typeof createInspection>
