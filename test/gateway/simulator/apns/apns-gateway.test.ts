import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startSimulator } from '../../../../src/gateway/simulator/simulator.ts'
import type { Simulator } from '../../../../src/gateway/simulator/simulator.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { answered } from '../http2-client.ts'
import { apnsSender } from '../senders.ts'
import type { ApnsSender } from '../senders.ts'

const TOKEN = 'ab'.repeat(32)
const ID = '7f2c5b6e-0a4d-4b53-9c63-4f0c0d0e0f01'
const UUID = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/

const clock = createFakeClock()
const NOW = clock.now()
let simulator: Simulator
let production: ApnsSender
let sandbox: ApnsSender
beforeAll(async () => {
  simulator = await startSimulator({ clock })
  production = await apnsSender(simulator, NOW)
  sandbox = await apnsSender(simulator, NOW, { origin: simulator.apnsSandboxUrl })
})
afterAll(async () => {
  await production[Symbol.asyncDispose]()
  await sandbox[Symbol.asyncDispose]()
  await simulator[Symbol.asyncDispose]()
})

const ordering = (code: string) => `bad${code}`.padEnd(64, 'a')

describe('an accepted notification', () => {
  test('is answered with headers alone that end the stream, without content-length', async () => {
    const reply = answered(await production.push(TOKEN, { 'apns-id': ID }))
    expect(reply).toMatchObject({ status: 200, body: '', endedWithHeaders: true })
    expect(reply.headers['apns-id']).toBe(ID)
    expect(reply.headers['content-length']).toBeUndefined()
  })

  test('is given an id when it brings none', async () => {
    const first = answered(await production.push(TOKEN)).headers['apns-id']
    const second = answered(await production.push(TOKEN)).headers['apns-id']
    expect(first).toMatch(UUID)
    expect(second).toMatch(UUID)
    expect(second).not.toBe(first)
  })

  test('has a unique id in sandbox only', async () => {
    expect(answered(await sandbox.push(TOKEN)).headers['apns-unique-id']).toBeString()
    expect(answered(await production.push(TOKEN)).headers['apns-unique-id']).toBeUndefined()
  })

  test('is an arrival with all that was sent', async () => {
    const body = '{"aps":{"alert":"Hi","badge":3},"order":7}'
    await sandbox.push(TOKEN, { 'apns-id': ID, 'apns-collapse-id': 'news', 'apns-priority': '10' }, body)
    const { topic } = simulator.issue('app').apnsKey
    expect(simulator.arrivals().at(-1)).toEqual({
      provider: 'apns',
      environment: 'sandbox',
      token: TOKEN,
      id: ID,
      pushType: 'alert',
      target: topic,
      collapse: 'news',
      headers: {
        'apns-id': ID,
        'apns-topic': topic,
        'apns-push-type': 'alert',
        'apns-collapse-id': 'news',
        'apns-priority': '10',
      },
      body: JSON.parse(body),
      status: 200,
      reason: null,
      at: NOW,
    })
  })
})

describe('a refused request', () => {
  // What is wrong in which way, apns-request.test.ts has.
  test.each<[number, string, Readonly<Record<string, string | undefined>>, string | undefined]>([
    [400, 'BadPriority', { 'apns-priority': '3' }, undefined],
    [403, 'MissingProviderToken', { authorization: undefined }, undefined],
    [404, 'BadPath', { ':path': '/3/devices' }, undefined],
    [405, 'MethodNotAllowed', { ':method': 'PUT' }, undefined],
    [413, 'PayloadTooLarge', {}, `{"a":"${'x'.repeat(200_000)}"}`],
  ])('is told %d %s in JSON', async (status, reason, headers, body) => {
    const reply = answered(await production.push(TOKEN, headers, body))
    expect({ status: reply.status, body: JSON.parse(reply.body) }).toEqual({ status, body: { reason } })
    expect(reply.headers['apns-id']).toBeString()
    expect(reply.headers['content-length']).toBeUndefined()
    expect(simulator.arrivals().at(-1)).toMatchObject({ status, reason })
  })

  test('is told DuplicateHeaders when a header came twice', async () => {
    const { topic } = simulator.issue('app').apnsKey
    const twice = { 'apns-collapse-id': ['a', 'b'] as unknown as string, 'apns-topic': topic }
    expect(answered(await production.push(TOKEN, twice)).body).toBe('{"reason":"DuplicateHeaders"}')
  })

  test('is an arrival with what can be read of it', async () => {
    await production.push(TOKEN, { 'apns-priority': '3' }, '{"aps":{}}')
    expect(simulator.arrivals().at(-1)).toMatchObject({ token: TOKEN, body: { aps: {} }, reason: 'BadPriority' })
    await production.push('xyz', {}, 'nonsense')
    expect(simulator.arrivals().at(-1)).toMatchObject({ token: 'xyz', body: null, reason: 'BadDeviceToken' })
  })
})

describe('a token orders', () => {
  const LONG_AGO = Date.UTC(2020, 0, 1)

  test.each<[string, object]>([
    ['40000', { reason: 'BadDeviceToken' }],
    ['40010', { reason: 'BadDeviceToken' }],
    ['40030', { reason: 'DeviceTokenNotForTopic' }],
    ['40040', { reason: 'TopicDisallowed' }],
    ['40050', { reason: 'IdleTimeout' }],
    ['40300', { reason: 'InvalidProviderToken' }],
    ['40310', { reason: 'ExpiredProviderToken' }],
    ['40320', { reason: 'BadEnvironmentKeyInToken' }],
    ['40330', { reason: 'Forbidden' }],
    ['41000', { reason: 'Unregistered', timestamp: NOW }],
    ['41010', { reason: 'Unregistered', timestamp: LONG_AGO }],
    ['41020', { reason: 'ExpiredToken', timestamp: NOW }],
    ['41300', { reason: 'PayloadTooLarge' }],
    ['42900', { reason: 'TooManyRequests' }],
    ['42910', { reason: 'TooManyProviderTokenUpdates' }],
    ['50000', { reason: 'InternalServerError' }],
    ['50300', { reason: 'ServiceUnavailable' }],
    ['50310', { reason: 'Shutdown' }],
  ])('bad%s: %j', async (code, body) => {
    const reply = answered(await production.push(ordering(code), { 'apns-id': ID }))
    const status = Number(code.slice(0, 3))
    expect({ status: reply.status, body: JSON.parse(reply.body) }).toEqual({ status, body })
    expect(reply.headers['apns-id']).toBe(ID)
    const { reason } = JSON.parse(reply.body)
    expect(simulator.arrivals().at(-1)).toMatchObject({ token: ordering(code), status, reason })
  })

  test('bad4001 and bad4002: bad in one environment, good in the other', async () => {
    for (const [code, bad, good] of [
      ['40010', production, sandbox],
      ['40020', sandbox, production],
    ] as const) {
      expect(answered(await bad.push(ordering(code))).status).toBe(400)
      expect(answered(await good.push(ordering(code))).status).toBe(200)
    }
  })

  test('a refusal for the first two requests only', async () => {
    const statuses: number[] = []
    for (let request = 0; request < 4; request++) {
      statuses.push(answered(await production.push(ordering('50302'))).status)
    }
    expect(statuses).toEqual([503, 503, 200, 200])
  })

  test('nothing before the request itself is in order', async () => {
    const reply = answered(await production.push(ordering('41000'), { authorization: undefined }))
    expect(reply.body).toBe('{"reason":"MissingProviderToken"}')
  })
})
