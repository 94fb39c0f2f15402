import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Attempt, Reply } from '../../src/gateway/simulator/http2/reply.ts'
import type { Simulator } from '../../src/gateway/simulator/simulator.ts'
import { EXAMPLE_SUBSCRIPTION } from '../../src/gateway/simulator/webpush/message-opening.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { passing } from '../support/passing.ts'
import { acceptedPush, registerDevice, startSending } from '../support/sending.ts'
import type { Service } from '../support/service.ts'
import { until } from '../support/until.ts'

let clock: FakeClock
let service: Service
let simulator: Simulator

beforeEach(async () => {
  ;({ clock, service, simulator } = await startSending())
})
afterEach(() => service[Symbol.asyncDispose]())

const chrome = (n: number | string) => `https://fcm.googleapis.com/fcm/send/${n}`
const firefox = (n: number | string) => `https://updates.push.services.mozilla.com/wpush/v2/${n}`

async function register(...endpoints: readonly string[]): Promise<void> {
  for (const token of endpoints) {
    await registerDevice(service, { platform: '2', token, keys: EXAMPLE_SUBSCRIPTION, badge: 0 })
  }
}

const ten = (of: (n: number) => string) => Array.from({ length: 10 }, (_, n) => of(n))
const push = () => acceptedPush(service, '/push/all', { platform: 2 })
const statusOf = async (id: string) => (await service.get(`/push/${id}`)).body as Record<string, unknown>
/** Endpoints that took something, in order. */
const taken = () =>
  simulator
    .arrivals()
    .filter(({ status }) => status === 201)
    .map(({ token }) => token)
    .toSorted()

describe('a push to browsers', () => {
  test('goes to the push service of each, is read there, and counts', async () => {
    await register(chrome(1), firefox(1), firefox('unregistered:2'))
    const id = await acceptedPush(service, '/push/all', { platform: 2, badge: '+1' })
    await until(async () => (await statusOf(id))['state'] === 'finished')
    expect(taken()).toEqual([chrome(1), firefox(1)])
    expect(simulator.arrivals()[0]).toMatchObject({
      provider: 'webpush',
      body: { web_push: 8030, notification: { title: 'Hello', tag: id }, app_badge: 1 },
    })
    expect(await statusOf(id)).toMatchObject({ t: 3, s: 2 })
    // A second push does not address the one that is gone.
    const second = await push()
    await until(async () => (await statusOf(second))['state'] === 'finished')
    expect(await statusOf(second)).toMatchObject({ t: 2, s: 2 })
  })

  test('waits at the push service that asks for time, and nowhere else', async () => {
    await register(...ten(chrome), ...ten(firefox))
    simulator.answerWith(busyAt('https://fcm.'))
    const id = await push()
    await until(() => taken().length === 10)
    expect(taken()).toEqual(ten(firefox))
    const paused = service.log.filter(({ event }) => event === 'sending to a push service paused')
    expect(paused).toMatchObject([
      { service: 'https://fcm.googleapis.com', reason: 'HTTP 429', waitMs: expect.any(Number) },
    ])
    simulator.answerWith(null)
    await passing(
      service,
      clock,
      until(async () => (await statusOf(id))['state'] === 'finished'),
    )
    expect(await statusOf(id)).toMatchObject({ t: 20, s: 20 })
    expect(taken()).toEqual([...ten(chrome), ...ten(firefox)])
  })

  test('goes to nobody while all push services refuse the credential', async () => {
    await register(...ten((n) => firefox(`denied-1:${n}`)))
    await push()
    expect(await service.logged(({ event }) => event === 'sending paused')).toMatchObject({
      state: 'misconfigured',
      reason: 'HTTP 403 for 10 of 10 devices',
    })
  })
})

/** 429 with Retry-After for endpoints that begin so. */
function busyAt(prefix: string) {
  return ({ token }: Attempt): Reply | null =>
    token.startsWith(prefix)
      ? { kind: 'answer', answer: { status: 429, headers: { 'retry-after': '60' }, body: '' } }
      : null
}
