import { createECDH, randomBytes } from 'node:crypto'
import { createApplicationStore } from '../../../src/application/application-store.ts'
import { createCredentialStore } from '../../../src/application/credential-store.ts'
import { makeVapid } from '../../../src/application/vapid.ts'
import { systemClock } from '../../../src/clock.ts'
import { openDatabase } from '../../../src/database/database.ts'
import { createDeviceStore } from '../../../src/device/device-store.ts'
import { loadSealingKey } from '../../../src/sealing/sealing-key.ts'

/** On a fiftieth of the browsers. */
export const WARM_UP_TAG = 'warm-up'
const WARM_UP_EACH = 50

/**
 * Creates a database in `directory`: one unlimited application with a VAPID key, and `count` browsers of one push
 * service, each with its own keys.
 */
export function prepareBrowsers(
  directory: string,
  count: number,
  origin: string,
): { readonly directory: string; readonly applicationId: string; readonly secret: string } {
  using database = openDatabase(directory)
  const clock = systemClock
  const applications = createApplicationStore({ database, clock })
  const made = applications.create('bench')
  if (made.kind !== 'created') throw new Error(made.kind)
  const { application, secret } = made
  applications.setLimits(application.id, { rate: 0, backendRate: 0, quota: 0 })
  const key = loadSealingKey({ dataDirectory: directory, hasCredentials: false })
  if (key.kind === 'problem') throw new Error(key.problem)
  createCredentialStore({ database, clock, key: key.key }).put(application, makeVapid('mailto:bench@example.com'))

  const devices = createDeviceStore({ database, clock })
  database.transact(() => {
    for (let n = 0; n < count; n++) {
      const keys = { p256dh: createECDH('prime256v1').generateKeys(), auth: randomBytes(16) }
      const tag = n % WARM_UP_EACH === 0 ? [WARM_UP_TAG] : []
      devices.register(application.number, { token: `${origin}/push/${n}`, platform: 2, keys, tag })
    }
  })
  database.statement('PRAGMA wal_checkpoint(TRUNCATE)').get()
  return { directory, applicationId: application.id, secret }
}

export function warmedUp(count: number): number {
  return Math.ceil(count / WARM_UP_EACH)
}
