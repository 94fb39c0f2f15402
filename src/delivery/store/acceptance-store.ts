import type { Database } from '../../database/database.ts'
import type { StoredRow, acceptedDevice, refusedToken } from '../../database/schema.ts'
import type { Platform } from '../../device/device.ts'
import type { WasAccepted } from '../../device/label-use-store.ts'

/** Devices in one row, a bit each. */
const BLOCK = 512

/** Refusals settled or forgotten in one step: 5 ms. */
const REFUSALS_STEP = 250

export interface CredentialKey {
  readonly application: number
  readonly platform: Platform
  /** A number for each credential of an application and platform; 0: the simulator's. */
  readonly credential: number
}

/** A token that was refused before the credential was known to be good. */
export type HeldRefusal = Pick<StoredRow<typeof refusedToken>, 'device' | 'reason' | 'since'>

/**
 * Devices that were accepted with a credential, and tokens that were refused before any was. Whatever writes runs in a
 * transaction of the caller.
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
  const forgetOthers = [
    database.statement<never, Key>(`DELETE FROM accepted_device WHERE ${ofOthers}`),
    database.statement<never, Key>(
      `DELETE FROM refused_token WHERE (application, platform, credential, device) IN (
         SELECT application, platform, credential, device FROM refused_token WHERE ${ofOthers} LIMIT ${REFUSALS_STEP})`,
    ),
  ]
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
  const ofApplication = database.statement<
    Pick<StoredRow<typeof acceptedDevice>, 'platform' | 'block' | 'devices'>,
    [application: number]
  >('SELECT platform, block, devices FROM accepted_device WHERE application = ? AND block >= 0')
  const keyOf = ({ application, platform, credential }: CredentialKey): Key => [application, platform, credential]

  return {
    hasAny: (key: CredentialKey): boolean => any.get(...keyOf(key)) !== null,

    /** Credentials that a gateway accepted something with, including replaced ones until they are forgotten. */
    all: (): CredentialKey[] => keys.all(),

    wasAccepted(key: CredentialKey, device: number): boolean {
      const block = Math.floor(device / BLOCK)
      const row = bits.get(...keyOf(key), block)
      return row !== null && hasBit(row.devices, device - block * BLOCK)
    },

    /** With whichever credential, as far as it is known when this is called. Reads 64 bytes for 512 devices. */
    everAccepted(application: number): WasAccepted {
      const known = new Map<Platform, Map<number, Uint8Array[]>>()
      for (const { platform, block, devices } of ofApplication.all(application)) {
        const blocks = known.get(platform) ?? new Map<number, Uint8Array[]>()
        blocks.set(block, [...(blocks.get(block) ?? []), devices])
        known.set(platform, blocks)
      }
      return (platform, device) => {
        const blocks = known.get(platform)
        if (blocks === undefined) return null
        const block = Math.floor(device / BLOCK)
        return blocks.get(block)?.some((devices) => hasBit(devices, device - block * BLOCK)) ?? false
      }
    },

    accepted(key: CredentialKey, devices: readonly number[]): void {
      for (const [block, theirs] of Map.groupBy(devices, (device) => Math.floor(device / BLOCK))) {
        const known = bits.get(...keyOf(key), block)?.devices
        const changed = known === undefined ? new Uint8Array(BLOCK / 8) : Uint8Array.from(known)
        for (const device of theirs) setBit(changed, device - block * BLOCK)
        if (known === undefined || Buffer.compare(known, changed) !== 0) setBits.run(...keyOf(key), block, changed)
      }
    },

    /** Forgets whether something was taken for a device, `device.id`, with any credential. */
    forgetAccepted(application: number, platform: Platform, device: number): void {
      const block = Math.floor(device / BLOCK)
      for (const { credential } of accepting.all(application, platform)) {
        const known = bits.get(application, platform, credential, block)?.devices
        if (known === undefined || !hasBit(known, device - block * BLOCK)) continue
        const changed = Uint8Array.from(known)
        clearBit(changed, device - block * BLOCK)
        setBits.run(application, platform, credential, block, changed)
      }
    },

    /** Forgets that its token was refused. */
    forgetRefused(application: number, platform: Platform, device: number): void {
      for (const { credential } of refusing.all(application, platform)) {
        release.run(application, platform, credential, device)
      }
    },

    /** Until something is accepted with the credential. */
    hold: (key: CredentialKey, { device, reason, since }: HeldRefusal): void =>
      void hold.run(...keyOf(key), device, reason, since),

    /** Takes some of the held refusals; none: there are no more. */
    takeHeld: (key: CredentialKey): HeldRefusal[] => take.all(...keyOf(key), REFUSALS_STEP),

    /** Forgets some of what is known of other credentials; returns whether there may be more. */
    forgetOthers(key: CredentialKey): boolean {
      const changes = forgetOthers.map((forget) => forget.run(...keyOf(key)).changes)
      return changes.includes(REFUSALS_STEP)
    },
  }
}

const hasBit = (bytes: Uint8Array, bit: number): boolean => ((bytes[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0

function setBit(bytes: Uint8Array, bit: number): void {
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (1 << (bit & 7))
}

function clearBit(bytes: Uint8Array, bit: number): void {
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) & ~(1 << (bit & 7))
}
