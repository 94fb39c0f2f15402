import { generateKeyPairSync } from 'node:crypto'
import { createSecondFactorStore } from '../../src/account/second-factor-store.ts'
import { createAdministratorStore } from '../../src/admin/administrator-store.ts'
import { createApplicationStore } from '../../src/application/application-store.ts'
import type { Application } from '../../src/application/application.ts'
import { createCredentialStore } from '../../src/application/credential-store.ts'
import type { ApnsCredential, FcmCredential } from '../../src/application/credential.ts'
import { createProviderTokenStore } from '../../src/application/provider-token-store.ts'
import { createUserKeyStore } from '../../src/application/user-key-store.ts'
import type { Database } from '../../src/database/database.ts'
import { createAlertStore } from '../../src/alert/alert-store.ts'
import { createHookStore } from '../../src/hook/hook-store.ts'
import { createWebhookStore } from '../../src/webhook/webhook-store.ts'
import { authenticator } from '../support/authenticator.ts'

const clock = { now: () => 1_790_000_000_000 }

const PRIVATE_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
})

const APNS: ApnsCredential = {
  kind: 'key',
  privateKey: PRIVATE_KEY,
  keyId: 'ABC123DEFG',
  teamId: 'TEAM123456',
  topic: 'com.example.app',
  environment: 'auto',
}

const FCM: FcmCredential = {
  kind: 'service-account',
  projectId: 'demo-project',
  clientEmail: 'push@demo-project.iam.gserviceaccount.com',
  privateKey: PRIVATE_KEY,
  privateKeyId: '0123456789abcdef',
}

const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`

export function addApplication(database: Database, name: string): Application {
  const made = createApplicationStore({ database, clock }).create(name)
  if (made.kind !== 'created') throw new Error(made.kind)
  return made.application
}

/** Everything that is sealed, for an application of this name: credentials, a webhook, user keys, a provider token. Apart from second factors. */
export function addSealed(database: Database, key: Uint8Array, name: string): Application {
  const application = addApplication(database, name)
  const credentials = createCredentialStore({ database, clock, key })
  credentials.put(application, APNS)
  credentials.put(application, FCM)
  createWebhookStore({ database, clock, key }).put(application, {
    url: 'https://example.com/hooks',
    events: ['push.finished'],
    secret: WEBHOOK_SECRET,
  })
  const userKeys = createUserKeyStore({ database, clock, key })
  for (const overlapMs of [0, 1]) userKeys.rotate(application, overlapMs)
  createProviderTokenStore({ database, key }).save(application, 'bearer the-token')
  return application
}

/** What of it opens with `key`. */
export function openedWith(database: Database, key: Uint8Array, application: Application): readonly string[] {
  const credentials = createCredentialStore({ database, clock, key })
  const webhook = createWebhookStore({ database, clock, key }).receiver(application.number)
  return [
    ...(opens(() => credentials.credentialOf(application, 'apns')) ? ['apns'] : []),
    ...(opens(() => credentials.credentialOf(application, 'fcm')) ? ['fcm'] : []),
    ...(webhook?.secret === WEBHOOK_SECRET ? ['webhook'] : []),
    ...(createUserKeyStore({ database, clock, key }).find(application)?.previous?.key.startsWith('bhu_') === true
      ? ['user key']
      : []),
    ...(createProviderTokenStore({ database, key }).all().includes('bearer the-token') ? ['token'] : []),
  ]
}

/** An administrator who signs in with codes. */
export function addSecondFactor(database: Database, key: Uint8Array, name: string): { number: number; name: string } {
  const administrator = createAdministratorStore({ database, clock }).add(name, 'no hash')
  if (administrator === null) throw new Error('the name is taken')
  const factors = createSecondFactorStore({ database, clock, key })
  const { secret } = factors.begin(administrator) ?? { secret: '' }
  if (typeof factors.confirm(administrator, authenticator(secret, clock)()) === 'string') throw new Error('wrong code')
  shown.set(administrator.number, secret)
  return administrator
}

const shown = new Map<number, string>()

/** Whether a code of their app counts, `steps` of 30 s from now. */
export function takesCode(database: Database, key: Uint8Array, owner: { number: number }, steps: number): boolean {
  const later = { now: () => clock.now() + steps * 30_000 }
  const code = authenticator(shown.get(owner.number) ?? '', later)()
  return createSecondFactorStore({ database, clock: later, key }).prove(owner, code) === 'code'
}

/** A hook whose calls are signed with `HOOK_SECRET`. */
export function addHook(database: Database, key: Uint8Array, application: Application, name: string): void {
  createHookStore({ database, clock, key }).put(
    { name, application: application.number, template: '{}' },
    { kind: 'signature', signature: 'github', secret: HOOK_SECRET },
  )
}

export const HOOK_SECRET = 'a secret of GitHub'

export function addAlert(database: Database, key: Uint8Array, name: string): void {
  createAlertStore({ database, clock, key }).add(
    { name, channel: 'ntfy', place: 'https://ntfy.test', kinds: ['disk'] },
    ALERT_TARGET,
  )
}

export const ALERT_TARGET = { url: 'https://ntfy.test/topic', secret: 'a token of ntfy' }

function opens(read: () => { readonly privateKey: string } | null): boolean {
  try {
    return read()?.privateKey === PRIVATE_KEY
  } catch {
    return false
  }
}
