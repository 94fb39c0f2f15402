import { STATE } from './device-row.ts'
import { packToken } from './device.ts'
import type { DeviceState, Platform } from './device.ts'
import type { FeedbackEntry, TokenKey } from './feedback-store.ts'
import { giveBack } from './registration/token-move-store.ts'
import { createRegistry } from './registry-store.ts'
import type { RegistryData } from './registry-store.ts'

/** When gateways reported tokens as unregistered, both ends inclusive. */
export interface Departures {
  readonly platforms: readonly Platform[]
  readonly since: number
  /** `null`: now. */
  readonly until: number | null
}

export interface Absent {
  readonly reason: string
  readonly gone: number
  readonly quarantined: number
  /** Devices whose alias another device has now. */
  readonly aliasTaken: number
  /** Devices with nothing left but their rows. */
  readonly bare: number
}

export interface RestoredDevice {
  readonly state: Exclude<DeviceState, 'registered'>
  readonly aliasTaken: boolean
  /** No labels and no alias were kept. */
  readonly bare: boolean
  readonly labels: number
}

/**
 * Registers devices again that a gateway reported as unregistered. The registry's size stays: it counts devices that
 * left.
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
    /** The most frequent reason first. Reads all feedback of that time. */
    absent: (application: number, { platforms, since, until }: Departures): Absent[] =>
      absent.all(application, since, until ?? Number.MAX_SAFE_INTEGER, JSON.stringify(platforms)),

    /**
     * Erases the feedback entry too. `null`: the device registered, was erased, or got other feedback since; nothing
     * changed. Start with the last departure: of several devices with one alias, that one had it last.
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
