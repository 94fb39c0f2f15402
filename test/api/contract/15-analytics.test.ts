import { describe, expect, test } from 'bun:test'
import { arrivalsOf } from '../../support/arrivals.ts'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { expectFailure } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import { startService } from '../../support/service.ts'

const DAY_MS = 24 * 60 * 60 * 1000

const clock = createFakeClock()
const service = await fileService({ clock })

async function analyticsOf(caller: Caller): Promise<unknown> {
  const answer = await caller.get('/analytics')
  expect(answer.status).toBe(200)
  return answer.body
}

/** Sends it and waits until it is over. */
async function push(caller: Caller, path: '/push/all' | '/push/one', body: object): Promise<void> {
  const answer = await caller.post(path, { msg: 'Hello', sound: '', badge: '', ...body })
  expect(answer.status).toBe(200)
  await arrivalsOf(service, answer.body.id)
}

/** Registers two iOS devices and two Android ones; one of each takes no notification. */
async function registerFour(caller: Caller): Promise<void> {
  const devices = [
    { token: 'ab'.repeat(32), platform: '0', tag: ['good'] },
    // "bad4130": 413 PayloadTooLarge, whatever it is sent.
    { token: 'bad41300'.padEnd(64, '0'), platform: '0' },
    { token: 'android', platform: '1', tag: ['good'] },
    { token: 'mismatch:android', platform: '1' },
  ]
  for (const device of devices) await caller.register(device)
}

describe('GET /analytics', () => {
  test('is 0 for everything before anything has happened', async () => {
    const answer = await newCaller(service).get('/analytics')
    expect([answer.status, answer.body]).toEqual([200, { t: 0, o: 0, s: 0 }])
    expect(answer.headers.get('content-type')).toStartWith('application/json')
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('t counts the devices addressed, s those whose notification a gateway accepted, o the opens recorded', async () => {
    const caller = newCaller(service)
    await registerFour(caller)
    await push(caller, '/push/all', { platform: [0, 1] })
    expect(await analyticsOf(caller)).toEqual({ t: 4, o: 0, s: 2 })
    await push(caller, '/push/all', { tags: ['good'] })
    expect(await analyticsOf(caller)).toEqual({ t: 6, o: 0, s: 4 })
    await push(caller, '/push/one', { platform: '1', token: 'android' })
    expect(await analyticsOf(caller)).toEqual({ t: 7, o: 0, s: 5 })
    for (const platform of [0, 1, 1]) await caller.put('/stats', { platform })
    expect(await analyticsOf(caller)).toEqual({ t: 7, o: 3, s: 5 })
  })

  test('a push that addresses nobody changes nothing, and neither does one that is refused', async () => {
    const caller = newCaller(service)
    await push(caller, '/push/all', { platform: [0, 1] })
    expect(await caller.post('/push/one', { platform: '0', token: 'a', msg: 'a', sound: '', badge: '' })).toMatchObject(
      {
        status: 404,
      },
    )
    expect(await caller.post('/push/all', {})).toMatchObject({ status: 409 })
    expect(await analyticsOf(caller)).toEqual({ t: 0, o: 0, s: 0 })
  })

  test('a device that was gone is counted in t, and not addressed again', async () => {
    const caller = newCaller(service)
    await caller.register({ token: 'android', platform: '1' })
    await caller.register({ token: 'unregistered:android', platform: '1' })
    await push(caller, '/push/all', { platform: 1 })
    expect(await analyticsOf(caller)).toEqual({ t: 2, o: 0, s: 1 })
    await push(caller, '/push/all', { platform: 1 })
    expect(await analyticsOf(caller)).toEqual({ t: 3, o: 0, s: 2 })
  })

  test('s is never more than t, also while a push is under way', async () => {
    const caller = newCaller(service)
    for (let index = 0; index < 60; index++) {
      await caller.register({ token: `${index % 10 === 0 ? 'mismatch:' : 'android'}${index}`, platform: '1' })
    }
    const sent = await caller.post('/push/all', { platform: 1, msg: 'Hello', sound: '', badge: '' })
    const over = arrivalsOf(service, sent.body.id).then(() => true)
    // Each look is a call of its own, between the pages and answers of the push.
    for (let done = false; !done; done = await Promise.race([over, Promise.resolve(false)])) {
      const { t, s } = (await analyticsOf(caller)) as { t: number; s: number }
      expect(s).toBeLessThanOrEqual(t)
      expect(t).toBeLessThanOrEqual(60)
    }
    expect(await analyticsOf(caller)).toEqual({ t: 60, o: 0, s: 54 })
  })

  test('has the counts of its own application, over all days', async () => {
    const [caller, other] = [newCaller(service), newCaller(service)]
    for (let day = 0; day < 3; day++) {
      await caller.put('/stats', { platform: '0' })
      clock.set(clock.now() + 100 * DAY_MS)
    }
    await caller.register({ token: 'android', platform: '1' })
    await push(caller, '/push/all', { platform: 1 })
    expect(await analyticsOf(caller)).toEqual({ t: 1, o: 3, s: 1 })
    expect(await analyticsOf(other)).toEqual({ t: 0, o: 0, s: 0 })
    clock.set(clock.now() - 300 * DAY_MS)
  })

  test('needs the secret, and ignores parameters', async () => {
    const answer = await service.get('/analytics', { as: 'device' })
    expectFailure(answer, 400, 'InvalidHeader', 'Authentication headers not found.')
    expect((await service.get('/analytics?platform=9&__proto__=1')).body).toEqual({ t: 0, o: 0, s: 0 })
  })

  test('what was counted is kept over a restart', async () => {
    await using first = await startService()
    const caller = newCaller(first)
    await caller.register({ token: 'android', platform: '1' })
    const sent = await caller.post('/push/all', { platform: 1, msg: 'Hello', sound: '', badge: '' })
    await arrivalsOf(first, sent.body.id)
    await using second = await first.restart()
    const { application } = caller
    expect((await second.get('/analytics', { application })).body).toEqual({ t: 1, o: 0, s: 1 })
  })
})
