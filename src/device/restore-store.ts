import { STATE } from './device-row.ts'
import { packToken } from './device.ts'
import type { DeviceState, Platform } from './device.ts'
import type { FeedbackEntry } from './feedback-store.ts'
import { createAliasIndex } from './index/alias-index.ts'
import { createLabelIndexBeside } from './index/label-index.ts'
import type { RegistryBeside } from './index/label-index.ts'
import { createLeftDeviceStore } from './left-device-store.ts'
import { giveBack } from './registration/token-move-store.ts'

/** A time in which gateways declared tokens dead, both ends included, ms since the Unix epoch. */
export interface Departures {
  readonly platforms: readonly Platform[]
  readonly since: number
  /** `null`: until now. */
  readonly until: number | null
}

/** Devices that left for one reason and are still away. */
export interface Absent {
  /** The gateway's own word. */
  readonly reason: string
  readonly gone: number
  readonly quarantined: number
  /** Of these, with an alias that another device has by now. */
  readonly aliasTaken: number
  /** Of these, with nothing kept of them but their rows. */
  readonly bare: number
}

export interface RestoredDevice {
  readonly state: Exclude<DeviceState, 'registered'>
  /** Another device has its alias by now: it came back without one. */
  readonly aliasTaken: boolean
  /** Nothing but its row was kept when it left: it came back without labels and alias. */
  readonly bare: boolean
  /** Labels that it got back. */
  readonly labels: number
}

/**
 * Takes back what a gateway said of devices: they are as they were when they left, with labels and alias. Nothing is made
 * that was not counted already, since a device that has left still is in the size of the registry.
 */
export function createRestoreStore({ database, clock }: RegistryBeside) {
  const labels = createLabelIndexBeside({ database })
  const aliases = createAliasIndex({ database, clock })
  const leftDevices = createLeftDeviceStore({ database })
  type OfToken = [application: number, platform: number, token: string | Uint8Array]
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
  const away = database.statement<{ id: number; state: number }, [...OfToken, reason: string, at: number]>(
    `SELECT d.id, d.state FROM feedback f
     CROSS JOIN device d ON d.application = f.application AND d.platform = f.platform AND d.token = f.token
     WHERE f.application = ? AND f.platform = ? AND f.token = ? AND f.reason = ? AND f.at = ?
       AND d.state <> ${STATE.registered}`,
  )
  const revive = database.statement<never, [now: number, device: number]>(
    `UPDATE device SET state = ${STATE.registered}, updated_at = ? WHERE id = ?`,
  )
  const forget = database.statement<never, OfToken>(
    'DELETE FROM feedback WHERE application = ? AND platform = ? AND token = ?',
  )

  return {
    /** What could be restored, by reason, the most frequent first. Reads all feedback of that time. */
    absent: (application: number, { platforms, since, until }: Departures): Absent[] =>
      absent.all(application, since, until ?? Number.MAX_SAFE_INTEGER, JSON.stringify(platforms)),

    /**
     * Brings back the device of an entry of the feedback, and takes the entry away. `null`, and nothing changed, where it
     * has registered or was erased since, or a gateway has said something else. Whoever left last is to be first, since of
     * several that have had an alias it was the last to have it. To be called inside a transaction.
     */
    restore(application: number, { platform, token, reason, at }: FeedbackEntry): RestoredDevice | null {
      labels.refresh()
      const packed = packToken(token, platform)
      const row = away.get(application, platform, packed, reason, at)
      if (row === null) return null
      const { id, state } = row
      const { kept, aliasTaken } = giveBack({ labels, aliases, leftDevices }, application, id)
      revive.run(clock.now(), id)
      forget.run(application, platform, packed)
      return {
        state: state === STATE.gone ? 'gone' : 'quarantined',
        aliasTaken,
        bare: kept === null && state === STATE.gone,
        labels: (kept?.labels.tag.length ?? 0) + (kept?.labels.active.length ?? 0),
      }
    },
  }
}
