import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { newTenant } from '../../support/caller.ts'
import { fileSending } from '../../support/file-service.ts'
import { arrivalsOf } from '../../support/arrivals.ts'
import { expectFailure, expectInvalid } from '../../support/refusals.ts'
import { acceptedPush, registerDevices, startSending } from '../../support/sending.ts'
import type { Answer, Service } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const PUSH = { platform: ['0', '1'], msg: 'Hello', sound: '', badge: '' }
const DAY_MS = 24 * 60 * 60 * 1000

const { clock, service: shared, simulator } = await fileSending()
let service: Service
/** When the test began. */
let began: number
beforeEach(() => {
  service = newTenant(shared)
  began = clock.now()
})
afterEach(() => simulator.answerWith(null))

/** ISO 8601, UTC. */
const at = (laterMs = 0) => new Date(began + laterMs).toISOString()
const ios = (prefix: string) => prefix.padEnd(64, '0')

const register = (platform: 0 | 1, ...tokens: string[]) => registerDevices(service, platform, tokens)
const push = (more: object = {}) => acceptedPush(service, '/push/all', { ...PUSH, ...more })

/** A push that is over. */
async function pushed(more: object = {}): Promise<string> {
  const id = await push(more)
  await arrivalsOf(service, id)
  return id
}

/** The status as soon as it is so. */
async function statusWhen(id: string, matches: (status: any) => boolean): Promise<any> {
  let answer: any
  await until(async () => {
    answer = await service.get(`/push/${id}`)
    expect(answer.status).toBe(200)
    return matches(answer.body)
  })
  return answer.body
}

describe('GET /push/{id}', () => {
  test('has the counts of a push that is over, by platform and by reason', async () => {
    await register(0, ios('a1'), ios('a2'), ios('bad4100'), ios('bad4130'))
    await register(1, 'android:1')
    const id = await pushed()
    expect((await service.get(`/push/${id}`)).body).toEqual({
      id,
      state: 'finished',
      reason: null,
      t: 5,
      s: 3,
      o: 0,
      received: 0,
      opened_rate: 0,
      received_rate: 0,
      actions: {},
      failed: { total: 2, reasons: { Unregistered: 1, PayloadTooLarge: 1 } },
      waiting: 0,
      created_at: at(),
      send_at: null,
      started_at: at(),
      finished_at: at(),
      // The clock stands still: as if it had taken a millisecond.
      rate: 3000,
      platforms: {
        '0': { state: 'finished', reason: null, t: 4, s: 2, failed: 2, waiting: 0, retrying: 0 },
        '1': { state: 'finished', reason: null, t: 1, s: 1, failed: 0, waiting: 0, retrying: 0 },
      },
    })
  })

  test('of a push that addressed nobody is finished, and never started', async () => {
    const { body } = await service.get(`/push/${await pushed({ tags: 'nobody' })}`)
    expect(body).toMatchObject({ state: 'finished', t: 0, s: 0, started_at: null, finished_at: at(), rate: 0 })
  })

  test('counts who waits for another attempt, and how fast the others went', async () => {
    await register(0, ios('a1'), ios('a2'), ios('bad50001'))
    const id = await push({ platform: ['0'] })
    const waiting = await statusWhen(id, ({ platforms }) => platforms['0'].retrying === 1)
    expect(waiting).toMatchObject({ state: 'sending', t: 3, s: 2, waiting: 1, failed: { total: 0, reasons: {} } })
    expect(waiting).toMatchObject({ started_at: at(), finished_at: null })
    // Its row can be read a moment before the delivery knows when it is due.
    await service.logged(({ event, push: sentPush }) => event === 'to be sent again' && sentPush === id)
    clock.advance(1000)
    expect((await service.get(`/push/${id}`)).body.rate).toBe(2)
    clock.advance(10 * 60_000)
    const over = await statusWhen(id, ({ state }) => state === 'finished')
    expect(over).toMatchObject({ s: 3, waiting: 0, started_at: at() })
    expect(Date.parse(over.finished_at)).toBeGreaterThan(began)
  })

  test('says that it waits, and why', async () => {
    const { application } = newTenant(shared, {}, false)
    await service.put('/deviceToken', { token: ios('a1'), platform: '0' }, { application })
    const { body } = await service.post('/push/all', { ...PUSH, platform: ['0'] }, { application })
    const path = `/push/${body.id}`
    for (;;) {
      const { body: status } = await service.get(path, { application })
      if (status.t === 0) continue
      const reason = 'there is no credential for APNs'
      expect(status).toMatchObject({ state: 'paused', reason, waiting: 1, started_at: null, rate: 0 })
      expect(status.platforms['0']).toMatchObject({ state: 'paused', reason, retrying: 0 })
      break
    }
  })

  test('says which part of it waits, while another is over', async () => {
    const answer = { status: 403, headers: {}, body: '{"reason":"InvalidProviderToken"}' }
    simulator.answerWith(({ gateway }) => (gateway.startsWith('fcm') ? null : { kind: 'answer', answer }))
    await register(0, ios('a1'))
    await register(1, 'android:1')
    const id = await push()
    const status = await statusWhen(id, ({ state, s }) => state === 'paused' && s === 1)
    expect(status).toMatchObject({ reason: 'InvalidProviderToken for 1 of 1 device', t: 2, waiting: 1 })
    expect(status.platforms).toMatchObject({ '0': { state: 'paused' }, '1': { state: 'finished', reason: null } })
  })

  test('of a push for later is scheduled, until its moment comes', async () => {
    await register(0, ios('a1'))
    const id = await push({ send_at: 60 })
    const { body } = await service.get(`/push/${id}`)
    expect(body).toMatchObject({ state: 'scheduled', t: 0, waiting: 0, started_at: null, finished_at: null, rate: 0 })
    expect(body).toMatchObject({ created_at: at(), send_at: at(60_000), platforms: {} })
    clock.advance(60_000)
    const over = await statusWhen(id, ({ state }) => state === 'finished')
    expect(over).toMatchObject({ t: 1, s: 1, started_at: at(60_000) })
  })

  test('of a push by local time is that of all its waves', async () => {
    // The zones' hours are those of one day.
    const own = await startSending()
    await using whole = own.service
    service = whole
    await service.put('/deviceToken', { token: ios('a1'), platform: '0', timezone: 'Europe/Berlin', locale: 'de' })
    await service.put('/deviceToken', { token: ios('a2'), platform: '0', timezone: 'Europe/Lisbon', locale: 'de' })
    const languages = { de: { msg: 'Hallo' } }
    const id = await push({ platform: ['0'], send_at_local: '2026-11-20T13:05', languages })
    own.clock.advance(5 * 60_000)
    const first = await statusWhen(id, ({ s }) => s === 1)
    expect(first).toMatchObject({ state: 'sending', t: 1, finished_at: null })
    own.clock.standStill(60 * 60_000)
    own.clock.advance(1000)
    expect(await statusWhen(id, ({ s }) => s === 2)).toMatchObject({ state: 'sending', t: 2, finished_at: null })
    // The last clocks of the world are twelve hours behind those of Greenwich.
    own.clock.standStill(DAY_MS)
    own.clock.advance(1000)
    const over = await statusWhen(id, ({ state }) => state === 'finished')
    expect(over).toMatchObject({ t: 2, s: 2, started_at: '2026-11-20T12:05:00.000Z' })
    expect(over.languages).toMatchObject([
      { language: null, s: 0 },
      { language: 'de', s: 2 },
    ])
    expect((await service.get('/pushes')).body.map((one: any) => one.id)).toEqual([id])
  })

  test('of a push that was cancelled says so', async () => {
    const id = await push({ send_at: 60 })
    expect(await service.call('POST', `/push/${id}/cancel`)).toMatchObject({ status: 200 })
    clock.advance(120_000)
    const { body } = await service.get(`/push/${id}`)
    expect(body).toMatchObject({ state: 'cancelled', t: 0, started_at: null, finished_at: at() })
  })

  test('of a push that expired counts those never sent to under expired', async () => {
    const { application } = newTenant(shared, {}, false)
    await service.put('/deviceToken', { token: ios('a1'), platform: '0' }, { application })
    const { body } = await service.post('/push/all', { ...PUSH, platform: ['0'], ttl: 60 }, { application })
    const path = `/push/${body.id}`
    while ((await service.get(path, { application })).body.t === 0);
    for (;;) {
      clock.advance(61_000)
      const { body: status } = await service.get(path, { application })
      if (status.state !== 'finished') continue
      expect(status).toMatchObject({ t: 1, s: 0, failed: { total: 1, reasons: { expired: 1 } }, waiting: 0 })
      break
    }
    expect((await service.get(`${path}/failures`, { application })).body).toEqual([])
  })

  test('counts its opens', async () => {
    const id = await pushed()
    await service.put('/stats', { platform: '0', id })
    await service.put('/stats', { platform: '1', id })
    expect((await service.get(`/push/${id}`)).body.o).toBe(2)
    expect((await service.get(`/push/${id.toUpperCase()}`)).body.id).toBe(id)
  })

  test('is still there after a restart', async () => {
    await using whole = (await startSending()).service
    service = whole
    await register(0, ios('a1'), ios('bad4130'))
    const id = await pushed({ platform: ['0'] })
    const before = (await service.get(`/push/${id}`)).body
    await using again = await service.restart()
    expect((await again.get(`/push/${id}`)).body).toEqual(before)
  })
})

describe('a push that is not there', () => {
  const UNKNOWN = '019a9f7e-3c1b-7000-8000-000000000000'

  test.each(['', '/failures', '/device'])('is 404: GET /push/{id}%s', async (below) => {
    const id = await pushed()
    const other = newTenant(shared).application
    const headers = { token: ios('a1') }
    const answers: Answer[] = [
      await service.get(`/push/${id}${below}`, { application: other, headers }),
      await service.get(`/push/${UNKNOWN}${below}`, { headers }),
      await service.get(`/push/%61ll${below}`, { headers }),
      await service.get(`/push/${id}%20${below}`, { headers }),
    ]
    for (const answer of answers) expectFailure(answer, 404, 'ResourceNotFound', 'No push found')
  })

  test('nor is a path whose parameter cannot be decoded', async () => {
    for (const id of ['%ZZ', '%', '%ff']) {
      const answer = await service.get(`/push/${id}/failures`)
      expectFailure(answer, 404, 'ResourceNotFound', `/push/${id}/failures does not exist`)
    }
  })

  test('nor is a path beside these', async () => {
    for (const path of ['/push/', '/push/x/', '/push/x/y', '/push//device', '/push/x/failures/']) {
      const plain = path.replaceAll('//', '/')
      const answer = await service.get(path)
      // Repeated slashes are one: then the rest of the path is taken for an id.
      if (path === '/push//device') expectFailure(answer, 404, 'ResourceNotFound', 'No push found')
      else expectFailure(answer, 404, 'ResourceNotFound', `${plain} does not exist`)
    }
  })

  test('GET of a path that is for POST is 405', async () => {
    for (const path of ['/push/all', '/push/one', '/push/preview']) {
      const answer = await service.get(path)
      expectFailure(answer, 405, 'MethodNotAllowedError', 'GET is not allowed')
      expect(answer.headers.get('allow')).toBe('POST')
    }
    const answer = await service.call('DELETE', `/push/${UNKNOWN}`)
    expect(answer).toMatchObject({ status: 405 })
    expect(answer.headers.get('allow')).toBe('GET, HEAD')
  })
})

describe('GET /pushes', () => {
  test('lists pushes newest first, without reasons, rates, actions and platforms', async () => {
    await register(0, ios('a1'), ios('bad4130'))
    const first = await pushed({ platform: ['0'] })
    const second = await push({ send_at: 60 })
    const { body, headers } = await service.get('/pushes')
    expect(body.map((one: any) => one.id)).toEqual([second, first])
    expect(headers.get('link')).toBeNull()
    const { platforms, opened_rate, received_rate, actions, failed, ...alike } = (await service.get(`/push/${first}`))
      .body
    expect([Object.keys(platforms), opened_rate, received_rate, actions]).toEqual([['0'], 0, 0, {}])
    expect(body[1]).toEqual({ ...alike, failed: { total: failed.total } })
    expect(body[0]).toMatchObject({ state: 'scheduled' })
  })

  test('has the pushes of the application alone', async () => {
    await pushed()
    const { application } = newTenant(shared)
    expect((await service.get('/pushes', { application })).body).toEqual([])
  })

  test('gives a page, and the Link header leads through all of them', async () => {
    const ids: string[] = []
    for (let i = 0; i < 7; i++) ids.unshift(await push({ tags: 'nobody' }))
    const seen: string[] = []
    const sizes: number[] = []
    for (let query = '?limit=3'; query !== '';) {
      const { status, body, headers } = await service.get(`/pushes${query}`)
      expect(status).toBe(200)
      sizes.push(body.length)
      seen.push(...body.map((one: any) => one.id))
      query = /^<(\?.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? ''
    }
    expect(sizes).toEqual([3, 3, 1])
    expect(seen).toEqual(ids)
  })

  test('has 100 pushes in a page unless it is asked for others', async () => {
    await Promise.all(Array.from({ length: 101 }, () => push({ tags: 'nobody' })))
    expect((await service.get('/pushes')).body).toHaveLength(100)
    expect((await service.get('/pushes?limit=1000')).body).toHaveLength(101)
  })

  test('refuses what cannot be a page', async () => {
    const limit = (value: unknown) => service.get(`/pushes?limit=${String(value)}`)
    const range = (shown: string) => `must be a whole number from 1 to 1000, not ${shown}`
    await expectInvalid(limit, 'limit', [
      ['0', range('"0"')],
      ['1001', range('"1001"')],
      ['ten', range('"ten"')],
      ['-1', range('"-1"')],
      ['', range('""')],
    ])
    const after = (value: unknown) => service.get(`/pushes?after=${String(value)}`)
    const cursor = (shown: string) => `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, not ${shown}`
    await expectInvalid(after, 'after', [
      ['x', cursor('"x"')],
      ['-1', cursor('"-1"')],
    ])
  })
})

describe('GET /push/{id}/failures', () => {
  test('lists whom the push failed for, and why', async () => {
    await register(0, ios('a1'), ios('bad4100'), ios('bad4130'))
    const id = await pushed({ platform: ['0'] })
    const { body } = await service.get(`/push/${id}/failures`)
    const each = { platform: '0', attempts: 1, at: at() }
    expect(body).toEqual([
      { ...each, token: ios('bad4100'), state: 'gone', reason: 'Unregistered' },
      { ...each, token: ios('bad4130'), state: 'rejected', reason: 'PayloadTooLarge' },
    ])
  })

  test('has no token of a device that was erased', async () => {
    await register(0, ios('bad4130'))
    const id = await pushed({ platform: ['0'] })
    await service.put('/deviceToken/del', { token: ios('bad4130'), platform: '0' })
    expect((await service.get(`/push/${id}/failures`)).body).toMatchObject([{ token: null, reason: 'PayloadTooLarge' }])
  })

  test('does not list who still waits, until that is over', async () => {
    await register(0, ios('a1'), ios('bad5000'))
    const id = await push({ platform: ['0'], ttl: 3600 })
    await statusWhen(id, ({ platforms }) => platforms['0'].retrying === 1)
    expect((await service.get(`/push/${id}/failures`)).body).toEqual([])
    expect(await service.call('POST', `/push/${id}/cancel`)).toMatchObject({ status: 200 })
    await statusWhen(id, ({ finished_at }) => finished_at !== null)
    const { body } = await service.get(`/push/${id}/failures`)
    expect(body).toMatchObject([{ token: ios('bad5000'), state: 'cancelled', reason: 'cancelled', attempts: 1 }])
  })

  test('is as long as the push failed for, in pages that nobody sees', async () => {
    const tokens = Array.from({ length: 1203 }, (_, i) => ios(`bad41300${i.toString(16).padStart(4, '0')}`))
    // Until one is taken they go one by one.
    await register(0, ios('a1'))
    for (let i = 0; i < tokens.length; i += 500) await register(0, ...tokens.slice(i, i + 500))
    const id = await pushed({ platform: ['0'] })
    const { body } = await service.get(`/push/${id}/failures`)
    expect(body.map((one: any) => one.token).toSorted()).toEqual(tokens.toSorted())
    expect((await service.get(`/push/${id}`)).body.failed).toEqual({ total: 1203, reasons: { PayloadTooLarge: 1203 } })
  })

  test('counts reasons in parts', async () => {
    const id = await pushed()
    const add = service.database.statement<never, [number, string, string, string]>(
      `INSERT INTO push_exception (push, platform, device, state, attempt, due_at, reason)
       SELECT number, 0, ?, ?, 1, 0, ? FROM push WHERE id = ?`,
    )
    service.database.transact(() => {
      for (let i = 1; i <= 12_345; i++) add.run(i, i % 5 === 0 ? 'retry' : 'rejected', i % 2 === 0 ? 'Even' : 'Odd', id)
    })
    const { reasons } = (await service.get(`/push/${id}`)).body.failed
    expect(reasons).toEqual({ Even: 4938, Odd: 4938 })
  })
})
