import { beforeEach, describe, expect, test } from 'bun:test'
import { newTenant } from '../../support/caller.ts'
import { fileSending } from '../../support/file-service.ts'
import { arrivalsAt, arrivalsOf } from '../../support/arrivals.ts'
import { passing } from '../../support/passing.ts'
import { expectFailure } from '../../support/refusals.ts'
import { acceptedPush, registerDevice } from '../../support/sending.ts'
import type { Service } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const { clock, service: shared, simulator } = await fileSending()
let service: Service
beforeEach(() => {
  service = newTenant(shared)
})

const IPHONE = { token: 'iphone:1', platform: '1', fcm_platform: 'ios' }
const ANDROID = { token: 'android:1', platform: '1' }

const recordOf = async (token: string) => (await service.get('/deviceToken/one', { headers: { token } })).body

/** What arrived of a push, by token. */
async function messagesOf(id: string): Promise<ReadonlyMap<string, any>> {
  const arrivals = await arrivalsOf(service, id)
  return new Map(arrivals.map(({ token, body }) => [token, (body as { message: object }).message]))
}

describe('fcm_platform in PUT /deviceToken', () => {
  test('is kept until it is said otherwise, and shown', async () => {
    await registerDevice(service, IPHONE)
    expect(await recordOf(IPHONE.token)).toMatchObject({ platform: '1', fcm_platform: 'ios' })
    const { body } = await service.put('/deviceToken', { token: IPHONE.token, platform: '1' })
    expect(body).toMatchObject({ fcm_platform: 'ios' })
    await service.put('/deviceToken', { ...IPHONE, fcm_platform: 'android' })
    expect(await recordOf(IPHONE.token)).toMatchObject({ fcm_platform: 'android' })
  })

  test('is absent from a record that nobody has said it of', async () => {
    await registerDevice(service, ANDROID)
    expect(await recordOf(ANDROID.token)).not.toHaveProperty('fcm_platform')
  })

  test('goes on with the device under a new token', async () => {
    await registerDevice(service, IPHONE)
    await service.put('/deviceToken', { token: 'iphone:2', platform: '1', replaces: IPHONE.token })
    expect(await recordOf('iphone:2')).toMatchObject({ fcm_platform: 'ios' })
  })

  test.each([
    ['1', 'iOS', 'fcm_platform must be "android" or "ios", not "iOS".'],
    ['1', 0, 'fcm_platform must be "android" or "ios", not 0.'],
    ['0', 'ios', 'fcm_platform is only for platform "1": it tells which system an FCM token belongs to.'],
  ])('on platform %s is refused as %p', async (platform, fcm_platform, message) => {
    const device = { token: 'ab'.repeat(32), platform, fcm_platform }
    expectFailure(await service.put('/deviceToken', device), 400, 'InvalidArgument', message)
  })

  test('in the batch is said of all of it, new or known', async () => {
    await registerDevice(service, ANDROID)
    const tokens = [ANDROID.token, 'new:1', 'new:2']
    const { status } = await service.put('/deviceToken/batch', { tokens, platform: '1', fcm_platform: 'ios' })
    expect(status).toBe(201)
    for (const token of tokens) expect(await recordOf(token)).toMatchObject({ fcm_platform: 'ios' })
  })
})

describe('a push to an iPhone behind FCM', () => {
  test('carries what APNs would get, and that to Android does not', async () => {
    await registerDevice(service, IPHONE)
    await registerDevice(service, ANDROID)
    const push = { platform: '1', sound: 'chime', badge: '3', thread: 'orders' }
    const messages = await messagesOf(await acceptedPush(service, '/push/all', push))
    expect(messages.get(IPHONE.token)).toMatchObject({
      apns: {
        headers: { 'apns-push-type': 'alert', 'apns-priority': '10' },
        payload: { aps: { alert: 'Hello', sound: 'chime', badge: 3, 'thread-id': 'orders' } },
      },
    })
    expect(messages.get(IPHONE.token)).not.toHaveProperty('android')
    expect(messages.get(ANDROID.token)).toMatchObject({ notification: { body: 'Hello' } })
    expect(messages.get(ANDROID.token)).not.toHaveProperty('apns')
  })

  test('alone is the same', async () => {
    await registerDevice(service, IPHONE)
    const push = { platform: '1', token: IPHONE.token, silent: true }
    const { status, body } = await service.post('/push/one', push)
    expect(status).toBe(200)
    expect((await messagesOf(body.id)).get(IPHONE.token)).toMatchObject({
      apns: {
        headers: { 'apns-push-type': 'background', 'apns-priority': '5' },
        payload: { aps: { 'content-available': 1 } },
      },
    })
  })

  test('is shown by the preview', async () => {
    await registerDevice(service, IPHONE)
    const { body } = await service.post('/push/preview', { platform: '1', msg: 'Hello', sound: '', badge: '' })
    expect(body.fcm.body.message).toMatchObject({ apns: { payload: { aps: { alert: 'Hello' } } } })
  })

  test('that is too large for its payload is refused, though Android would get it', async () => {
    const push = { platform: '1', msg: 'Hello', sound: '', badge: '', apns: { aps: { own: 'x'.repeat(4080) } } }
    expectFailure(
      await service.post('/push/all', push),
      400,
      'InvalidArgument',
      'msg, sound, payload and apns are too large: 238 bytes for FCM, 4178 bytes for iPhones behind FCM; at most 4096 are allowed.',
    )
  })
})

describe('a device that Apple has answered for', () => {
  const arrivedFor = (token: string, count: number) =>
    arrivalsAt(simulator, count, (arrival) => arrival.token === token)

  test('is an iPhone from then on, and gets what APNs would', async () => {
    const token = 'iphonekey-1:x'
    await registerDevice(service, { token, platform: '1' })
    await acceptedPush(service, '/push/one', { platform: '1', token })
    const [first] = await arrivedFor(token, 1)
    expect(first).toMatchObject({ status: 401, body: { message: { notification: { body: 'Hello' } } } })
    await until(async () => (await recordOf(token)).fcm_platform === 'ios')
    const [, second] = await passing(service, clock, arrivedFor(token, 2))
    expect(second).toMatchObject({ status: 200, body: { message: { apns: { payload: { aps: { alert: 'Hello' } } } } } })
  })

  test('stays what its app says', async () => {
    const token = 'iphonekey-1:y'
    await registerDevice(service, { token, platform: '1', fcm_platform: 'android' })
    await acceptedPush(service, '/push/one', { platform: '1', token })
    await arrivedFor(token, 1)
    expect(await recordOf(token)).toMatchObject({ fcm_platform: 'android' })
  })

  test('that Apple calls gone leaves the registry', async () => {
    const token = 'iphonegone:1'
    await registerDevice(service, { token, platform: '1' })
    await acceptedPush(service, '/push/one', { platform: '1', token })
    await arrivedFor(token, 1)
    const gone = async () => (await service.get('/feedback')).body
    await until(async () => (await gone()).length > 0)
    expect(await gone()).toMatchObject([{ token, platform: '1', reason: 'INVALID_ARGUMENT: APNs Unregistered' }])
  })
})
