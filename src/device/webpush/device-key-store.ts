import type { Database } from '../../database/database.ts'
import type { StoredRow, deviceKey } from '../../database/schema.ts'
import type { SubscriptionKeys } from './subscription-keys.ts'

type KeysRow = Pick<StoredRow<typeof deviceKey>, 'p256dh' | 'auth'>

/** The keys of browsers, by `device.id`. A trigger erases them with the device. */
export function createDeviceKeyStore({ database }: { database: Pick<Database, 'statement'> }) {
  // Writes nothing where the keys are the same, as at most launches.
  const set = database.statement<never, [device: number, p256dh: Uint8Array, auth: Uint8Array]>(
    `INSERT INTO device_key (device, p256dh, auth) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET p256dh = excluded.p256dh, auth = excluded.auth
     WHERE p256dh <> excluded.p256dh OR auth <> excluded.auth`,
  )
  return {
    /** Whether the keys have changed. */
    set: (device: number, { p256dh, auth }: SubscriptionKeys): boolean => set.run(device, p256dh, auth).changes > 0,
  }
}

export function createDeviceKeys(statement: Database['statement']) {
  const find = statement<KeysRow, [device: number]>('SELECT p256dh, auth FROM device_key WHERE device = ?')
  return (device: number): SubscriptionKeys | null => find.get(device)
}
