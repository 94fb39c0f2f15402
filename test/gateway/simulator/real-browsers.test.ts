import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { systemClock } from '../../../src/clock.ts'
import { SIMULATED_SERVICE } from '../../../src/device/webpush/push-services.ts'
import { EXAMPLE_SUBSCRIPTION } from '../../../src/gateway/simulator/webpush/message-opening.ts'
import type { Simulator } from '../../../src/gateway/simulator/simulator.ts'
import { startOutsideGateways } from '../../support/outside-gateways.ts'
import type { OutsideGateways } from '../../support/outside-gateways.ts'
import { createAdminCaller } from '../../admin/admin-caller.ts'
import type { AdminCall } from '../../admin/admin-caller.ts'
import { expectFailure } from '../../support/refusals.ts'
import { startService } from '../../support/service.ts'
import type { Credentials, Service } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const PUSH = { platform: [0, 1, 2], msg: 'Hello', sound: '', badge: '' }

/** In the place of the push services of browsers, of APNs and of FCM. */
let outside: OutsideGateways
let service: Service
/** The built-in stand-ins. */
let simulator: Simulator
let call: AdminCall
beforeAll(async () => {
  outside = await startOutsideGateways(systemClock)
  service = await startService({ config: { ...outside.config, pushServices: [outside.simulator.webPushUrl] } })
  call = createAdminCaller(service)
  simulator = await service.server.simulator()
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await outside[Symbol.asyncDispose]()
})

/** Its public half. */
async function makeKey({ id }: Credentials): Promise<string> {
  const subject = 'mailto:push@shop.example'
  const { body } = await call('PUT', `/api/applications/${id}/credentials/webpush`, { subject })
  return body.credentials[0].publicKey
}

const simulatedEndpoint = () => `${SIMULATED_SERVICE}/browser/${crypto.randomUUID()}`

/** A browser with a real push service, and one of the simulator. */
async function register(application: Credentials) {
  const { endpoint: real, keys } = outside.simulator.subscribe(`/push/${crypto.randomUUID()}`)
  const [p256dh, auth] = [keys.p256dh, keys.auth].map((key) => Buffer.from(key).toString('base64url'))
  const simulated = simulatedEndpoint()
  const phone = crypto.randomUUID().replaceAll('-', '').repeat(2)
  for (const device of [
    { token: phone, platform: 0 },
    { token: real, platform: 2, keys: { p256dh, auth } },
    { token: simulated, platform: 2, keys: EXAMPLE_SUBSCRIPTION },
  ]) {
    expect((await service.put('/deviceToken', device, { application })).status).toBe(201)
  }
  return { real, simulated, phone }
}

async function pushToAll(application: Credentials): Promise<string> {
  const { status, body } = await service.post('/push/all', PUSH, { application })
  expect({ status, body }).toMatchObject({ status: 200 })
  const { id } = body
  await until(async () => (await service.get(`/push/${id}`, { application })).body.state === 'finished')
  return id
}

const tokensAt = (where: Simulator, among: readonly string[]) =>
  where
    .arrivals()
    .filter(({ token }) => among.includes(token))
    .map(({ token }) => token)
    .toSorted()

describe('an application on the simulator', () => {
  test('reaches nobody outside, also no browser, as long as it has no key for them', async () => {
    const application = service.addApplication('no key')
    const { real, simulated, phone } = await register(application)
    await pushToAll(application)
    expect(tokensAt(simulator, [real, simulated, phone])).toEqual([real, simulated, phone].toSorted())
    expect(tokensAt(outside.simulator, [real, simulated, phone])).toEqual([])
  })

  test('reaches browsers for real with a key for them, and neither phones nor browsers of the simulator', async () => {
    const application = service.addApplication('key')
    const { real, simulated, phone } = await register(application)
    // From now on, also where it has sent before.
    await pushToAll(application)
    outside.simulator.accept({ kind: 'vapid', publicKey: await makeKey(application) })
    const before = simulator.counts().accepted
    await pushToAll(application)
    expect(tokensAt(outside.simulator, [real, simulated, phone])).toEqual([real])
    expect(outside.simulator.arrivals().at(-1)).toMatchObject({
      status: 201,
      body: { notification: { title: 'Hello' } },
    })
    expect(simulator.counts().accepted - before).toBe(2)
  })
})

describe('a browser of the simulator', () => {
  test('is refused by an application that is not on it', async () => {
    const application = service.addApplication('real', {}, false)
    const device = { token: simulatedEndpoint(), platform: 2, keys: EXAMPLE_SUBSCRIPTION }
    const answer = await service.put('/deviceToken', device, { application })
    const why =
      'token must be an endpoint of a push service that is allowed here: fcm.googleapis.com, jmt17.google.com, *.push.services.mozilla.com, *.push.apple.com, *.notify.windows.com, or one that the operator names with --push-services.'
    expectFailure(answer, 400, 'InvalidArgument', why)
  })

  test('leaves the audience when its application sends for real', async () => {
    const application = service.addApplication('taken off')
    const device = { token: simulatedEndpoint(), platform: 2, keys: EXAMPLE_SUBSCRIPTION }
    await service.put('/deviceToken', device, { application })
    await makeKey(application)
    const off = { simulate: false, confirm: true }
    expect((await call('POST', `/api/applications/${application.id}/simulate`, off)).status).toBe(200)
    const id = await pushToAll(application)
    const { body } = await service.get(`/push/${id}/failures`, { application })
    expect(body).toMatchObject([{ token: device.token, reason: 'a browser of the simulator' }])
    expect((await service.get(`/deviceToken/all`, { application })).body).toEqual([])
  })
})
