import type { Database } from '../../database/database.ts'
import type { StoredRow, acceptedDevice, refusedToken } from '../../database/schema.ts'
import type { Platform } from '../../device/device.ts'

/** Devices whose bits are in one row. */
const BLOCK = 512

/** Refusals settled, or forgotten, in one step: 5 ms. */
const REFUSALS_STEP = 250

/** A credential that something is sent with. */
export interface CredentialKey {
  readonly application: number
  readonly platform: Platform
  /** Another number for each credential of an application and platform. */
  readonly credential: number
}

/** A token that was refused while it was not known whether the credential is good. */
export type HeldRefusal = Pick<StoredRow<typeof refusedToken>, 'device' | 'reason' | 'since'>

/**
 * For which devices a gateway has taken something with a credential, a bit each; and which tokens it refused before it
 * took anything. What writes runs inside a transaction of the caller.
 */
export function createAcceptanceStore({ database }: { readonly database: Pick<Database, 'statement'> }) {
  type Key = [application: number, platform: Platform, credential: number]
  const ofKey = 'application = ? AND platform = ? AND credential = ?'
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
    `DELETE FROM refused_token WHERE (application, platform, credential, device) IN (
       SELECT application, platform, credential, device FROM refused_token WHERE ${ofKey} LIMIT ?)
     RETURNING device, reason, since`,
  )
  const ofOthers = 'application = ? AND platform = ? AND credential <> ?'
  const hasOthers = database.statement<object, [...Key, ...Key]>(
    `SELECT 1 FROM accepted_device WHERE ${ofOthers} UNION ALL SELECT 1 FROM refused_token WHERE ${ofOthers} LIMIT 1`,
  )
  const forgetOthers = [
    database.statement<never, Key>(`DELETE FROM accepted_device WHERE ${ofOthers}`),
    database.statement<never, Key>(
      `DELETE FROM refused_token WHERE (application, platform, credential, device) IN (
         SELECT application, platform, credential, device FROM refused_token WHERE ${ofOthers} LIMIT ${REFUSALS_STEP})`,
    ),
  ]
  const keyOf = ({ application, platform, credential }: CredentialKey): Key => [application, platform, credential]

  return {
    /** Whether the gateway has taken anything with this credential. */
    hasAny: (key: CredentialKey): boolean => any.get(...keyOf(key)) !== null,

    /** The credentials that something was taken with, also those that were replaced, until they are forgotten. */
    all: (): CredentialKey[] => keys.all(),

    /** Whether the gateway has taken something for the device, `device.id`, with this credential. */
    wasAccepted(key: CredentialKey, device: number): boolean {
      const block = Math.floor(device / BLOCK)
      const row = bits.get(...keyOf(key), block)
      return row !== null && hasBit(row.devices, device - block * BLOCK)
    },

    /** Notes that it has. */
    accepted(key: CredentialKey, devices: readonly number[]): void {
      for (const [block, theirs] of Map.groupBy(devices, (device) => Math.floor(device / BLOCK))) {
        const known = bits.get(...keyOf(key), block)?.devices
        const changed = known === undefined ? new Uint8Array(BLOCK / 8) : Uint8Array.from(known)
        for (const device of theirs) setBit(changed, device - block * BLOCK)
        if (known === undefined || Buffer.compare(known, changed) !== 0) setBits.run(...keyOf(key), block, changed)
      }
    },

    hold: (key: CredentialKey, { device, reason, since }: HeldRefusal): void =>
      void hold.run(...keyOf(key), device, reason, since),

    /** Takes some of those that are held; none: there are no more. */
    takeHeld: (key: CredentialKey): HeldRefusal[] => take.all(...keyOf(key), REFUSALS_STEP),

    /** Whether anything is known of other credentials of the same application and platform. */
    hasOthers: (key: CredentialKey): boolean => hasOthers.get(...keyOf(key), ...keyOf(key)) !== null,

    /** Forgets some of it; whether there may be more. */
    forgetOthers(key: CredentialKey): boolean {
      const changes = forgetOthers.map((forget) => forget.run(...keyOf(key)).changes)
      return changes.includes(REFUSALS_STEP)
    },
  }
}

function hasBit(bytes: Uint8Array, bit: number): boolean {
  return ((bytes[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0
}

function setBit(bytes: Uint8Array, bit: number): void {
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (1 << (bit & 7))
}
