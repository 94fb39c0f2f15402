import { afterAll, describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import { VAPID_SUBJECT } from '../../src/application/vapid.ts'
import { ACCOUNT, ACCOUNT_FILE } from '../gateway/fcm/account.ts'
import { fileService } from '../support/file-service.ts'
import { makeCertificate } from '../support/certificate.ts'
import { startGateway } from '../support/gateway.ts'
import type { Credentials } from '../support/service.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { createAdminCaller } from './admin-caller.ts'

const { privateKey: p8 } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const KEY = { key: p8, keyId: 'ABC123DEFG', teamId: 'DEF123GHIJ', topic: 'com.example.shop' }

const directory = temporaryDirectory('bellhop')
const gateway = await startGateway(({ path }) => {
  if (path === '/token') return { status: 400, body: '{"error":"invalid_grant"}' }
  return { status: 400, body: '{"reason":"BadDeviceToken"}' }
})
const gatewayCa = join(directory.path, 'ca.pem')
await Bun.write(gatewayCa, gateway.ca)
const { origin } = gateway
const config = { apnsUrl: origin, apnsSandboxUrl: origin, fcmUrl: origin, fcmTokenUrl: `${origin}/token`, gatewayCa }
const service = await fileService({ simulated: false, config })
const call = createAdminCaller(service)
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  directory[Symbol.dispose]()
})

let made = 0
const shop = (): Credentials => service.addApplication(`Shop ${made++}`, {}, false)
const pathOf = ({ id }: Credentials) => `/api/applications/${id}/credentials`
const STATUS: Readonly<Record<string, number>> = { InvalidArgument: 400, ResourceNotFound: 404, MissingParameter: 409 }
const wrong = (code: string, message: string) => ({ status: STATUS[code], body: { code, message } })

describe('an APNs key', () => {
  test('is stored, shown without the key itself, and used at once', async () => {
    const application = shop()
    await call('PUT', `/api/applications/${application.id}/v1/deviceToken`, { token: 'a1'.repeat(32), platform: 0 })
    const { status, body } = await call('PUT', `${pathOf(application)}/apns`, KEY)
    expect(status).toBe(200)
    const { key: _, ...shown } = KEY
    expect(body.credentials).toEqual([
      { provider: 'apns', kind: 'key', environment: 'auto', createdAt: expect.any(String), ...shown },
    ])
    expect(body.providers.apns).toEqual({ state: 'ready', reason: null, simulated: false })
    expect(JSON.stringify(body)).not.toContain('PRIVATE')
    const entry = await call.newest()
    expect(entry).toMatchObject({ action: 'store credential', subject: application.id, detail: { kind: 'key' } })
    expect(JSON.stringify(entry)).not.toContain('PRIVATE')

    const push = { platform: [0], msg: 'Hello', sound: '', badge: '' }
    await call('POST', `/api/applications/${application.id}/v1/push/all`, push)
    await gateway.until(() => gateway.calls.some(({ path }) => path === `/3/device/${'a1'.repeat(32)}`))
  })

  test.each([
    [{ ...KEY, key: undefined }, 'MissingParameter', 'key or certificate is required.'],
    [{ ...KEY, keyId: undefined }, 'MissingParameter', 'keyId is required.'],
    [
      { ...KEY, teamId: 'x' },
      'InvalidArgument',
      'teamId must be 10 characters of A-Z and 0-9, as Apple shows it, not "x".',
    ],
    [
      { ...KEY, topic: 'no topic' },
      'InvalidArgument',
      'topic must be a bundle id, such as com.example.app, not "no topic".',
    ],
    [
      { ...KEY, environment: 'both' },
      'InvalidArgument',
      'environment must be one of auto, production, sandbox, not "both".',
    ],
    [{ ...KEY, certificate: 'AAAA' }, 'InvalidArgument', "certificate can't be combined with key."],
    [
      { ...KEY, key: 'secret words' },
      'InvalidArgument',
      'key: The APNs key is not a PEM private key: expected the .p8 file from Apple, -----BEGIN PRIVATE KEY-----.',
    ],
    [
      { ...KEY, key: ACCOUNT.privateKey },
      'InvalidArgument',
      "key: The APNs key is of kind rsa: expected elliptic curve P-256, as in Apple's .p8 file.",
    ],
    [{ certificate: '?' }, 'InvalidArgument', 'certificate must be the file in base64.'],
    [
      { certificate: 'AAAA' },
      'InvalidArgument',
      'certificate: The certificate file cannot be read: expected PEM with certificate and key, or PKCS #12 (.p12).',
    ],
  ])('that is wrong is refused by its field (%#)', async (given, code, message) => {
    const application = shop()
    expect(await call('PUT', `${pathOf(application)}/apns`, given)).toMatchObject(wrong(code, message))
    expect((await call('GET', `/api/applications/${application.id}`)).body.credentials).toEqual([])
  })
})

test('an APNs certificate is stored from base64, with its end', async () => {
  const application = shop()
  const { certificate, privateKey } = makeCertificate({ name: 'com.example.shop' })
  const file = Buffer.from(certificate + privateKey).toString('base64')
  const given = { certificate: file, topic: 'com.example.shop', environment: 'production' }
  const { body } = await call('PUT', `${pathOf(application)}/apns`, given)
  expect(body.credentials).toEqual([
    {
      provider: 'apns',
      kind: 'certificate',
      topic: 'com.example.shop',
      environment: 'production',
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      createdAt: expect.any(String),
    },
  ])
})

describe('a service account', () => {
  test('is stored, and taken away', async () => {
    const application = shop()
    const path = `${pathOf(application)}/fcm`
    const { body } = await call('PUT', path, { serviceAccount: ACCOUNT_FILE })
    expect(body.credentials).toMatchObject([{ provider: 'fcm', projectId: 'example-project' }])
    expect(JSON.stringify(body)).not.toContain('PRIVATE')
    expect((await call('DELETE', path)).body).toMatchObject({ credentials: [], providers: { fcm: { state: 'none' } } })
    expect(await call.newest()).toMatchObject({ action: 'remove credential', detail: { provider: 'fcm' } })
    expect(await call('DELETE', path)).toMatchObject(wrong('ResourceNotFound', 'No credential found'))
    expect(await call('POST', `${path}/test`)).toMatchObject(wrong('ResourceNotFound', 'No credential found'))
  })

  test.each([
    [{}, 'MissingParameter', 'serviceAccount is required.'],
    [{ serviceAccount: 'p8' }, 'InvalidArgument', 'serviceAccount: The service account is not a JSON object.'],
    [{ serviceAccount: { type: 'service_account' } }, 'InvalidArgument', 'serviceAccount must be a string.'],
  ])('that is wrong is refused (%#)', async (given, code, message) => {
    expect(await call('PUT', `${pathOf(shop())}/fcm`, given)).toMatchObject(wrong(code, message))
  })

  test('is of a gateway that there is', async () => {
    expect(await call('DELETE', `${pathOf(shop())}/hms`)).toMatchObject(
      wrong('ResourceNotFound', 'A credential is of apns, fcm or webpush'),
    )
  })
})

describe('a key for web push', () => {
  const SUBJECT = 'mailto:push@shop.example'
  /** Of RFC 8291, appendix A: the private key of the sender, and its public key. */
  const PRIVATE = 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'
  const PUBLIC = 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8'

  test('is made, and stays when its subject changes, until another is asked for', async () => {
    const path = `${pathOf(shop())}/webpush`
    const { status, body } = await call('PUT', path, { subject: SUBJECT })
    expect(status).toBe(200)
    const [made] = body.credentials
    expect(body.credentials).toEqual([
      {
        provider: 'webpush',
        kind: 'vapid',
        publicKey: expect.any(String),
        subject: SUBJECT,
        createdAt: made.createdAt,
      },
    ])
    expect(made.publicKey).toMatch(/^B[\w-]{86}$/)
    expect(body.providers.webpush).toEqual({ state: 'ready', reason: null, simulated: false })
    expect(JSON.stringify(body)).not.toContain('PRIVATE')
    expect(await call.newest()).toMatchObject({ action: 'store credential', detail: { kind: 'vapid' } })

    const { number } = await call.newest()
    expect((await call('PUT', path, {})).body.credentials).toEqual([made])
    expect(await call.newest()).toMatchObject({ number })
    const subject = 'https://shop.example/contact'
    const moved = (await call('PUT', path, { subject })).body.credentials
    expect(moved).toMatchObject([{ publicKey: made.publicKey, subject }])
    const other = (await call('PUT', path, { new: true })).body.credentials
    expect(other).toMatchObject([{ subject }])
    expect(other[0].publicKey).not.toBe(made.publicKey)
    expect((await call('DELETE', path)).body).toMatchObject({
      credentials: [],
      providers: { webpush: { state: 'none' } },
    })
  })

  test('is imported, as the command reads it', async () => {
    const path = `${pathOf(shop())}/webpush`
    const key = JSON.stringify({ publicKey: PUBLIC, privateKey: PRIVATE })
    for (const given of [PRIVATE, key]) {
      const { body } = await call('PUT', path, { subject: SUBJECT, key: given })
      expect(body.credentials).toMatchObject([{ publicKey: PUBLIC }])
      expect(JSON.stringify(body)).not.toContain(PRIVATE)
    }
    expect(JSON.stringify(await call.newest())).not.toContain(PRIVATE)
  })

  test.each([
    [{}, 'MissingParameter', 'subject is required.'],
    [{ subject: 'push@shop.example' }, 'InvalidArgument', `subject must be ${VAPID_SUBJECT}, not "push@shop.example".`],
    [
      { subject: 'https://192.168.1.7:8443' },
      'InvalidArgument',
      `subject must be ${VAPID_SUBJECT}, not "https://192.168.1.7:8443".`,
    ],
    [
      { subject: SUBJECT, key: 'secret words' },
      'InvalidArgument',
      'key: The key is neither a PEM private key nor 32 bytes in base64url, alone or as "privateKey" of a JSON object.',
    ],
    [{ subject: SUBJECT, key: PRIVATE, new: true }, 'InvalidArgument', "new can't be combined with key."],
    [{ subject: SUBJECT, new: 'yes' }, 'InvalidArgument', 'new must be true or false, not "yes".'],
    [{ subjekt: SUBJECT }, 'InvalidArgument', '"subjekt" is not known here. Did you mean subject?'],
  ])('that is wrong is refused by its field (%#)', async (given, code, message) => {
    const application = shop()
    expect(await call('PUT', `${pathOf(application)}/webpush`, given)).toMatchObject(wrong(code, message))
    expect((await call('GET', `/api/applications/${application.id}`)).body.credentials).toEqual([])
  })
})

describe('the test of a credential', () => {
  test('says what doctor says', async () => {
    const application = shop()
    await call('PUT', `${pathOf(application)}/apns`, { ...KEY, environment: 'production' })
    const apns = await call('POST', `${pathOf(application)}/apns/test`)
    expect(apns).toMatchObject({ status: 200 })
    expect(apns.body.findings).toContainEqual({
      state: 'ok',
      text: 'Apple takes key ABC123DEFG of team DEF123GHIJ for com.example.shop (production).',
      fix: null,
    })
    expect(await call.newest()).toMatchObject({ action: 'test credential', subject: application.id })

    await call('PUT', `${pathOf(application)}/fcm`, { serviceAccount: ACCOUNT_FILE })
    const fcm = await call('POST', `${pathOf(application)}/fcm/test`)
    expect(fcm.body.findings).toContainEqual(expect.objectContaining({ state: 'failed', fix: expect.any(String) }))
  })
})
