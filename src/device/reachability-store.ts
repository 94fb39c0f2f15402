import { MAX_BADGE } from './badge.ts'
import type { BadgeChange } from './badge.ts'
import { storedOf } from './columns.ts'
import { ENVIRONMENT, STATE } from './device-row.ts'
import { packToken } from './device.ts'
import type { Environment, PackedToken, Platform } from './device.ts'
import type { Registry } from './registry-store.ts'

interface ReachabilityVerdict {
  readonly now: number
  /** When the gateway noticed, or was asked. A later registration wins. */
  readonly since: number
  readonly reason: string
}

/** Devices per step: 3 ms with 200 labels each. */
const SWEEP_LIMIT = 10

const GIVE_BACK_STEP = 250

const FCM = 1
const IPHONE = storedOf('fcm_platform', 'ios')

/** Only registered devices change. */
export function createReachabilityStore({ database, clock, lookup, feedback, leftDevices }: Registry) {
  type Row = { readonly application: number; readonly platform: number; readonly token: PackedToken }
  // A future `seen_at` dates from before the clock was set back. It counts as long ago, unless `since` is of that clock
  // too. `now` and `since` are service time, up to a second ahead of the clock.
  const left = database.statement<Row, [state: number, now: number, device: number, since: number, today: number]>(
    `UPDATE device SET state = ?1, updated_at = ?2
     WHERE id = ?3 AND state = ${STATE.registered} AND (?4 >= seen_at OR (?5 < seen_at AND ?4 <= max(?2, ?5)))
     RETURNING application, platform, token`,
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

  const setAside = database.statement<{ id: number; token: PackedToken }, number[]>(
    `SELECT d.id, d.token FROM feedback f INDEXED BY feedback_by_time
     CROSS JOIN device d ON d.application = f.application AND d.platform = f.platform AND d.token = f.token
     WHERE f.application = ? AND f.platform = ? AND f.at < ? AND d.state = ${STATE.quarantined} LIMIT ${GIVE_BACK_STEP}`,
  )
  const learnIphone = database.statement<never, [typeof IPHONE, now: number, device: number, token: PackedToken]>(
    `UPDATE device SET fcm_platform = ?, updated_at = max(updated_at, ?)
     WHERE id = ? AND token = ? AND fcm_platform IS NULL`,
  )
  const eraseLeft = database.statement<{ id: number }, [before: number, limit: number]>(
    `DELETE FROM device WHERE id IN (
       SELECT id FROM device INDEXED BY device_left WHERE state <> ${STATE.registered} AND updated_at < ?
       ORDER BY updated_at LIMIT ?) RETURNING id`,
  )

  function leave(state: number, device: number, { now, since, reason }: ReachabilityVerdict): boolean {
    const row = left.get(state, now, device, since, clock.now())
    if (row === null) return false
    feedback.report([row.application, row.platform, row.token], reason, now)
    return true
  }

  return {
    /**
     * The app is gone. False: the device registered after `since` (Apple, "Handling notification responses from APNs":
     * stop until it registers with a later timestamp).
     */
    markGone(device: number, verdict: ReachabilityVerdict): boolean {
      const left = leave(STATE.gone, device, verdict)
      if (left) leftDevices.keep(device)
      return left
    },

    /** No environment knows the token. The device leaves every audience but keeps its data. False: as in `markGone`. */
    quarantine: (device: number, verdict: ReachabilityVerdict): boolean => leave(STATE.quarantined, device, verdict),

    /** Registers some devices again, quarantined before `before`. True: more may follow. */
    giveBack(application: number, platform: Platform, before: number): boolean {
      const found = setAside.all(application, platform, before)
      for (const { id, token } of found) {
        lookup.revive(id, clock.now())
        feedback.forget(application, platform, token)
      }
      return found.length === GIVE_BACK_STEP
    },

    /** Erases some devices that left before `before`. True: more may follow. */
    eraseLeft: (before: number): boolean => eraseLeft.all(before, SWEEP_LIMIT).length === SWEEP_LIMIT,

    /** Apple answered for the token, through FCM. The app's own word wins. */
    learnIphone(device: number, token: string): void {
      learnIphone.run(IPHONE, clock.now(), device, packToken(token, FCM))
    },

    rememberEnvironment(device: number, known: Environment): void {
      environment.run(ENVIRONMENT[known], device)
    },

    /** As `applyBadge`. Returns the badges that changed. */
    changeBadges(devices: readonly number[], change: BadgeChange): ReadonlyMap<number, number> {
      const [statement, amount] = 'set' in change ? [setBadges, change.set] : [addToBadges, change.add]
      const rows = statement.all(JSON.stringify(devices), amount, clock.now())
      return new Map(rows.map(({ id, badge }) => [id, badge]))
    },
  }
}
