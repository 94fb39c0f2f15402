import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { readApnsKey, readServiceAccount } from '../../../src/application/credential.ts'
import type { Clock } from '../../../src/clock.ts'
import { startSimulator } from '../../../src/gateway/simulator/simulator.ts'
import type { Simulator } from '../../../src/gateway/simulator/simulator.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { connectTo } from '../../support/raw-connection.ts'
import { answered } from './http2-client.ts'
import { apnsSender, fcmSender, nextArrival } from './senders.ts'
import { grantForm, providerToken } from './signing.ts'

const TOKEN = 'ab'.repeat(32)
const clock = createFakeClock()
let simulator: Simulator
beforeAll(async () => {
  simulator = await startSimulator({ clock, remember: 2 })
})
afterAll(() => simulator[Symbol.asyncDispose]())

describe('issued credentials', () => {
  test('are such as Apple and Google issue', () => {
    const { apnsKey, serviceAccount } = simulator.issue('app')
    expect(readApnsKey({ ...apnsKey, environment: 'auto' })).toMatchObject({ kind: 'key' })
    expect(readServiceAccount(serviceAccount)).toMatchObject({ kind: 'service-account' })
  })

  test('are the same for the same application, and others for another', () => {
    expect(simulator.issue('app')).toEqual(simulator.issue('app'))
    const [one, two] = [simulator.issue('app'), simulator.issue('other')]
    for (const field of ['keyId', 'teamId', 'topic'] as const) expect(one.apnsKey[field]).not.toBe(two.apnsKey[field])
    expect(JSON.parse(one.serviceAccount).project_id).not.toBe(JSON.parse(two.serviceAccount).project_id)
  })

  test('of one application do not open the topic of another', async () => {
    await using sender = await apnsSender(simulator, clock.now())
    const { topic } = simulator.issue('other').apnsKey
    expect(answered(await sender.push(TOKEN, { 'apns-topic': topic })).body).toBe('{"reason":"TopicDisallowed"}')
  })
})

describe('credentials made elsewhere', () => {
  test('an APNs key counts once it is accepted', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const p8 = privateKey.export({ type: 'pkcs8', format: 'pem' })
    const key = { p8, keyId: 'MYKEY00000', teamId: 'MYTEAM0000', topic: 'com.example.mine' }
    const headers = { authorization: providerToken(key, clock.now()), 'apns-topic': key.topic }
    await using sender = await apnsSender(simulator, clock.now())
    expect(answered(await sender.push(TOKEN, headers)).body).toBe('{"reason":"InvalidProviderToken"}')
    simulator.accept({ ...key, kind: 'apns-key', key: p8, topics: [key.topic] })
    expect(answered(await sender.push(TOKEN, headers)).status).toBe(200)
  })

  test('a service account counts once it is accepted', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const serviceAccount = JSON.stringify({
      client_email: 'mine@mine.iam.gserviceaccount.com',
      project_id: 'mine-project',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      private_key_id: 'k',
    })
    const ask = async () => {
      const body = grantForm(serviceAccount, clock.now())
      return (await fetch(simulator.fcmTokenUrl, { method: 'POST', body, tls: { ca: simulator.ca } })).status
    }
    expect(await ask()).toBe(400)
    simulator.accept({ kind: 'service-account', serviceAccount })
    expect(await ask()).toBe(200)
  })

  test('a service account that is none is a mistake of the caller', () => {
    expect(() => simulator.accept({ kind: 'service-account', serviceAccount: '{}' })).toThrow(
      'a service account has client_email, project_id and private_key',
    )
  })
})

describe('arrivals', () => {
  test('of both gateways are remembered up to the limit and told to listeners', async () => {
    await using apns = await apnsSender(simulator, clock.now())
    await using fcm = await fcmSender(simulator, clock.now())
    const heard: string[] = []
    const stop = simulator.onArrival(({ provider, token }) => heard.push(`${provider} ${token}`))
    await apns.push(TOKEN)
    await fcm.push({ token: 'one' })
    await fcm.push({ token: 'two' })
    stop()
    await fcm.push({ token: 'three' })
    expect(heard).toEqual([`apns ${TOKEN}`, 'fcm one', 'fcm two'])
    expect(simulator.arrivals().map(({ token }) => token)).toEqual(['two', 'three'])
  })
})

describe('a script', () => {
  test('answers in place of the token, with what it is shown, until it is taken away', async () => {
    await using sender = await apnsSender(simulator, clock.now(), { origin: simulator.apnsSandboxUrl })
    const seen: unknown[] = []
    simulator.answerWith((attempt) => {
      seen.push(attempt)
      return { kind: 'answer', answer: { status: 418, headers: { 'x-a': 'b' }, body: '{"reason":"Teapot"}' } }
    })
    const reply = answered(await sender.push(TOKEN, { 'apns-priority': '5' }))
    expect(reply).toMatchObject({ status: 418, headers: { 'x-a': 'b' }, body: '{"reason":"Teapot"}' })
    expect(simulator.arrivals().at(-1)).toMatchObject({ status: 418, reason: 'Teapot' })
    expect(seen).toMatchObject([
      {
        gateway: 'apns-sandbox',
        token: TOKEN,
        headers: { 'apns-priority': '5' },
        body: { aps: { alert: 'Hi' } },
      },
    ])
    simulator.answerWith(null)
    expect(answered(await sender.push(TOKEN)).status).toBe(200)
  })

  test('that says nothing leaves the answer to the token', async () => {
    await using sender = await fcmSender(simulator, clock.now())
    simulator.answerWith(({ token }) => (token === 'mine' ? { kind: 'reset', code: 8 } : null))
    expect(await sender.push({ token: 'mine' })).toEqual({ kind: 'none', code: 8 })
    expect(answered(await sender.push({ token: 'unregistered:a' })).status).toBe(404)
    simulator.answerWith(null)
  })

  test('may answer on the stream itself, and then what was said is not known', async () => {
    await using sender = await fcmSender(simulator, clock.now())
    simulator.answerWith(() => ({
      kind: 'custom',
      perform(stream) {
        stream.respond(299, {}, { end: false })
        stream.write('by hand')
      },
    }))
    expect(answered(await sender.push({ token: 'mine' }))).toMatchObject({ status: 299, body: 'by hand' })
    expect(simulator.arrivals().at(-1)).toMatchObject({ token: 'mine', status: null, reason: null })
    simulator.answerWith(null)
  })

  test('is not asked about what fails the checks', async () => {
    await using sender = await apnsSender(simulator, clock.now())
    let asked = 0
    simulator.answerWith(() => {
      asked++
      return null
    })
    await sender.push(TOKEN, { 'apns-priority': '3' })
    await sender.push(TOKEN)
    simulator.answerWith(null)
    expect(asked).toBe(1)
  })
})

describe('connections', () => {
  test('all get GOAWAY on demand, and take no more requests', async () => {
    await using apns = await apnsSender(simulator, clock.now())
    await using fcm = await fcmSender(simulator, clock.now())
    const ended = [apns, fcm].map(({ client }) => new Promise((resolve) => client.session.once('goaway', resolve)))
    simulator.goaway(11)
    await Promise.all(ended)
    expect(apns.client.goaways).toEqual([{ code: 11, data: '{"reason":"Shutdown"}' }])
    expect(fcm.client.goaways).toEqual([{ code: 11, data: '' }])
  })

  test('are all dropped on demand, with what they were waiting for', async () => {
    await using sender = await apnsSender(simulator, clock.now())
    await sender.push(TOKEN)
    const arrived = nextArrival(simulator)
    const waiting = sender.push('bad00030'.padEnd(64, 'a'))
    await arrived
    simulator.disconnect()
    expect(await waiting).toMatchObject({ kind: 'none' })
    expect(sender.client.goaways).toEqual([])
  })

  test('and requests are counted for each gateway', async () => {
    await using own = await startSimulator({ clock, coldStart: false })
    await using production = await apnsSender(own, clock.now())
    await using sandbox = await apnsSender(own, clock.now(), { origin: own.apnsSandboxUrl })
    await using fcm = await fcmSender(own, clock.now())
    own.answerWith(() => ({ kind: 'answer', answer: { status: 200, headers: {}, body: '' }, afterMs: 10 }))
    const { promise: allArrived, resolve } = Promise.withResolvers<void>()
    own.onArrival(() => {
      if (own.counts().apns.openStreams === 3) resolve()
    })
    const waiting = Promise.all([1, 2, 3].map(() => production.push(TOKEN)))
    await allArrived
    clock.advance(10)
    await waiting
    own.answerWith(null)
    await production.push(TOKEN)
    await sandbox.push('bad40000'.padEnd(64, 'a'))
    await fcm.push({ token: 'abc' })
    expect(own.counts()).toEqual({
      apns: { sessions: 1, openSessions: 1, streams: 4, openStreams: 0, peakStreams: 3 },
      apnsSandbox: { sessions: 1, openSessions: 1, streams: 1, openStreams: 0, peakStreams: 1 },
      fcm: { sessions: 1, openSessions: 1, streams: 1, openStreams: 0, peakStreams: 1 },
      webPush: { sessions: 0, openSessions: 0, streams: 0, openStreams: 0, peakStreams: 0 },
      tokenRequests: 1,
      accepted: 5,
      refused: 1,
    })
  })

  test('to FCM take 100 requests at a time', async () => {
    await using fcm = await fcmSender(simulator, clock.now())
    expect(fcm.client.session.remoteSettings.maxConcurrentStreams).toBe(100)
  })
})

describe('the end', () => {
  test('closes everything, also what was never answered, and comes soon', async () => {
    let timers = 0
    const counting: Clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after(delayMs, callback) {
        timers++
        const cancel = clock.after(delayMs, callback)
        return () => {
          timers--
          cancel()
        }
      },
    }
    const own = await startSimulator({ clock: counting })
    await using sender = await apnsSender(own, clock.now())
    const arrived = nextArrival(own)
    const waiting = sender.push('bad00000'.padEnd(64, 'a'))
    await arrived
    expect(timers).toBe(1)
    await own[Symbol.asyncDispose]()
    expect(await waiting).toMatchObject({ kind: 'none' })
    expect(timers).toBe(0)
    for (const url of [own.apnsUrl, own.apnsSandboxUrl, own.fcmUrl, own.fcmTokenUrl]) {
      const outcome = await fetch(url, { tls: { ca: own.ca } }).then(
        ({ status }) => `answered ${status}`,
        (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
      )
      expect(outcome).toBe('ECONNREFUSED')
    }
  })

  test('ends too while a connection has not shaken hands', async () => {
    const own = await startSimulator({ clock })
    using bare = await connectTo(own.apnsUrl)
    // Once another that came later is answered, it is connected.
    await using sender = await apnsSender(own, clock.now())
    expect(await sender.push(TOKEN)).toMatchObject({ status: 200 })
    await own[Symbol.asyncDispose]()
    await bare.closed
  })
})
