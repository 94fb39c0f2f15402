import { mkdirSync } from 'node:fs'
import { createApplicationStore } from '../../../src/application/application-store.ts'
import { createCredentialStore } from '../../../src/application/credential-store.ts'
import { readApnsKey, readServiceAccount } from '../../../src/application/credential.ts'
import { openDatabase } from '../../../src/database/database.ts'
import { createKnownCredentials } from '../../../src/gateway/simulator/known-credentials.ts'
import { loadSealingKey } from '../../../src/sealing/sealing-key.ts'
import { createWebhookStore } from '../../../src/webhook/webhook-store.ts'

export interface Tenant {
  readonly id: string
  readonly secret: string
}

/** When the template was made: before any world begins. */
const MADE_AT = Date.UTC(2026, 0, 1)

const RECEIVER = 'https://receiver.test/hooks'

/** Makes a data directory with one application, its credentials and its webhook: what each world begins with. */
export async function makeTemplate(directory: string): Promise<Tenant> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const known = await createKnownCredentials()
  using database = openDatabase(directory)
  const clock = { now: () => MADE_AT, monotonic: () => 0, after: () => () => {} }
  const random = (length: number) => new Uint8Array(length).fill(7)
  const applications = createApplicationStore({ database, clock, random })
  const made = applications.create('simulated')
  if (made.kind !== 'created') throw new Error(made.kind)
  const { id } = made.application
  applications.setLimits(id, { rate: 0, backendRate: 0 })
  const application = applications.find(id)
  if (application === null) throw new Error('no application')

  const sealing = loadSealingKey({ dataDirectory: directory, hasCredentials: false, random })
  if (sealing.kind === 'problem') throw new Error(sealing.problem)
  const { key } = sealing
  const { apnsKey, serviceAccount } = known.issue(id)
  const credentials = createCredentialStore({ database, clock, key })
  const apns = readApnsKey({ ...apnsKey, environment: 'auto' })
  const fcm = readServiceAccount(serviceAccount)
  if (apns.kind === 'problem' || fcm.kind === 'problem') throw new Error('no credential')
  credentials.put(application, apns)
  credentials.put(application, fcm)
  createWebhookStore({ database, clock, key }).put(application, {
    url: RECEIVER,
    events: ['push.finished', 'device.gone', 'credential.paused', 'credential.resumed'],
    secret: `whsec_${Buffer.from(random(32)).toString('base64')}`,
  })
  // All of it in the one file.
  database.statement('PRAGMA wal_checkpoint(TRUNCATE)').all()
  return { id, secret: made.secret }
}
