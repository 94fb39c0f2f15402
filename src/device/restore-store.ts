import { STATE } from './device-row.ts'
import { packToken } from './device.ts'
import type { DeviceState, Platform } from './device.ts'
import type { FeedbackEntry, TokenKey } from './feedback-store.ts'
import { giveBack } from './registration/token-move-store.ts'
import { createRegistry } from './registry-store.ts'
import type { RegistryData } from './registry-store.ts'

/** A time in which gateways declared tokens dead, both ends included, ms since the Unix epoch. */
export interface Departures {
  readonly platforms: readonly Platform[]
  readonly since: number
  /** `null`: until now. */
  readonly until: number | null
}

export interface Absent {
  readonly reason: string
  readonly gone: number
  readonly quarantined: number
  /** How many of them have lost their alias to another device. */
  readonly aliasTaken: number
  /** How many have nothing left but their rows. */
  readonly bare: number
}

export interface RestoredDevice {
  readonly state: Exclude<DeviceState, 'registered'>
  readonly aliasTaken: boolean
  /** Without labels and alias: nothing but the row was kept when it left. */
  readonly bare: boolean
  readonly labels: number
}

/**
 * Registers devices again that a gateway has declared dead, with the labels and alias that they had. The size of the
 * registry does not grow: it counts devices that have left, too.
 */
export function createRestoreStore({ database, clock }: RegistryData) {
  const registry = createRegistry({ database, clock })
  const absent = database.reading<Absent, [application: number, since: number, until: number, platforms: string]>(
    `SELECT f.reason, sum(d.state = ${STATE.gone}) AS gone, sum(d.state = ${STATE.quarantined}) AS quarantined,
       sum(d.state = ${STATE.gone} AND k.device IS NULL) AS bare,
       sum(k.alias IS NOT NULL AND EXISTS (SELECT 1 FROM device h
         WHERE h.application = d.application AND h.alias = k.alias AND h.state = ${STATE.registered})) AS aliasTaken
     FROM feedback f INDEXED BY feedback_by_time
     CROSS JOIN device d ON d.application = f.application AND d.platform = f.platform AND d.token = f.token
     LEFT JOIN left_device k ON k.device = d.id
     WHERE f.application = ? AND f.at BETWEEN ? AND ? AND d.state <> ${STATE.registered}
       AND f.platform IN (SELECT value FROM json_each(?))
     GROUP BY f.reason ORDER BY count(*) DESC, f.reason`,
  )
  const away = database.statement<{ id: number; state: number }, [...TokenKey, reason: string, at: number]>(
    `SELECT d.id, d.state FROM feedback f
     CROSS JOIN device d ON d.application = f.application AND d.platform = f.platform AND d.token = f.token
     WHERE f.application = ? AND f.platform = ? AND f.token = ? AND f.reason = ? AND f.at = ?
       AND d.state <> ${STATE.registered}`,
  )

  return {
    /** Devices that could be restored, the most frequent reason first. Reads all feedback of that time. */
    absent: (application: number, { platforms, since, until }: Departures): Absent[] =>
      absent.all(application, since, until ?? Number.MAX_SAFE_INTEGER, JSON.stringify(platforms)),

    /**
     * Restores the device of a feedback entry and erases the entry. `null`, and nothing changed, where the device has
     * registered or was erased since, or a gateway has said something else. Call it for the device that left last first:
     * of several with one alias that was the last to have it. To be called inside a transaction.
     */
    restore(application: number, { platform, token, reason, at }: FeedbackEntry): RestoredDevice | null {
      registry.labels.refresh()
      const packed = packToken(token, platform)
      const row = away.get(application, platform, packed, reason, at)
      if (row === null) return null
      const { id, state } = row
      const { kept, aliasTaken } = giveBack(registry, application, id)
      registry.lookup.revive(id, clock.now())
      registry.feedback.forget(application, platform, packed)
      return {
        state: state === STATE.gone ? 'gone' : 'quarantined',
        aliasTaken,
        bare: kept === null && state === STATE.gone,
        labels: (kept?.labels.tag.length ?? 0) + (kept?.labels.active.length ?? 0),
      }
    },
  }
}
