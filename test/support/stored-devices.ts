import type { Database } from '../../src/database/database.ts'

interface StoredDevice {
  readonly token: string | Uint8Array
  /** Default: SQLite's next one. */
  readonly id?: number
  /** `application.number`. Default 1. */
  readonly application?: number
  /** Default 0. */
  readonly platform?: number
  /** Default 0: registered. */
  readonly state?: number
  readonly user?: string
  readonly alias?: string
  readonly lat?: number
  readonly lng?: number
  /** Of its registrations. Default 0. */
  readonly seenAt?: number
}

/** Stores devices in one transaction, without a registration: many, or ones that none would make. */
export function storeDevices(
  database: Pick<Database, 'statement' | 'transact'>,
  count: number,
  nth: (n: number) => StoredDevice,
): void {
  type Value = string | number | Uint8Array | null
  const insert = database.statement<never, Value[]>(
    `INSERT INTO device (id, application, platform, state, token, user, alias, lat, lng, registered_at, seen_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?10, ?10, ?10)`,
  )
  database.transact(() => {
    for (let n = 0; n < count; n++) {
      const { id = null, application = 1, platform = 0, state = 0, token, user, alias, lat, lng, seenAt = 0 } = nth(n)
      const given = [user, alias, lat, lng].map((value) => value ?? null)
      insert.run(id, application, platform, state, token, ...given, seenAt)
    }
  })
}
