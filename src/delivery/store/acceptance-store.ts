import type { Database } from '../../database/database.ts'
import type { StoredRow, acceptedDevice, refusedToken } from '../../database/schema.ts'
import type { Platform } from '../../device/device.ts'
import type { WasAccepted } from '../../device/label-use-store.ts'
import { someOf } from './some-rows.ts'

/** Devices in one row, a bit each. */
const BLOCK = 512
const EMPTY_BLOCK = new Uint8Array(BLOCK / 8)

/** Refusals settled or forgotten in one step: 5 ms. */
const REFUSALS_STEP = 250

export interface CredentialKey {
  readonly application: number
  readonly platform: Platform
  /** A number for each credential of an application and platform; 0: the simulator's. */
  readonly credential: number
}

export type HeldRefusal = Pick<StoredRow<typeof refusedToken>, 'device' | 'reason' | 'since'>

/** Devices accepted with a credential, and tokens refused before any was. */
export function createAcceptanceStore({ database }: { readonly database: Pick<Database, 'statement'> }) {
  type Key = [application: number, platform: Platform, credential: number]
  const ofKey = 'application = ? AND platform = ? AND credential = ?'
  const ofOthers = 'application = ? AND platform = ? AND credential <> ?'
  const tokenKey = 'application, platform, credential, device'
  const someRefused = (where: string) => someOf('FROM refused_token', tokenKey, where)
  const bits = database.statement<Pick<StoredRow<typeof acceptedDevice>, 'devices'>, [...Key, block: number]>(
    `SELECT devices FROM accepted_device WHERE ${ofKey} AND block = ?`,
  )
  const any = database.statement<object, Key>(`SELECT 1 FROM accepted_device WHERE ${ofKey} LIMIT 1`)
  const keys = database.statement<CredentialKey, []>(
    'SELECT DISTINCT application, platform, credential FROM accepted_device',
  )
  const setBits = database.statement<never, [...Key, block: number, devices: Uint8Array]>(
    `INSERT INTO accepted_device (application, platform, credential, block, devices) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET devices = excluded.devices`,
  )
  const hold = database.statement<never, [...Key, device: number, reason: string, since: number]>(
    `INSERT INTO refused_token (application, platform, credential, device, reason, since) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET reason = excluded.reason, since = excluded.since`,
  )
  const take = database.statement<HeldRefusal, [...Key, limit: number]>(
    `DELETE FROM refused_token ${someRefused(ofKey)} RETURNING device, reason, since`,
  )
  const forgetAcceptedOfOthers = database.statement<never, Key>(`DELETE FROM accepted_device WHERE ${ofOthers}`)
  const forgetRefusedOfOthers = database.statement<never, [...Key, limit: number]>(
    `DELETE FROM refused_token ${someRefused(ofOthers)}`,
  )
  // One step in the key for each credential: DISTINCT would read all devices of each.
  const credentials = (from: string) =>
    database.statement<{ credential: number }, [application: number, platform: Platform]>(
      `WITH RECURSIVE known (credential) AS (
         SELECT (SELECT min(credential) ${from} WHERE application = ?1 AND platform = ?2)
         UNION ALL
         SELECT (SELECT min(credential) ${from} WHERE application = ?1 AND platform = ?2 AND credential > known.credential)
         FROM known WHERE credential IS NOT NULL)
       SELECT credential FROM known WHERE credential IS NOT NULL`,
    )
  const accepting = credentials('FROM accepted_device')
  const refusing = credentials('FROM refused_token')
  const release = database.statement<never, [...Key, device: number]>(
    `DELETE FROM refused_token WHERE ${ofKey} AND device = ?`,
  )
  const ofApplication = database.statement<StoredRow<typeof acceptedDevice>, [application: number]>(
    'SELECT * FROM accepted_device WHERE application = ? AND block >= 0',
  )
  const keyOf = ({ application, platform, credential }: CredentialKey): Key => [application, platform, credential]

  function mark(key: Key, devices: readonly number[], isAccepted: boolean): void {
    for (const [block, theirs] of Map.groupBy(devices, blockOf)) {
      const known = bits.get(...key, block)?.devices ?? EMPTY_BLOCK
      const changed = Uint8Array.from(known)
      for (const device of theirs) setBit(changed, device, isAccepted)
      if (Buffer.compare(known, changed) !== 0) setBits.run(...key, block, changed)
    }
  }

  return {
    hasAny: (key: CredentialKey): boolean => any.get(...keyOf(key)) !== null,

    all: (): CredentialKey[] => keys.all(),

    wasAccepted(key: CredentialKey, device: number): boolean {
      const row = bits.get(...keyOf(key), blockOf(device))
      return row !== null && hasBit(row.devices, device)
    },

    /** With any credential, as of this call. Reads 64 bytes for 512 devices. */
    everAccepted(application: number): WasAccepted {
      const rows = ofApplication.all(application)
      const platforms = new Set(rows.map(({ platform }) => platform))
      const blocks = Map.groupBy(rows, ({ platform, block }) => `${platform}/${block}`)
      return (platform, device) => {
        if (!platforms.has(platform)) return null
        const known = blocks.get(`${platform}/${blockOf(device)}`)
        return known?.some(({ devices }) => hasBit(devices, device)) ?? false
      }
    },

    accepted: (key: CredentialKey, devices: readonly number[]): void => mark(keyOf(key), devices, true),

    forgetAccepted(application: number, platform: Platform, device: number): void {
      for (const { credential } of accepting.all(application, platform)) {
        mark([application, platform, credential], [device], false)
      }
    },

    forgetRefused(application: number, platform: Platform, device: number): void {
      for (const { credential } of refusing.all(application, platform)) {
        release.run(application, platform, credential, device)
      }
    },

    hold: (key: CredentialKey, { device, reason, since }: HeldRefusal): void =>
      void hold.run(...keyOf(key), device, reason, since),

    takeHeld: (key: CredentialKey): HeldRefusal[] => take.all(...keyOf(key), REFUSALS_STEP),

    /** Returns whether there may be more. */
    forgetOthers(key: CredentialKey): boolean {
      forgetAcceptedOfOthers.run(...keyOf(key))
      return forgetRefusedOfOthers.run(...keyOf(key), REFUSALS_STEP).changes === REFUSALS_STEP
    },
  }
}

const blockOf = (device: number): number => Math.floor(device / BLOCK)

const hasBit = (block: Uint8Array, device: number): boolean =>
  ((block[(device % BLOCK) >> 3] ?? 0) & (1 << (device & 7))) !== 0

function setBit(block: Uint8Array, device: number, isSet: boolean): void {
  const at = (device % BLOCK) >> 3
  const bit = 1 << (device & 7)
  block[at] = isSet ? (block[at] ?? 0) | bit : (block[at] ?? 0) & ~bit
}
