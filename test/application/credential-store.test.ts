import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { createApplicationStore } from '../../src/application/application-store.ts'
import { createCredentialStore } from '../../src/application/credential-store.ts'
import type { ApnsCredential, FcmCredential } from '../../src/application/credential.ts'
import { addApplication } from '../sealing/sealed-records.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'

const key = new Uint8Array(32).fill(7)
const clock = { now: () => 1_790_000_000_000 }
const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
})

const APNS = {
  kind: 'key',
  privateKey,
  keyId: 'ABC123DEFG',
  teamId: 'TEAM123456',
  topic: 'com.example.app',
  environment: 'auto',
} as const satisfies ApnsCredential

const FCM: FcmCredential = {
  kind: 'service-account',
  projectId: 'demo-project',
  clientEmail: 'push@demo-project.iam.gserviceaccount.com',
  privateKey,
  privateKeyId: '0123456789abcdef',
}

function openStore() {
  const opened = temporaryDatabase()
  const { database } = opened
  const application = addApplication(database, 'Demo')
  const other = addApplication(database, 'Other')
  return { ...opened, application, other, credentials: createCredentialStore({ database, clock, key }) }
}

describe('a credential', () => {
  test('is what was put, one for each provider', () => {
    using opened = openStore()
    const { credentials, application, other } = opened
    expect(credentials.credentialOf(application, 'apns')).toBeNull()
    expect(credentials.credentialOf(application, 'fcm')).toBeNull()
    credentials.put(application, APNS)
    credentials.put(application, FCM)
    expect(credentials.credentialOf(application, 'apns')).toEqual(APNS)
    expect(credentials.credentialOf(application, 'fcm')).toEqual(FCM)
    expect(credentials.credentialOf(other, 'apns')).toBeNull()
  })

  test('takes the place of the one before', () => {
    using opened = openStore()
    const { credentials, application } = opened
    credentials.put(application, APNS)
    const certificate: ApnsCredential = {
      kind: 'certificate',
      certificate: 'PEM',
      privateKey,
      topic: 'com.example.app',
      environment: 'production',
      expiresAt: 1,
    }
    createCredentialStore({ database: opened.database, clock: { now: () => 5 }, key }).put(application, certificate)
    expect(credentials.credentialOf(application, 'apns')).toEqual(certificate)
    expect(credentials.summaries(application)).toEqual([
      {
        provider: 'apns',
        createdAt: 5,
        kind: 'certificate',
        topic: 'com.example.app',
        environment: 'production',
        expiresAt: 1,
      },
    ])
  })

  test('leaves nothing of its private key in the files of the data directory', () => {
    using opened = openStore()
    opened.credentials.put(opened.application, APNS)
    opened.credentials.put(opened.application, FCM)
    expect(opened.contains('ABC123DEFG')).toBe(true)
    expect(opened.contains('PRIVATE KEY')).toBe(false)
    const body = privateKey.split('\n')[1] ?? ''
    expect(body.length).toBe(64)
    expect(opened.contains(body)).toBe(false)
    expect(opened.contains(Buffer.from(body, 'base64'))).toBe(false)
  })

  test('is summed up without its key, also by who has another sealing key', () => {
    using opened = openStore()
    opened.credentials.put(opened.application, FCM)
    opened.credentials.put(opened.application, APNS)
    const { privateKey: _, ...apns } = APNS
    const { privateKey: __, ...fcm } = FCM
    const stranger = createCredentialStore({ database: opened.database, clock, key: new Uint8Array(32) })
    expect(stranger.summaries(opened.application)).toEqual([
      { provider: 'apns', createdAt: clock.now(), ...apns },
      { provider: 'fcm', createdAt: clock.now(), ...fcm },
    ])
    expect(stranger.summaries(opened.other)).toEqual([])
  })

  test('does not open with another sealing key', () => {
    using opened = openStore()
    const { application } = opened
    opened.credentials.put(application, APNS)
    const stranger = createCredentialStore({ database: opened.database, clock, key: new Uint8Array(32) })
    expect(() => stranger.credentialOf(application, 'apns')).toThrow(
      `The stored apns credential of application ${application.id} does not open: it was sealed with another key, or is damaged.`,
    )
  })

  test('moved to another application or provider does not open there', () => {
    using opened = openStore()
    const { application, other, credentials, database } = opened
    credentials.put(application, APNS)
    const copy = database.statement<never, [number, string, number]>(
      `INSERT INTO credential SELECT ?, ?, public, sealed, created_at FROM credential WHERE application = ?`,
    )
    copy.run(other.number, 'apns', application.number)
    copy.run(application.number, 'fcm', application.number)
    expect(() => credentials.credentialOf(other, 'apns')).toThrow(
      `The stored apns credential of application ${other.id} does not open`,
    )
    expect(() => credentials.credentialOf(application, 'fcm')).toThrow(
      `The stored fcm credential of application ${application.id} does not open`,
    )
    expect(credentials.credentialOf(application, 'apns')).toEqual(APNS)
  })

  test('goes with its application', () => {
    using opened = openStore()
    opened.credentials.put(opened.application, APNS)
    createApplicationStore({ database: opened.database, clock }).remove(opened.application.id)
    expect(opened.credentials.summaries(opened.application)).toEqual([])
  })
})
