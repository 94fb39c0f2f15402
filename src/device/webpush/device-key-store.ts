import type { Database } from '../../database/database.ts'
import type { StoredRow, deviceKey } from '../../database/schema.ts'
import type { SubscriptionKeys } from './subscription-keys.ts'

type KeysRow = Pick<StoredRow<typeof deviceKey>, 'p256dh' | 'auth'>

/** By `device.id`. A trigger erases keys with their device. */
export function createDeviceKeyStore({ database }: { database: Pick<Database, 'statement'> }) {
  // Most launches repeat the keys, and then nothing is written.
  const set = database.statement<never, [device: number, p256dh: Uint8Array, auth: Uint8Array]>(
    `INSERT INTO device_key (device, p256dh, auth) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET p256dh = excluded.p256dh, auth = excluded.auth
     WHERE p256dh <> excluded.p256dh OR auth <> excluded.auth`,
  )
  return {
    /** True: the keys changed. */
    set: (device: number, { p256dh, auth }: SubscriptionKeys): boolean => set.run(device, p256dh, auth).changes > 0,
  }
}

export function createDeviceKeys(statement: Database['statement']) {
  const find = statement<KeysRow, [device: number]>('SELECT p256dh, auth FROM device_key WHERE device = ?')
  return (device: number): SubscriptionKeys | null => find.get(device)
}
