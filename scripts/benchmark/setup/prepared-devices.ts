import { generateKeyPairSync } from 'node:crypto'
import { createApplicationStore } from '../../../src/application/application-store.ts'
import { createCredentialStore } from '../../../src/application/credential-store.ts'
import { readApnsKey } from '../../../src/application/credential.ts'
import { systemClock } from '../../../src/clock.ts'
import { openDatabase } from '../../../src/database/database.ts'
import type { Database } from '../../../src/database/database.ts'
import { packToken } from '../../../src/device/device.ts'
import { loadSealingKey } from '../../../src/sealing/sealing-key.ts'
import { tagsOf, tokenOf } from './device-labels.ts'

export interface ApnsIdentity {
  readonly keyId: string
  readonly teamId: string
  readonly topic: string
}

export interface PreparedApplication {
  readonly applicationId: string
  readonly secret: string
  /** PEM */
  readonly p8: string
}

/**
 * Creates an unlimited application with an APNs key and `count` iOS devices in the database in `directory`, which is
 * created if missing.
 */
export function prepareDevices(
  directory: string,
  count: number,
  identity: ApnsIdentity,
  name = 'bench',
): PreparedApplication {
  using database = openDatabase(directory)
  const applications = createApplicationStore({ database, clock: systemClock })
  const made = applications.create(name)
  if (made.kind !== 'created') throw new Error(made.kind)
  applications.setLimits(made.application.id, { rate: 0, backendRate: 0, quota: 0 })

  const p8 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const credential = readApnsKey({ p8, ...identity, environment: 'production' })
  if (credential.kind === 'problem') throw new Error(credential.problem)
  const key = loadSealingKey({ dataDirectory: directory, hasCredentials: false })
  if (key.kind === 'problem') throw new Error(key.problem)
  createCredentialStore({ database, clock: systemClock, key: key.key }).put(made.application, credential)

  insertDevices(database, made.application.number, count, systemClock.now())
  // Closing would also do it, but only once the last statement is collected.
  database.statement('PRAGMA wal_checkpoint(TRUNCATE)').get()
  return { applicationId: made.application.id, secret: made.secret, p8 }
}

type Store = Pick<Database, 'statement' | 'transact'>

/** Devices in one transaction: the page cache holds their changes. */
const AT_ONCE = 500_000

/**
 * Writes the rows of `count` registrations at `now` in the device store's order, so that the file is as large as after
 * real ones; three times as fast. Do not use the connection afterwards: it no longer syncs or checks references.
 */
export function insertDevices(database: Store, application: number, count: number, now: number): void {
  database.statement('PRAGMA synchronous = OFF').run()
  database.statement('PRAGMA foreign_keys = OFF').run()
  database.statement('PRAGMA cache_size = -1048576').run() // KiB
  const device = database.statement<never, [number, string | Uint8Array, number, number, number]>(
    `INSERT INTO device (application, platform, token, registered_at, seen_at, updated_at) VALUES (?, 0, ?, ?, ?, ?)`,
  )
  const attach = database.statement<never, number[]>(
    'INSERT INTO device_label (label, device) VALUES (?1, ?4), (?2, ?4), (?3, ?4)',
  )
  const grow = database.statement<never, [number, number]>(
    'UPDATE registry_size SET devices = devices + ? WHERE application = ?',
  )
  const label = labelMaker(database, application)
  for (let from = 0; from < count; from += AT_ONCE) {
    database.transact(() => {
      for (let n = from; n < Math.min(from + AT_ONCE, count); n++) {
        const id = Number(device.run(application, packToken(tokenOf(n), 0), now, now, now).lastInsertRowid)
        const [a, b, c] = tagsOf(n, count)
        attach.run(label(a), label(b), label(c), id)
      }
    })
  }
  grow.run(count, application)
}

function labelMaker(database: Store, application: number): (name: string) => number {
  const insert = database.statement<never, [number, string]>(
    'INSERT INTO label (application, kind, name) VALUES (?, 0, ?)',
  )
  const known = new Map<string, number>()
  return (name) => {
    const id = known.get(name) ?? Number(insert.run(application, name).lastInsertRowid)
    known.set(name, id)
    return id
  }
}
