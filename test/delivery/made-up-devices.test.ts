import { describe, expect, test } from 'bun:test'
import { constants } from 'node:http2'
import type { Attempt, Reply } from '../../src/gateway/simulator/http2/reply.ts'
import type { ServerStream } from '../../src/gateway/simulator/http2/server-stream.ts'
import { EXAMPLE_SUBSCRIPTION } from '../../src/gateway/simulator/webpush/message-opening.ts'
import type { Simulator } from '../../src/gateway/simulator/simulator.ts'
import { systemClock } from '../../src/clock.ts'
import { h2Transport } from '../../src/gateway/transport/choose-transport.ts'
import type { OpenTransport } from '../../src/gateway/transport/transport.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { fileSending } from '../support/file-sending.ts'
import { startOutsideGateways } from '../support/outside-gateways.ts'
import { passing } from '../support/passing.ts'
import { acceptedPush, pausesIn, registerDevices } from '../support/sending.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { until } from '../support/until.ts'

/*
 * Anybody who knows the public application ID can register devices that no gateway takes. They must not stop pushes to
 * others. No time passes here: a push that waits for a pause or a second attempt is never sent.
 */
const answered = (status: number, body = ''): Reply => ({ kind: 'answer', answer: { status, headers: {}, body } })

const reached = (service: Service, id: string, count: number) =>
  until(async () => (await service.get(`/push/${id}`)).body.s >= count)

const use = await fileSending()
const { simulator, arrivals, paused, push, registerAll, status } = use

const registerBrowser = (token: string) =>
  use.register({ platform: '2', token, keys: EXAMPLE_SUBSCRIPTION }, { as: 'device' })

/** Pushes to one platform; resolves when so many have taken it. */
async function pushTo(platform: 0 | 2, count: number): Promise<void> {
  const id = await push({ platform })
  await until(async () => (await status(id)).s >= count)
}

/** iOS tokens that start with `kind`. */
const tokens = (kind: string, count: number) =>
  Array.from({ length: count }, (_n, n) => `${kind}${String(n).padStart(62, '0')}`)

describe('made-up devices', () => {
  test('of browsers that belong to another key hold up no other browser, in this push and the next', async () => {
    const endpoint = (kind: string, n: number) => `https://fcm.googleapis.com/fcm/send/${kind}-${n}`
    const register = async (kind: string, count: number): Promise<void> => {
      for (let n = 0; n < count; n++) await registerBrowser(endpoint(kind, n))
    }
    simulator.answerWith(({ token }: Attempt) => (token.includes('/foreign-') ? answered(403) : answered(201)))
    await register('old', 50)
    await pushTo(2, 50)
    await register('foreign', 100)
    await register('new', 50)
    for (let n = 0; n < 2; n++) await pushTo(2, 100)
    expect(paused()).toEqual([])
  })

  test('of browsers that belong to another key, where the push service says so, are set aside and accuse nobody', async () => {
    const register = async (word: string, count: number): Promise<void> => {
      for (const maker of ['apple', 'google', 'mozilla']) {
        for (let n = 0; n < count; n++) await registerBrowser(`https://simulator.invalid/${maker}/${word}:${n}`)
      }
    }
    const refused = () => simulator.counts().refused
    const before = refused()
    await register('old', 5)
    await pushTo(2, 15)
    await register('otherkey', 20)
    await register('new', 5)
    await pushTo(2, 30)
    expect(refused() - before).toBe(60)
    await pushTo(2, 30)
    expect(refused() - before).toBe(60)
    expect(paused()).toEqual([])
  })

  test('with tokens that Apple never issued hold up no phone, in this push and the next', async () => {
    simulator.answerWith(({ token }: Attempt) =>
      token.startsWith('bb') ? answered(400, JSON.stringify({ reason: 'BadDeviceToken' })) : answered(200),
    )
    await registerAll(0, tokens('aa', 500))
    await pushTo(0, 500)
    await registerAll(0, tokens('bb', 1500))
    await registerAll(0, tokens('cc', 500))
    for (let n = 0; n < 2; n++) await pushTo(0, 1000)
    expect(paused()).toEqual([])
  })

  test('with tokens that neither environment of Apple knows hold up no phone while the other one is slow', async () => {
    const unanswered: ServerStream[] = []
    simulator.answerWith(({ token, gateway }: Attempt) => {
      if (!token.startsWith('bb')) return answered(200)
      if (gateway === 'apns-sandbox') return { kind: 'custom', perform: (stream) => void unanswered.push(stream) }
      return answered(400, JSON.stringify({ reason: 'BadDeviceToken' }))
    })
    await registerAll(0, tokens('aa', 100))
    await pushTo(0, 100)
    await registerAll(0, tokens('bb', 1500))
    await registerAll(0, tokens('cc', 400))
    await push()
    // Counts come with the page, where some still wait for the sandbox.
    await until(() => arrivals().filter(({ token }) => token.startsWith('cc')).length === 400)
    expect(unanswered.length).toBeWithin(1, 33)
    expect(paused()).toEqual([])
    for (const stream of unanswered) stream.reset(constants.NGHTTP2_REFUSED_STREAM)
    simulator.answerWith(() => answered(200))
  })
})

test('made-up tokens cost Apple two requests each, one in each environment, however long they wait for the second', async () => {
  // Another kind: those of the test before may still be asked about.
  const asked = new Map<string, string[]>()
  simulator.answerWith(({ token, gateway }: Attempt) => {
    if (!token.startsWith('dd')) return answered(200)
    asked.set(token, [...(asked.get(token) ?? []), gateway])
    return answered(400, JSON.stringify({ reason: 'BadDeviceToken' }))
  })
  await registerAll(0, tokens('aa', 10))
  await registerAll(0, tokens('dd', 300))
  const id = await push()
  await use.pass(use.sent(id))
  expect(await status(id)).toMatchObject({ s: 10, failed: { total: 300, reasons: { BadDeviceToken: 300 } } })
  expect(asked.size).toBe(300)
  expect(new Set([...asked.values()].map(String))).toEqual(new Set(['apns,apns-sandbox']))
})

describe('five hundred browsers at made-up hosts of Apple, whose resolver never answers', () => {
  /** Sends to the simulator, whatever the push service. */
  function relayedTo({ webPushUrl, ca }: Simulator): OpenTransport {
    const open = h2Transport(systemClock, null)
    return (origin, options) => {
      const inner = open(webPushUrl, { ...options, ca })
      return {
        send: (request, listener) =>
          inner.send({ ...request, path: `/relay/${new URL(origin).host}${request.path}` }, listener),
        retire: () => inner.retire(),
        [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
      }
    }
  }

  test.each([
    ['where Safari has its own', 'web.push.apple.com'],
    ['at a host that is one of many', 'wns2-par02p.notify.windows.com'],
  ])(
    'hold up no honest browser %s, and make no warnings',
    async (_, host) => {
      const clock = createFakeClock()
      await using gateways = await startOutsideGateways(clock)
      const { simulator } = gateways
      let lookups = 0
      using atEnd = new DisposableStack()
      await using service = await startService({
        clock,
        simulated: false,
        config: gateways.config,
        random: () => 0.5,
        openTransport: relayedTo(simulator),
        resolve(name) {
          lookups++
          return name === host ? Promise.resolve(['17.1.1.1']) : new Promise(() => undefined)
        },
      })
      simulator.accept({ kind: 'vapid', publicKey: service.makeWebPushKey(service.application) })
      const register = async (token: string): Promise<void> => {
        const body = { platform: '2', token, keys: EXAMPLE_SUBSCRIPTION }
        expect((await service.put('/deviceToken', body, { as: 'device' })).status).toBe(201)
      }
      const suffix = host.replace(/^[^.]*/, '')
      // Fifty at a time, which share commits.
      for (let from = 0; from < 500; from += 50) {
        await Promise.all(Array.from({ length: 50 }, (_one, n) => register(`https://m${from + n}${suffix}/1`)))
      }
      await Promise.all(Array.from({ length: 50 }, (_one, n) => register(`https://${host}/${n}`)))
      const since = clock.now()
      const id = await acceptedPush(service, '/push/all', { platform: 2 })
      await passing(service, clock, reached(service, id, 50))
      expect(clock.now() - since).toBeLessThan(30_000)
      expect(lookups).toBeLessThan(50)
      expect(pausesIn(service)).toEqual([])
      expect(service.log.filter(({ level }) => level === 'warn')).toEqual([])
      // A stop waits for requests in flight until their deadline.
      const moving = setInterval(() => clock.advance(250), 5)
      atEnd.defer(() => clearInterval(moving))
    },
    120_000,
  )
})

test('four hundred pushes to a phone that Apple throttles hold up no other, with a credential that nobody was sent to with', async () => {
  const clock = createFakeClock()
  await using gateways = await startOutsideGateways(clock)
  const { simulator } = gateways
  await using service = await startService({ clock, simulated: false, config: gateways.config, random: () => 0.5 })
  service.equip(service.application, simulator, ['apns'])
  const [busy, good] = ['aa'.repeat(32), 'bb'.repeat(32)]
  await registerDevices(service, 0, [busy, good])
  simulator.answerWith(({ token }: Attempt) =>
    token === busy ? answered(429, JSON.stringify({ reason: 'TooManyRequests' })) : answered(200),
  )
  for (let n = 0; n < 400; n++) await acceptedPush(service, '/push/one', { token: busy })
  const id = await acceptedPush(service, '/push/one', { token: good })
  await reached(service, id, 1)
  expect(pausesIn(service)).toEqual([])
  const asked = simulator.arrivals().map(({ token }) => token)
  expect(asked.indexOf(good)).toBeLessThan(10)
})
