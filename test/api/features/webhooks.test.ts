import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../src/clock.ts'
import { withComponents } from '../../../src/http/document/components.ts'
import { WEBHOOKS } from '../../../src/webhook/event-schema.ts'
import { EVENT_TYPES } from '../../../src/webhook/event.ts'
import type { EventType } from '../../../src/webhook/event.ts'
import { directoryOfEachTest } from '../../support/directory-of-tests.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { misfits } from '../../support/openapi.ts'
import type { Json } from '../../support/openapi.ts'
import { silence, startReceiver, status } from '../../support/receiver.ts'
import type { Received, WebhookReceiver } from '../../support/receiver.ts'
import { acceptedPush, registerDevice } from '../../support/sending.ts'
import { startService } from '../../support/service.ts'
import type { Service } from '../../support/service.ts'

const KEY_BYTES = Buffer.alloc(32, 9)
const SECRET = `whsec_${KEY_BYTES.toString('base64')}`
const GOOD = 'a1'.repeat(32)
/** Tokens that order an answer: see src/gateway/simulator/magic-tokens.ts. */
const GONE = 'bad41000'.padEnd(64, '0')
const UNKNOWN = 'bad40000'.padEnd(64, '0')

const DOCUMENT: Json = withComponents({ webhooks: WEBHOOKS, components: { schemas: {} } })

let receiver: WebhookReceiver
let service: Service
const directory = directoryOfEachTest('bellhop-ca')

beforeEach(async () => {
  receiver = await startReceiver()
  writeFileSync(join(directory(), 'ca.pem'), receiver.certificate)
  service = await start()
})
afterEach(async () => {
  await service[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

function start(clock = systemClock): Promise<Service> {
  return startService({ clock, config: { webhookPrivate: true, gatewayCa: join(directory(), 'ca.pem') } })
}

/** As `app webhook` does, from another connection. */
function hook(events: readonly EventType[] = EVENT_TYPES, host = '127.0.0.1'): void {
  const url = `https://${host}:${receiver.port}/hooks`
  service.hook(service.application, { url, events, secret: SECRET })
}

/** The event in a request, when its signature is right. */
function verified({ headers, body }: Received): { type: string; timestamp: string; data: any } {
  const content = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.')
  const expected = `v1,${createHmac('sha256', KEY_BYTES).update(content).digest('base64')}`
  expect(timingSafeEqual(Buffer.from(expected), Buffer.from(String(headers['webhook-signature'])))).toBe(true)
  const event = JSON.parse(body)
  const { schema } = DOCUMENT.webhooks[event.type].post.requestBody.content['application/json']
  expect(misfits(DOCUMENT, schema, event)).toEqual([])
  return event
}

const register = (token: string, platform = '0') => registerDevice(service, { token, platform })
const push = (platform: unknown = ['0', '1'], more: object = {}) =>
  acceptedPush(service, '/push/all', { platform, ...more })

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('a webhook', () => {
  test('hears once that a push is finished on both platforms, with the right numbers', async () => {
    hook(['push.finished'])
    await register(GOOD)
    await register('b2'.repeat(32))
    await register('android-token', '1')
    await register('bad41300'.padEnd(64, '0'))
    const id = await push()
    const [one] = await receiver.arrived(1)
    const event = verified(one as Received)
    const times = { started_at: expect.stringMatching(ISO), finished_at: expect.stringMatching(ISO) }
    expect(event).toEqual({
      type: 'push.finished',
      timestamp: expect.stringMatching(ISO),
      data: { id, state: 'finished', t: 4, s: 3, failed: 1, ...times },
    })
    expect(event.data.started_at <= event.data.finished_at).toBe(true)
    const second = await push('1')
    await receiver.arrived(2)
    expect(receiver.received.map((each) => verified(each).data.id)).toEqual([id, second])
  })

  test('hears of what was opened or chosen, once of each device, and not of what was received', async () => {
    hook(['push.opened'])
    await register(GOOD)
    const id = await push()
    const report = (body: object) => service.put('/stats', { platform: '0', id, ...body })
    const reports = [
      { event: 'received', token: GOOD },
      { token: GOOD },
      { token: GOOD },
      { event: 'action', action: 'reply', token: 'nobody' },
    ]
    for (const body of [...reports, { id: '019a9f7e-3c1b-7000-8000-000000000000' }]) {
      expect((await report(body)).status).toBe(200)
    }
    await report({ event: 'action', action: 'last' })
    const heard = (await receiver.arrived(3)).map((each) => verified(each))
    expect(heard.map(({ data }) => data).toSorted((a, b) => (a.action ?? '').localeCompare(b.action ?? ''))).toEqual([
      { id, event: 'opened', platform: '0', token: GOOD },
      { id, event: 'action', platform: '0', action: 'last' },
      { id, event: 'action', platform: '0', action: 'reply' },
    ])
    expect(new Set(heard.map(({ type }) => type))).toEqual(new Set(['push.opened']))
  })

  test('hears in which language the device gets what it has opened, of a push that has some', async () => {
    hook(['push.opened'])
    await register(GOOD)
    const languages = { de: { msg: 'Hallo' } }
    const id = await push('0', { languages })
    const report = (more: object) => service.put('/stats', { platform: '0', id, ...more })
    const opened = { id, event: 'opened', platform: '0' }
    await report({ token: GOOD })
    await report({})
    expect((await service.put('/deviceToken', { token: GOOD, platform: '0', locale: 'de-CH' })).status).toBe(200)
    await report({ token: GOOD, event: 'action', action: 'reply' })
    const heard = (await receiver.arrived(3)).map((each) => verified(each).data)
    expect(heard).toContainEqual({ ...opened, token: GOOD, language: null })
    expect(heard).toContainEqual(opened)
    expect(heard).toContainEqual({ ...opened, event: 'action', action: 'reply', token: GOOD, language: 'de' })
  })

  test('hears of a push that nobody was there for', async () => {
    hook(['push.finished'])
    const id = await push()
    const [one] = await receiver.arrived(1)
    expect(verified(one as Received).data).toMatchObject({ id, t: 0, s: 0, failed: 0 })
  })

  test('hears once of a push that is called off before it goes out', async () => {
    hook(['push.finished'])
    const send_at = new Date(Date.now() + 3_600_000).toISOString()
    const { body } = await service.post('/push/all', { tags: ['x'], msg: 'Hello', send_at })
    for (let time = 0; time < 2; time++) {
      expect((await service.post(`/push/${body.id}/cancel`, undefined)).status).toBe(200)
    }
    // Of two that are sent at once either may come first.
    await receiver.arrived(1)
    const after = await push('0')
    const [first, second] = (await receiver.arrived(2)).map((each) => verified(each).data)
    const times = { finished_at: expect.stringMatching(ISO) }
    expect(first).toEqual({ id: body.id, state: 'cancelled', t: 0, s: 0, failed: 0, ...times })
    expect(second).toMatchObject({ id: after, state: 'finished' })
  })

  test('hears of devices that a gateway declared dead, as the feedback does', async () => {
    hook(['device.gone'])
    await register(GOOD)
    await register(GONE)
    await register(UNKNOWN)
    await push('0')
    const received = await receiver.arrived(2)
    const told = received.map((each) => verified(each).data)
    const entry = (token: string, reason: string) => ({ token, platform: '0', reason, at: expect.stringMatching(ISO) })
    expect(told).toContainEqual(entry(GONE, 'Unregistered'))
    expect(told).toContainEqual(entry(UNKNOWN, 'BadDeviceToken'))
    const feedback: { token: string }[] = (await service.get('/feedback')).body
    expect(new Set(told.map(({ token }) => token))).toEqual(new Set(feedback.map(({ token }) => token)))
  })

  test('gets the same event again when it has refused it, after a restart too', async () => {
    hook(['push.finished'])
    receiver.answer = status(500)
    await register(GOOD)
    await push('0')
    await service.logged(({ event }) => event === 'webhook event not delivered')
    receiver.answer = status(204)
    service.database.statement('UPDATE event SET due_at = 0').run()
    service = await service.restart()
    const [first, second] = await receiver.arrived(2)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'] ?? '')
    expect(verified(second as Received)).toEqual(verified(first as Received))
    await service.logged(({ event }) => event === 'webhook event delivered')
    const left = service.database.statement<{ count: number }, []>('SELECT count(*) AS count FROM event')
    expect(left.get()?.count).toBe(0)
  })

  test('that never answers holds up neither pushes nor a stop', async () => {
    await service[Symbol.asyncDispose]()
    const clock = createFakeClock()
    service = await start(clock)
    const sent = (id: string) => service.logged(({ event, push: sentPush }) => event === 'push sent' && sentPush === id)
    hook(['push.finished'])
    receiver.answer = silence
    await register(GOOD)
    await sent(await push('0'))
    // Events are looked for four times a second.
    clock.advance(250)
    await receiver.arrived(1)
    await sent(await push('0'))
    const stopped = service.server[Symbol.asyncDispose]()
    // A stop waits so long for a receiver, and for calls and pushes five seconds.
    clock.advance(2000)
    await stopped
    expect(service.log.map(({ event }) => event)).not.toContain('stopped before everything in flight was answered')
  })

  test('that is set while the server runs is followed', async () => {
    await register(GOOD)
    const before = await push('0')
    await service.logged(({ event, push: sentPush }) => event === 'push sent' && sentPush === before)
    hook(['push.finished'])
    const after = await push('0')
    const [one] = await receiver.arrived(1)
    expect(verified(one as Received).data.id).toBe(after)
  })
})

test('a webhook at a private address is not reached, unless the operator allows it', async () => {
  await using guarded = await startService({ config: { gatewayCa: join(directory(), 'ca.pem') } })
  const open = service
  service = guarded
  try {
    hook(['push.finished'], 'localhost')
    await push('0')
    const line = await guarded.logged(({ event }) => event === 'webhook event not delivered')
    expect(line).toMatchObject({ reason: 'private address', type: 'push.finished' })
    expect(receiver.received).toEqual([])
  } finally {
    service = open
  }
})

test('a refused credential is told of once, and once that it is good again, though the server was restarted', async () => {
  hook(['credential.paused', 'credential.resumed'])
  await register(GOOD)
  const simulator = await service.server.simulator()
  const answer = { status: 403, headers: {}, body: '{"reason":"InvalidProviderToken"}' }
  simulator.answerWith(() => ({ kind: 'answer', answer }))
  await push('0')
  const [first] = await receiver.arrived(1)
  const reason = 'InvalidProviderToken for 1 of 1 device'
  expect(verified(first as Received)).toMatchObject({
    type: 'credential.paused',
    data: { provider: 'apns', state: 'misconfigured', reason },
  })
  // Until then a start would tell it again.
  await service.logged(({ event }) => event === 'webhook event delivered')
  service = await service.restart()
  await push('0')
  const [, second] = await receiver.arrived(2)
  expect(verified(second as Received)).toMatchObject({
    type: 'credential.resumed',
    data: { provider: 'apns', state: 'ready' },
  })
})
