import { mkdirSync } from 'node:fs'
import { createAdminTokenStore } from '../../../src/admin/admin-token-store.ts'
import { createApplicationStore } from '../../../src/application/application-store.ts'
import { createCredentialStore } from '../../../src/application/credential-store.ts'
import { readApnsKey, readServiceAccount } from '../../../src/application/credential.ts'
import { readVapid } from '../../../src/application/vapid.ts'
import type { VapidCredential } from '../../../src/application/vapid.ts'
import type { ApnsCredential, FcmCredential } from '../../../src/application/credential.ts'
import { openDatabase } from '../../../src/database/database.ts'
import { createKnownCredentials } from '../../../src/gateway/simulator/known-credentials.ts'
import type { KnownCredentials } from '../../../src/gateway/simulator/known-credentials.ts'
import { loadSealingKey } from '../../../src/sealing/sealing-key.ts'
import { createWebhookStore } from '../../../src/webhook/webhook-store.ts'
import type { Gateway } from './answer-tables.ts'
import type { Ground } from './world.ts'

export interface Tenant extends Caller {
  readonly number: number
  /** Two for each gateway, of which it uses one. At first it has none for browsers. */
  readonly credentials: Readonly<Record<Gateway, readonly [TenantCredential, TenantCredential]>>
}

export interface Caller {
  readonly id: string
  readonly secret: string
}

export interface TenantCredential {
  /** Key id, address of the service account, or public key. */
  readonly name: string
  readonly credential: ApnsCredential | FcmCredential | VapidCredential
  /** For the admin API. */
  readonly fields: object
}

/** Shared by the worlds of a process. */
type Made = Pick<Ground, 'tenants' | 'metered' | 'adminToken' | 'key'>

/** Before any world. */
const MADE_AT = Date.UTC(2026, 0, 1)

/** Daily calls of the metered application. */
export const QUOTA = 4

/** By application. */
export const RECEIVERS = ['https://receiver.test/hooks', 'https://neighbour.test/hooks'] as const

/** Creates the initial data directory: two applications with credentials and webhooks, and one with a quota. */
export async function makeTemplate(directory: string): Promise<Made> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const known = await createKnownCredentials()
  using database = openDatabase(directory)
  const clock = { now: () => MADE_AT, monotonic: () => 0, after: () => () => {} }
  const random = (length: number) => new Uint8Array(length).fill(7)
  const applications = createApplicationStore({ database, clock, random: createRandom() })
  const sealing = loadSealingKey({ dataDirectory: directory, hasCredentials: false, random })
  if (sealing.kind === 'problem') throw new Error(sealing.problem)
  const { key } = sealing
  const credentials = createCredentialStore({ database, clock, key })
  const webhooks = createWebhookStore({ database, clock, key })

  function makeCaller(name: string, quota: number): Caller {
    const made = applications.create(name)
    if (made.kind !== 'created') throw new Error(made.kind)
    const { id } = made.application
    applications.setLimits(id, { rate: 0, backendRate: 0, quota, quotaPeriod: 'day', adoptImported: true })
    return { id, secret: made.secret }
  }

  function makeTenant(name: string, receiver: string): Tenant {
    const { id, secret } = makeCaller(name, 0)
    const application = applications.find(id)
    if (application === null) throw new Error('no application')
    const [first, second] = [issue(known, id), issue(known, `${id}, the other one`)]
    credentials.put(application, first.apns.credential)
    credentials.put(application, first.fcm.credential)
    webhooks.put(application, {
      url: receiver,
      events: ['push.finished', 'push.opened', 'device.gone', 'credential.paused', 'credential.resumed'],
      secret: `whsec_${Buffer.from(random(32)).toString('base64')}`,
    })
    const { number } = application
    return {
      id,
      number,
      secret,
      credentials: {
        apns: [first.apns, second.apns],
        fcm: [first.fcm, second.fcm],
        webpush: [first.webpush, second.webpush],
      },
    }
  }

  const tenants = [makeTenant('simulated', RECEIVERS[0]), makeTenant('neighbour', RECEIVERS[1])] as const
  const metered = makeCaller('metered', QUOTA)
  const adminToken = createAdminTokenStore({ database, clock, random }).add('world', {
    purpose: 'administer',
    expiresAt: null,
  })
  if (adminToken === null) throw new Error('no admin token')
  // All in one file.
  database.statement('PRAGMA wal_checkpoint(TRUNCATE)').all()
  return { tenants, metered, adminToken, key }
}

/** Reproducible bytes, different for each call. */
function createRandom(): (length: number) => Uint8Array {
  let calls = 0
  return (length) => new Uint8Array(length).fill(7 + calls++)
}

function issue(known: KnownCredentials, name: string): Record<Gateway, TenantCredential> {
  const { apnsKey, serviceAccount } = known.issue(name)
  const { p8, ...apple } = apnsKey
  const subject = 'mailto:world@simulated.example'
  const apns = readApnsKey({ ...apnsKey, environment: 'auto' })
  const fcm = readServiceAccount(serviceAccount)
  const number = new Bun.CryptoHasher('sha256').update(name).digest('base64url')
  const vapid = readVapid(number, subject)
  if (apns.kind === 'problem' || fcm.kind === 'problem' || vapid.kind === 'problem') throw new Error('no credential')
  return {
    apns: { name: apnsKey.keyId, credential: apns, fields: { ...apple, key: p8 } },
    fcm: { name: fcm.clientEmail, credential: fcm, fields: { serviceAccount } },
    webpush: { name: vapid.publicKey, credential: vapid, fields: { subject, key: number } },
  }
}
