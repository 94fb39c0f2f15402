import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { MAX_BADGE } from './badge.ts'
import type { BadgeChange } from './badge.ts'
import { ENVIRONMENT, STATE } from './device-row.ts'
import type { Environment, Platform } from './device.ts'
import { createLeftDeviceStore } from './left-device-store.ts'

interface ReachabilityVerdict {
  /** Milliseconds since the Unix epoch. */
  readonly now: number
  /**
   * Since when the gateway knows it, or when it was asked, ms since the Unix epoch. A device that has registered after
   * that is there.
   */
  readonly since: number
  /** The gateway's own reason. */
  readonly reason: string
}

/** Devices erased in one step of a sweep: with 200 labels each 3 ms. */
const SWEEP_LIMIT = 10

/** Devices given back in one step: 5 ms. */
const GIVE_BACK_STEP = 250

interface Dependencies {
  readonly database: Pick<Database, 'statement'>
  readonly clock: Clock
}

/** What deliveries learn about a device. A device that is not registered is left as it is. */
export function createReachabilityStore({ database, clock }: Dependencies) {
  const leftDevices = createLeftDeviceStore({ database })
  interface Row {
    readonly application: number
    readonly platform: number
    readonly token: string | Uint8Array
  }
  // Who was seen in the future was seen by a clock that has been put back since: that is long ago, unless the answer
  // is of that clock too.
  const left = database.statement<Row, [state: number, now: number, device: number, since: number, today: number]>(
    `UPDATE device SET state = ?1, updated_at = ?2
     WHERE id = ?3 AND state = ${STATE.registered} AND (?4 >= seen_at OR (?5 < seen_at AND ?4 <= ?5))
     RETURNING application, platform, token`,
  )
  const report = database.statement<never, [number, number, string | Uint8Array, string, number]>(
    `INSERT INTO feedback (application, platform, token, reason, at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET reason = excluded.reason, at = excluded.at`,
  )
  const environment = database.statement<never, [environment: number, device: number]>(
    'UPDATE device SET environment = ? WHERE id = ?',
  )
  const changeTo = (badge: string) =>
    database.statement<{ id: number; badge: number }, [devices: string, amount: number, now: number]>(
      `UPDATE device SET badge = ${badge}, updated_at = ?3
       WHERE id IN (SELECT value FROM json_each(?1)) AND badge <> ${badge} RETURNING id, badge`,
    )
  const setBadges = changeTo('?2')
  const addToBadges = changeTo(`min(max(badge + ?2, 0), ${MAX_BADGE})`)

  type OfToken = [application: number, platform: number, token: string | Uint8Array]
  const setAside = database.statement<{ id: number; token: string | Uint8Array }, number[]>(
    `SELECT d.id, d.token FROM feedback f INDEXED BY feedback_by_time
     CROSS JOIN device d ON d.application = f.application AND d.platform = f.platform AND d.token = f.token
     WHERE f.application = ? AND f.platform = ? AND f.at < ? AND d.state = ${STATE.quarantined} LIMIT ${GIVE_BACK_STEP}`,
  )
  const revive = database.statement<never, [now: number, device: number]>(
    `UPDATE device SET state = ${STATE.registered}, updated_at = ? WHERE id = ?`,
  )
  const forget = database.statement<never, OfToken>(
    'DELETE FROM feedback WHERE application = ? AND platform = ? AND token = ?',
  )

  const eraseLeft = database.statement<{ id: number }, [before: number, limit: number]>(
    `DELETE FROM device WHERE id IN (
       SELECT id FROM device INDEXED BY device_left WHERE state <> ${STATE.registered} AND updated_at < ?
       ORDER BY updated_at LIMIT ?) RETURNING id`,
  )

  function leave(state: number, device: number, { now, since, reason }: ReachabilityVerdict): boolean {
    const row = left.get(state, now, device, since, clock.now())
    if (row === null) return false
    report.run(row.application, row.platform, row.token, reason, now)
    return true
  }

  return {
    /**
     * The app is gone from the device: false when that is not so, because the device has registered after `since`
     * (Apple, "Handling notification responses from APNs": stop until it registers with a later timestamp).
     */
    markGone(device: number, verdict: ReachabilityVerdict): boolean {
      const left = leave(STATE.gone, device, verdict)
      if (left) leftDevices.keep(device)
      return left
    },

    /**
     * No environment knows the token: it leaves every audience, and its next registration finds its data. False as of
     * `markGone`.
     */
    quarantine: (device: number, verdict: ReachabilityVerdict): boolean => leave(STATE.quarantined, device, verdict),

    /**
     * Registers some of the devices again that were quarantined before `before`, ms since the Unix epoch, as they were;
     * whether there may be more.
     */
    giveBack(application: number, platform: Platform, before: number): boolean {
      const found = setAside.all(application, platform, before)
      for (const { id, token } of found) {
        revive.run(clock.now(), id)
        forget.run(application, platform, token)
      }
      return found.length === GIVE_BACK_STEP
    },

    /**
     * Erases some of the devices that have been gone, or in quarantine, since before `before` (ms since the Unix epoch);
     * whether there may be more.
     */
    eraseLeft: (before: number): boolean => eraseLeft.all(before, SWEEP_LIMIT).length === SWEEP_LIMIT,

    /** The APNs environment that took a notification for the device. */
    rememberEnvironment(device: number, known: Environment): void {
      environment.run(ENVIRONMENT[known], device)
    },

    /** Changes badges, as `applyBadge` does; says what each device has by then, of those that now have another one. */
    changeBadges(devices: readonly number[], change: BadgeChange): ReadonlyMap<number, number> {
      const [statement, amount] = 'set' in change ? [setBadges, change.set] : [addToBadges, change.add]
      const rows = statement.all(JSON.stringify(devices), amount, clock.now())
      return new Map(rows.map(({ id, badge }) => [id, badge]))
    },
  }
}
