import { describe, expect, test } from 'bun:test'
import { EXAMPLE_SUBSCRIPTION } from '../../../src/gateway/simulator/webpush/message-opening.ts'
import { createECDH, randomBytes } from 'node:crypto'
import { arrivalsAt } from '../../support/arrivals.ts'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { expectFailure, expectInvalid, expectRequired } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import { startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const CHROME = 'https://fcm.googleapis.com/fcm/send/chrome-1'
const FIREFOX = 'https://updates.push.services.mozilla.com/wpush/v2/firefox-1'
const BROWSER = { token: CHROME, platform: '2', keys: EXAMPLE_SUBSCRIPTION }
const ACTION = { action: 'buy', title: 'Buy', link: 'https://shop.example/bread' }
const IPHONE = { token: 'ab'.repeat(32), platform: '0' }

const service = await fileService()

const keysOf = ({ application }: Caller, token: string) =>
  service.database
    .reading<{ p256dh: Uint8Array; auth: Uint8Array }, [string, string]>(
      `SELECT k.p256dh, k.auth FROM device_key k JOIN device d ON d.id = k.device
       JOIN application a ON a.number = d.application WHERE a.id = ? AND d.token = ?`,
    )
    .all(application.id, token)
    .map(({ p256dh, auth }) => ({ p256dh: base64url(p256dh), auth: base64url(auth) }))

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

const otherKeys = () => ({
  p256dh: base64url(createECDH('prime256v1').generateKeys()),
  auth: base64url(randomBytes(16)),
})

function register(caller: Caller, body: object) {
  return service.put('/deviceToken', body, { as: 'device', application: caller.application })
}

describe('a browser', () => {
  test('registers with its endpoint and its keys, which are not shown again', async () => {
    const caller = newCaller(service)
    const created = await register(caller, { ...BROWSER, tag: ['beta'], user: 'ann', alias: 'desk' })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({ token: CHROME, platform: '2', tag: ['beta'], user: 'ann', alias: 'desk' })
    expect(created.body).not.toContainAnyKeys(['keys', 'warnings'])
    expect(keysOf(caller, CHROME)).toEqual([EXAMPLE_SUBSCRIPTION])
    const again = await register(caller, { ...BROWSER, platform: 2 })
    expect(again).toMatchObject({ status: 200, body: { tag: ['beta'] } })
    const listed = await service.get('/deviceToken/all', { application: caller.application })
    expect(listed.body).toEqual([again.body])
    expect(JSON.stringify(listed.body)).not.toContain(EXAMPLE_SUBSCRIPTION.auth)
    const ofUser = await service.get('/deviceToken/all?user=ann', { application: caller.application })
    expect(ofUser.body).toEqual([again.body])
    await caller.put('/deviceToken/del', { token: CHROME, platform: '2' })
    expect(keysOf(caller, CHROME)).toEqual([])
  })

  test('has the keys that it says last, and under another endpoint goes on with those of that one', async () => {
    const caller = newCaller(service)
    const [second, third] = [otherKeys(), otherKeys()]
    await register(caller, { ...BROWSER, tag: 'beta' })
    expect((await register(caller, { ...BROWSER, keys: second })).status).toBe(200)
    expect(keysOf(caller, CHROME)).toEqual([second])
    const moved = await register(caller, { ...BROWSER, token: FIREFOX, replaces: CHROME, keys: third })
    expect(moved).toMatchObject({ status: 200, body: { token: FIREFOX, tag: ['beta'] } })
    expect([keysOf(caller, CHROME), keysOf(caller, FIREFOX)]).toEqual([[], [third]])
  })

  test('is a platform of its own to filters, and to a segment', async () => {
    const caller = newCaller(service)
    await register(caller, { ...BROWSER, tag: 'beta' })
    await caller.register({ ...IPHONE, tag: ['beta'] })
    const reached = async (filter: object) => {
      const { status, body } = await service.post(
        '/push/preview',
        { msg: 'Hello', sound: '', badge: '', ...filter },
        { application: caller.application },
      )
      return [status, body.platforms]
    }
    expect(await reached({ platform: '2' })).toEqual([200, { 0: 0, 1: 0, 2: 1 }])
    expect(await reached({ platform: ['0', '1'] })).toEqual([200, { 0: 1, 1: 0 }])
    expect(await reached({ platform: ['0', '2'], tags: 'beta' })).toEqual([200, { 0: 1, 1: 0, 2: 1 }])
    expect(await reached({ platform: ['0', '2'], where: { platform: '2' } })).toEqual([200, { 0: 0, 1: 0, 2: 1 }])
  })

  test('gets a push, encrypted with its keys', async () => {
    const caller = newCaller(service)
    await register(caller, BROWSER)
    const accepted = await service.post(
      '/push/one',
      { token: CHROME, platform: '2', msg: 'Fresh bread', sound: '', badge: '', actions: [ACTION] },
      { application: caller.application },
    )
    expect(accepted.status).toBe(200)
    const simulator = await service.server.simulator()
    const [arrival] = await arrivalsAt(simulator, 1, ({ token }) => token === CHROME)
    const buttons = [{ action: 'buy', title: 'Buy', navigate: 'https://shop.example/bread' }]
    expect(arrival?.body).toMatchObject({ notification: { title: 'Fresh bread', actions: buttons } })
  })
})

describe('a browser is refused, and nothing stored,', () => {
  const send = (caller: Caller, more: object) => register(caller, { ...BROWSER, ...more })
  const ALLOWED =
    'must be an endpoint of a push service that is allowed here: fcm.googleapis.com, jmt17.google.com, *.push.services.mozilla.com, *.push.apple.com, *.notify.windows.com, or one that the operator names with --push-services'
  const AS_IS = "must be the endpoint of a push subscription, an https URL as the browser's subscription has it"

  test('with an endpoint that does not lead to an allowed push service', async () => {
    const caller = newCaller(service)
    await expectInvalid((token) => send(caller, { token }), 'token', [
      ['https://example.com/push/1', ALLOWED],
      ['https://fcm.googleapis.com.example.com/push/1', ALLOWED],
      ['https://push.services.mozilla.com/1', ALLOWED],
      ['https://127.0.0.1/1', ALLOWED],
      ['https://[::1]/1', ALLOWED],
      ['https://169.254.169.254/latest/meta-data', ALLOWED],
      ['https://fcm.googleapis.com:8443/fcm/send/1', ALLOWED],
      [
        'https://user:secret@fcm.googleapis.com/1',
        'must be the endpoint of a push subscription, without user and fragment',
      ],
      ['https://fcm.googleapis.com/1#part', 'must be the endpoint of a push subscription, without user and fragment'],
      ['http://fcm.googleapis.com/1', AS_IS],
      ['https://fcm.googleapis.com:443/1', AS_IS],
      ['HTTPS://fcm.googleapis.com/1', AS_IS],
      ['registration-id', AS_IS],
      [`https://fcm.googleapis.com/${'a'.repeat(4000)}`, 'must be at most 2048 bytes long'],
      [`https://fcm.googleapis.com/${'a'.repeat(5000)}`, 'must be at most 4096 bytes'],
    ])
    expect((await service.get('/deviceToken/all', { application: caller.application })).body).toEqual([])
  })

  test('with keys that no browser has', async () => {
    const caller = newCaller(service)
    const POINT = 'must be a public key of P-256: an uncompressed point, 65 bytes in base64url without padding'
    const SECRET = 'must be 16 bytes in base64url without padding'
    const offCurve = base64url(new Uint8Array(65).fill(1).with(0, 4))
    await expectInvalid((p256dh) => send(caller, { keys: { ...EXAMPLE_SUBSCRIPTION, p256dh } }), 'keys.p256dh', [
      [offCurve, POINT],
      [base64url(new Uint8Array(65).with(0, 4)), POINT],
      [base64url(new Uint8Array(64)), POINT],
      [`${EXAMPLE_SUBSCRIPTION.p256dh}=`, POINT],
      [EXAMPLE_SUBSCRIPTION.p256dh.slice(0, -1), POINT],
      ['', POINT],
      [5, 'must be a string, not 5'],
      [undefined, 'must be a string, not undefined'],
    ])
    await expectInvalid((auth) => send(caller, { keys: { ...EXAMPLE_SUBSCRIPTION, auth } }), 'keys.auth', [
      [`${EXAMPLE_SUBSCRIPTION.auth}==`, SECRET],
      [base64url(new Uint8Array(15)), SECRET],
      [null, 'must be a string, not null'],
    ])
    await expectInvalid((keys) => send(caller, { keys }), 'keys', [
      ['x', 'must be {"p256dh": …, "auth": …}, not "x"'],
      [[], 'must be {"p256dh": …, "auth": …}, not an array'],
    ])
    await expectRequired((keys) => send(caller, { keys }), 'keys is required with platform 2.')
    expect((await service.get('/deviceToken/all', { application: caller.application })).body).toEqual([])
  })

  test('in a batch, which brings no keys', async () => {
    const { application } = newCaller(service)
    const answer = await service.put('/deviceToken/batch', { tokens: [CHROME], platform: '2' }, { application })
    const problem =
      'platform must be "0" (iOS) or "1" (Android) here: a browser comes with its keys, by PUT /deviceToken.'
    expectFailure(answer, 400, 'InvalidArgument', problem)
  })
})

test('push services that the operator names are allowed besides', async () => {
  const pushServices = ['https://push.example.org:8443', 'https://cloud.example.org/apps/uppush']
  await using own = await startService({ config: { pushServices } })
  const at = async (token: string) => (await own.put('/deviceToken', { ...BROWSER, token })).status
  expect(await at('https://push.example.org:8443/up/1')).toBe(201)
  expect(await at('https://push.example.org/up/1')).toBe(400)
  expect(await at('https://cloud.example.org/apps/uppush/1')).toBe(201)
  expect(await at('https://cloud.example.org/apps/files/1')).toBe(400)
  expect(await at(CHROME)).toBe(201)
})

test('an application that has no browsers, and no key for them, has no figures of sending to them', async () => {
  await using own = await startService({ simulated: false })
  await own.put('/deviceToken', IPHONE)
  const push = (platform: string) => own.post('/push/all', { platform, msg: 'Hello', sound: '', badge: '' })
  const paused = async () => {
    const figures = await (await fetch(`${own.adminUrl}/metrics`)).text()
    return figures
      .split('\n')
      .filter((line) => line.startsWith('bellhop_sender_paused{') && line.includes('no-credential'))
  }
  await push('0')
  const before = await paused()
  expect(before.some((line) => line.includes('platform="ios"'))).toBe(true)
  expect(before.some((line) => line.includes('platform="web"'))).toBe(false)
  await own.put('/deviceToken', BROWSER)
  await push('2')
  expect((await paused()).some((line) => line.includes('platform="web"') && line.endsWith(' 1'))).toBe(true)
})

test('a push service that asks to wait is in the figures and among the warnings, by its name', async () => {
  await using own = await startService()
  // One of them alone would wait alone.
  for (let n = 0; n < 10; n++) {
    await own.put('/deviceToken', { ...BROWSER, token: `https://fcm.googleapis.com/fcm/send/quota:${n}` })
  }
  await own.post('/push/all', { platform: '2', msg: 'Hello', sound: '', badge: '' })
  const paused = 'bellhop_push_services_paused{application="test",platform="web",service="fcm.googleapis.com"} 1\n'
  await until(async () => (await (await fetch(`${own.adminUrl}/metrics`)).text()).includes(paused))
  // It asks for two seconds each time, between which it is asked again.
  let warnings: readonly string[] = []
  await until(async () => {
    warnings = ((await (await fetch(`${own.adminUrl}/readyz`)).json()) as { readonly warnings: string[] }).warnings
    return warnings.length > 0
  })
  expect(warnings).toEqual([
    'test: the push service fcm.googleapis.com accepts nothing now (HTTP 429 for 10 of 10 devices); its browsers are waiting.',
  ])
})
