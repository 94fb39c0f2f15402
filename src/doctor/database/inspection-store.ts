import { USER_KEY_SINCE } from '../../application/user-key-store.ts'
import { DAY_MS } from '../../clock.ts'
import type { ReadOnlyDatabase } from '../../database/read-only-database.ts'
import type { Platform } from '../../device/device.ts'
import { codeOf } from '../../text/error-code.ts'
import { SERVICE_TIME_SINCE, WALL_AHEAD } from '../../time/service-time-store.ts'

/*
 * What doctor reads besides credentials: raw statements, since the schema may be an older one. A table that has come
 * later than migration 0001 is asked for only where the schema has it.
 */
export interface FoundApplication {
  readonly number: number
  readonly id: string
  readonly name: string
  readonly simulated: boolean
}

/** Devices of one application and platform. */
export interface DeviceStateCount {
  readonly application: number
  readonly platform: Platform
  readonly registered: number
  readonly gone: number
  readonly quarantined: number
  /** Of the registered: not seen for 90 days, and of these for 270. */
  readonly stale: number
  readonly lost: number
}

/** The hour in which most of the devices of one application left that are still away. */
export interface DepartureHour {
  /** When the first of them left, ms since the Unix epoch. */
  readonly since: number
  /** When the last of them left. */
  readonly until: number
  readonly departed: number
  /** The most frequent word of a gateway for it. */
  readonly reason: string
}

/** Deliveries that are not over, of one application and platform. */
export interface OpenDeliveryCount {
  readonly application: number
  readonly platform: Platform
  readonly open: number
  /** Of these, of pushes whose time to live is over. */
  readonly expired: number
  /** Ms since the Unix epoch. */
  readonly oldest: number
}

export interface FoundWebhook {
  readonly application: number
  /** Ms since the Unix epoch; `null`: it is not. */
  readonly disabledAt: number | null
  /** Events. */
  readonly waiting: number
  readonly dropped: number
}

/** An application that has its users proven. */
export interface VerifyingApplication {
  readonly application: number
  readonly hasUserKey: 0 | 1
}

/** Which migrations brought what is read here. */
const WEBHOOK_SINCE = 6

/** `schema`: the number of its last migration. */
export function createInspection(database: Pick<ReadOnlyDatabase, 'statement'>, schema: number) {
  const number = (pragma: string): number =>
    Object.values(database.statement<Record<string, number>, []>(`PRAGMA ${pragma}`).get() ?? {})[0] ?? 0

  return {
    applications: (): FoundApplication[] =>
      database
        .statement<{ number: number; id: string; name: string; simulated: 0 | 1 }, []>(
          'SELECT number, id, name, simulated FROM application ORDER BY number',
        )
        .all()
        .map(({ number, id, name, simulated }) => ({ number, id, name, simulated: simulated === 1 })),

    /** One pass over all devices: 1 s for 1,000,000 on 2 cores; by way of the index it would be 5. */
    devices: (now: number): DeviceStateCount[] =>
      database
        .statement<DeviceStateCount, [number, number]>(
          `SELECT application, platform, sum(state = 0) AS registered, sum(state = 1) AS gone,
             sum(state = 2) AS quarantined, sum(state = 0 AND seen_at BETWEEN 1 AND ?1) AS stale,
             sum(state = 0 AND seen_at BETWEEN 1 AND ?2) AS lost
           FROM device NOT INDEXED GROUP BY application, platform`,
        )
        .all(now - 90 * DAY_MS, now - 270 * DAY_MS),

    /** Of the hours that begin at `since` or later; `null` where nobody left. */
    worstHour: (application: number, since: number): DepartureHour | null =>
      database
        .statement<DepartureHour, [application: number, since: number]>(
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
        )
        .get(application, since),

    openDeliveries: (now: number): OpenDeliveryCount[] =>
      database
        .statement<OpenDeliveryCount, [number]>(
          `SELECT d.application, d.platform, count(*) AS open, sum(${schema < SERVICE_TIME_SINCE ? 'p.expires_at' : `d.expires_at + ${WALL_AHEAD}`} < ?1) AS expired,
             min(p.created_at) AS oldest
           FROM delivery d JOIN push p ON p.number = d.push
           WHERE d.finished_at IS NULL GROUP BY d.application, d.platform`,
        )
        .all(now),

    verifying: (): VerifyingApplication[] =>
      schema < USER_KEY_SINCE
        ? []
        : database
            .statement<VerifyingApplication, []>(
              `SELECT a.number AS application, k.application IS NOT NULL AS hasUserKey
               FROM application a LEFT JOIN user_key k ON k.application = a.number WHERE a.verify_users = 1`,
            )
            .all(),

    webhooks: (): FoundWebhook[] =>
      schema < WEBHOOK_SINCE
        ? []
        : database
            .statement<FoundWebhook, []>('SELECT application, disabled_at AS disabledAt, waiting, dropped FROM webhook')
            .all(),

    /** Credentials whose application has been told that they are paused. */
    paused: (): { readonly application: number; readonly platform: Platform }[] =>
      schema < WEBHOOK_SINCE
        ? []
        : database
            .statement<{ application: number; platform: Platform }, []>(
              'SELECT application, platform FROM paused_credential',
            )
            .all(),

    /** What is wrong, at most 20 lines; none is none. `full` also holds indexes against their tables. */
    damage(full: boolean): string[] {
      try {
        return database
          .statement<Record<string, string>, []>(`PRAGMA ${full ? 'integrity_check' : 'quick_check'}(20)`)
          .all()
          .flatMap((row) => Object.values(row))
          .filter((line) => line !== 'ok')
      } catch (error) {
        // Where the damage is such that the check itself cannot go on.
        if (error instanceof Error && codeOf(error)?.startsWith('SQLITE_CORRUPT') === true) return [error.message]
        throw error
      }
    },

    /** The tables with rows whose parent is gone. */
    orphans: (): string[] => [
      ...new Set(
        database
          .statement<{ table: string }, []>('PRAGMA foreign_key_check')
          .all()
          .map(({ table }) => table),
      ),
    ],

    /** Bytes. */
    size: () => {
      const page = number('page_size')
      return { all: number('page_count') * page, free: number('freelist_count') * page }
    },
  }
}

/** The number of the last migration that was applied. */
export function schemaOf(database: Pick<ReadOnlyDatabase, 'statement'>): number {
  return database.statement<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0
}

export type DatabaseInspection = ReturnType<typeof createInspection>
