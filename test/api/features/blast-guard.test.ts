import { describe, expect, test } from 'bun:test'
import { createApplicationStore } from '../../../src/application/application-store.ts'
import type { Limits } from '../../../src/application/application.ts'
import { arrivalsAt, arrivalsOf } from '../../support/arrivals.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { expectFailure, expectInvalid } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import type { Answer, Credentials } from '../../support/service.ts'

const HELLO = { msg: 'Hello', sound: '', badge: '' }
const TO_ALL = { platform: ['0', '1'], ...HELLO }

const clock = createFakeClock()
const service = await fileService({ clock })

let applications = 0

/** An application with so many devices: of each hundred ten on Android, five of these and thirty of the others tagged. */
async function guarded(devices: number, limits: Partial<Limits>): Promise<Credentials> {
  const application = service.addApplication(`guarded ${++applications}`, limits)
  for (const { platform, tagged, each } of [
    { platform: '0', tagged: true, each: 30 },
    { platform: '0', tagged: false, each: 60 },
    { platform: '1', tagged: true, each: 5 },
    { platform: '1', tagged: false, each: 5 },
  ]) {
    const tokens = Array.from(
      { length: (devices * each) / 100 },
      (_, n) => (tagged ? 'a' : 'b') + n.toString(16).padStart(63, '0'),
    )
    for (let n = 0; n < tokens.length; n += 500) {
      const body = { platform, tokens: tokens.slice(n, n + 500), ...(tagged && { tags: ['beta'] }) }
      expect(await service.put('/deviceToken/batch', body, { application })).toMatchObject({ status: 201 })
    }
  }
  return application
}

function push(application: Credentials, body: object, path = '/push/all'): Promise<Answer> {
  return service.post(path, body, { application })
}

function pushesStored(): number {
  return service.database.reading<{ n: number }, []>('SELECT count(*) AS n FROM push').get()?.n ?? 0
}

function expectTooMany(answer: Answer, count: number, above: number): void {
  const message = `The push addresses ${count} devices, more than confirm-above ${above}: repeat it with "confirm": ${count}.`
  expectFailure(answer, 409, 'ConflictError', message)
}

describe('confirm_above', () => {
  test('lets nothing out that addresses more devices, and says how many they are', async () => {
    const application = await guarded(100, { confirmAbove: 34 })
    const before = pushesStored()
    expectTooMany(await push(application, TO_ALL), 100, 34)
    expectTooMany(await push(application, { ...TO_ALL, platform: '0' }), 90, 34)
    expectTooMany(await push(application, { tags: ['beta'], msg: 'x' }), 35, 34)
    expectTooMany(await push(application, { except_tags: ['beta'], msg: 'x' }), 65, 34)
    expectTooMany(await push(application, { ...TO_ALL, send_at: 3600 }), 100, 34)
    expectTooMany(await push(application, { ...TO_ALL, send_at_local: '2026-12-24T09:00' }), 100, 34)
    expect(pushesStored()).toBe(before)
  })

  test('lets out what addresses no more, and pushes to one', async () => {
    const application = await guarded(100, { confirmAbove: 35 })
    for (const body of [
      { tags: ['beta'], msg: 'x' },
      { tags: [], msg: 'x' },
      { ...TO_ALL, platform: '1' },
    ]) {
      expect(await push(application, body)).toMatchObject({ status: 200, body: { message: 'Queued' } })
    }
    const one = { platform: '1', token: 'b'.padEnd(64, '0'), ...HELLO }
    expect(await push(application, one, '/push/one')).toMatchObject({ status: 200 })
  })

  test('is satisfied by a number within 10 percent of the count', async () => {
    const application = await guarded(100, { confirmAbove: 10 })
    for (const confirm of [90, 99, 100, '100', 110]) {
      const answer = await push(application, { ...TO_ALL, confirm })
      expect({ confirm, status: answer.status }).toEqual({ confirm, status: 200 })
      expect(await arrivalsOf(service, answer.body.id)).toHaveLength(100)
    }
    for (const confirm of [0, 10, 89, 111, 1_000_000]) {
      expectTooMany(await push(application, { ...TO_ALL, confirm }), 100, 10)
    }
  })

  test('is off by default, and confirm does no harm then', async () => {
    const application = await guarded(100, {})
    for (const more of [{}, { confirm: 1 }]) {
      expect(await push(application, { ...TO_ALL, ...more })).toMatchObject({ status: 200 })
    }
  })

  test('does not stand in the way of a repeat', async () => {
    const application = await guarded(100, { confirmAbove: 10 })
    const send = () =>
      service.post('/push/all', { ...TO_ALL, confirm: 100 }, { application, headers: { 'idempotency-key': 'k' } })
    const first = await send()
    expect(first.status).toBe(200)
    const tokens = Array.from({ length: 100 }, (_, n) => `more:${n}`)
    await service.put('/deviceToken/batch', { platform: '1', tokens }, { application })
    expect((await send()).body).toEqual(first.body)
  })

  test('takes a whole number', () =>
    expectInvalid((confirm) => service.post('/push/all', { ...TO_ALL, confirm }), 'confirm', [
      [-1, 'must be a whole number from 0 to 9007199254740991, not -1'],
      [1.5, 'must be a whole number from 0 to 9007199254740991, not 1.5'],
      ['many', 'must be a whole number from 0 to 9007199254740991, not "many"'],
      [true, 'must be a whole number from 0 to 9007199254740991, not true'],
      [[100], 'must be a whole number from 0 to 9007199254740991, not an array'],
    ]))
})

describe('hold_seconds', () => {
  test('keeps a push to many for so long, in which it can be cancelled', async () => {
    const application = await guarded(100, { holdSeconds: 30 })
    const held = new Date(clock.now() + 30_000).toISOString()
    const answers = [await push(application, TO_ALL), await push(application, { tags: ['beta'], msg: 'x' })]
    for (const { body } of answers) expect(body).toEqual({ message: 'Scheduled', id: body.id, send_at: held })
    const [first, second] = answers.map(({ body }) => String(body.id))
    expect(await service.call('POST', `/push/${first}/cancel`, { application })).toMatchObject({ status: 200 })
    clock.advance(30_000)
    const simulator = await service.server.simulator()
    await arrivalsAt(simulator, 35, ({ collapse }) => collapse === second)
    expect(simulator.arrivals().filter(({ collapse }) => collapse === first)).toEqual([])
  })

  test('does not put off what is to be sent later anyway', async () => {
    const application = await guarded(100, { holdSeconds: 30 })
    const now = clock.now()
    for (const [send_at, at] of [
      [29, 30],
      [31, 31],
      [0, 30],
    ] as const) {
      const { body } = await push(application, { ...TO_ALL, send_at })
      expect(body.send_at).toBe(new Date(now + at * 1000).toISOString())
    }
  })

  test('does not hold a push to one', async () => {
    const application = await guarded(100, { holdSeconds: 30 })
    const answer = await push(application, { platform: '1', token: 'b'.padEnd(64, '0'), ...HELLO }, '/push/one')
    expect(answer).toMatchObject({ status: 200, body: { message: 'Queued' } })
    expect(await arrivalsOf(service, answer.body.id)).toHaveLength(1)
  })
})

test('both are followed by a running service', async () => {
  const application = await guarded(100, {})
  const applicationStore = createApplicationStore({ database: service.database, clock })
  applicationStore.setLimits(application.id, { confirmAbove: 99, holdSeconds: 10 })
  clock.advance(1000)
  expectTooMany(await push(application, TO_ALL), 100, 99)
  expect(await push(application, { ...TO_ALL, confirm: 100 })).toMatchObject({ body: { message: 'Scheduled' } })
})
