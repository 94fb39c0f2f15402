import { describe, expect, test } from 'bun:test'
import { copyFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { createApplicationStore } from '../../../src/application/application-store.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { expectFailure, statusesOf } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import { startService } from '../../support/service.ts'
import type { Answer, Call, Credentials } from '../../support/service.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const clock = createFakeClock()
const service = await fileService({ clock })

/** A call that succeeds if it is let in, as the application's backend or as one of its devices. */
function open(application: Credentials, as: Call['as'] = 'backend', to = service): Promise<Answer> {
  return to.put('/stats', { platform: '0' }, { application, as })
}

/** The same as a device that calls from this address. */
function openFrom(localAddress: string, { id }: Credentials): Promise<number | undefined> {
  const { hostname, port } = new URL(service.url)
  const headers = { 'accept-version': '1', 'x-service-appid': id, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const options = { host: hostname, port, path: '/stats', method: 'PUT', headers, localAddress, agent: false }
    request(options, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
    })
      .on('error', reject)
      .end('{"platform":"0"}')
  })
}

async function times(count: number, call: () => Promise<Answer>): Promise<Record<number, number>> {
  return statusesOf(await Promise.all(Array.from({ length: count }, call)))
}

function limitsOf({ headers }: Answer): (string | null)[] {
  return ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map((name) => headers.get(name))
}

function opens(application: Credentials): Promise<Answer> {
  return service.get('/analytics', { application })
}

describe('rate', () => {
  const SLOW = { rate: 0.5, burst: 3, backendRate: 2, backendBurst: 5 }

  test('each user of an application has a bucket: who calls more often than it allows is answered 429', async () => {
    const application = service.addApplication('rate', SLOW)
    expect(limitsOf(await open(application))).toEqual(['5', '4', '1', null])
    expect(limitsOf(await open(application))).toEqual(['5', '3', '1', null])
    expect(await times(5, () => open(application))).toEqual({ 200: 3, 429: 2 })
    const refused = await open(application)
    expectFailure(refused, 429, 'TooManyRequestsError', 'You have exceeded your request rate of 2 r/s.')
    expect(limitsOf(refused)).toEqual(['5', '0', '3', '1'])
  })

  test('the bucket fills again, and Retry-After tells when there is one call in it', async () => {
    const application = service.addApplication('refill', SLOW)
    expect(await times(4, () => open(application, 'device'))).toEqual({ 200: 3, 429: 1 })
    const refused = await open(application, 'device')
    expectFailure(refused, 429, 'TooManyRequestsError', 'You have exceeded your request rate of 0.5 r/s.')
    expect(limitsOf(refused)).toEqual(['3', '0', '6', '2'])
    clock.advance(1999)
    expect(limitsOf(await open(application, 'device'))).toEqual(['3', '0', '5', '1'])
    clock.advance(1)
    expect(await times(2, () => open(application, 'device'))).toEqual({ 200: 1, 429: 1 })
    clock.advance(60_000)
    expect(await times(5, () => open(application, 'device'))).toEqual({ 200: 3, 429: 2 })
  })

  test('the backend, known by its secret, and each address have their own', async () => {
    const application = service.addApplication('users', SLOW)
    expect(await times(4, () => open(application, 'device'))).toEqual({ 200: 3, 429: 1 })
    expect(await times(6, () => open(application))).toEqual({ 200: 5, 429: 1 })
    expect((await open(application, 'device')).status).toBe(429)
    const other = await Promise.all(Array.from({ length: 4 }, () => openFrom('127.0.0.2', application)))
    expect(other.filter((status) => status === 200)).toHaveLength(3)
    expect(await openFrom('127.0.0.3', application)).toBe(200)
  })

  test('one application does not use up what another has', async () => {
    const [first, second] = [service.addApplication('first', SLOW), service.addApplication('second', SLOW)]
    expect(await times(5, () => open(first, 'device'))).toEqual({ 200: 3, 429: 2 })
    expect(await times(5, () => open(second, 'device'))).toEqual({ 200: 3, 429: 2 })
  })

  test('all endpoints share it, and a call that fails later costs as much', async () => {
    const application = service.addApplication('shared', { ...SLOW, backendBurst: 4 })
    const call = { application }
    const answers = [
      await service.get('/analytics', call),
      await service.put('/deviceToken', '{', call),
      await service.post('/push/one', {}, call),
      await service.get('/deviceToken/one', { ...call, headers: { token: 'unknown' } }),
    ]
    expect(answers.map((answer) => answer.status)).toEqual([200, 400, 409, 404])
    expect(answers.map((answer) => answer.headers.get('ratelimit-remaining'))).toEqual(['3', '2', '1', '0'])
    for (const path of ['/analytics', '/feedback', '/deviceToken/all', '/deviceToken/one']) {
      expect((await service.get(path, call)).status).toBe(429)
    }
  })

  test('what is refused before it costs nothing, and neither does a refusal', async () => {
    const application = service.addApplication('free', { ...SLOW, backendBurst: 1 })
    const refused = [
      await service.get('/nope', { application }),
      await service.post('/stats', {}, { application }),
      await service.put('/stats', {}, { application, headers: { 'accept-version': '2' } }),
      await service.get('/analytics', { application, as: 'device' }),
      await service.get('/analytics', { application, headers: { 'x-service-secret': 'wrong' } }),
    ]
    expect(refused.map((answer) => answer.status)).toEqual([404, 405, 400, 400, 401])
    for (const answer of refused) expect(limitsOf(answer)).toEqual([null, null, null, null])
    expect(await times(10, () => open(application))).toEqual({ 200: 1, 429: 9 })
    clock.advance(500)
    expect(await times(2, () => open(application))).toEqual({ 200: 1, 429: 1 })
  })

  test('0 is unlimited, and then there is nothing to tell', async () => {
    const application = service.addApplication('unlimited', { ...SLOW, rate: 0 })
    expect(await times(50, () => open(application, 'device'))).toEqual({ 200: 50 })
    expect(limitsOf(await open(application, 'device'))).toEqual([null, null, null, null])
    expect(await times(6, () => open(application))).toEqual({ 200: 5, 429: 1 })
  })

  test('is by default 10 calls a second in bursts of 100 for an address, 100 in bursts of 1000 for the backend', async () => {
    const made = createApplicationStore({ database: service.database, clock }).create('default')
    if (made.kind !== 'created') throw new Error(made.kind)
    const application = { id: made.application.id, secret: made.secret }
    expect(limitsOf(await open(application))).toEqual(['1000', '999', '1', null])
    expect(await times(101, () => open(application, 'device'))).toEqual({ 200: 100, 429: 1 })
    clock.advance(1000)
    expect(await times(11, () => open(application, 'device'))).toEqual({ 200: 10, 429: 1 })
  })

  test('limits that a command changes hold within a second', async () => {
    const application = service.addApplication('changed', { backendRate: 1, backendBurst: 1 })
    expect(await times(2, () => open(application))).toEqual({ 200: 1, 429: 1 })
    createApplicationStore({ database: service.database, clock }).setLimits(application.id, { backendRate: 0 })
    clock.advance(999)
    expect(await times(5, () => open(application))).toEqual({ 200: 5 })
  })
})

describe('quota', () => {
  const MESSAGE = 'User is over API requests quota.'

  function expectOver(answer: Answer, retryAfterSeconds: number): void {
    expectFailure(answer, 507, 'InsufficientStorageError', MESSAGE)
    expect(answer.headers.get('retry-after')).toBe(String(retryAfterSeconds))
  }

  test('counts the calls of all users on all endpoints, also those that fail later; the next is 507', async () => {
    const application = service.addApplication('quota', { quota: 5, quotaPeriod: 'day' })
    const answers = [
      await open(application),
      await open(application, 'device'),
      await service.put('/deviceToken', '{', { application }),
      await service.get('/deviceToken/one', { application, headers: { token: 'unknown' } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 404])
    expect((await open(application)).status).toBe(200)
    expect(await openFrom('127.0.0.2', application)).toBe(507)
    for (const path of ['/analytics', '/feedback', '/deviceToken/one', '/deviceToken/all']) {
      expect(await service.get(path, { application })).toMatchObject({ status: 507, body: { message: MESSAGE } })
    }
    expect((await open(application, 'device')).status).toBe(507)
  })

  test('cannot be used up by whom has only the application id: the last fifth is for the backend', async () => {
    const own = createFakeClock(Date.UTC(2026, 10, 20, 12))
    await using service = await startService({ clock: own })
    const application = service.addApplication('public', { quota: 10, quotaPeriod: 'day' })
    const device = () => open(application, 'device', service)
    expect(await times(9, device)).toEqual({ 200: 8, 507: 1 })
    expectOver(await device(), 12 * 3600)
    // A wrong secret is none, and does not open the rest.
    const wrong = { application, headers: { 'x-service-secret': 'wrong' } }
    expect((await service.put('/stats', { platform: '0' }, wrong)).status).toBe(401)
    expect(await times(3, () => open(application, 'backend', service))).toEqual({ 200: 2, 507: 1 })
    expectOver(await device(), 12 * 3600)

    const warned = service.log.filter(({ event }) => String(event).startsWith('80 % of the quota is used'))
    expect(warned).toMatchObject([
      { level: 'warn', application: application.id, name: 'public', quota: 10, endsAt: '2026-11-21T00:00:00.000Z' },
    ])
    const ready = await fetch(`${service.adminUrl}/readyz`)
    const sentence =
      'public: 10 calls of its quota of 10 are used; all its calls are refused until 2026-11-21T00:00:00Z.'
    expect([ready.status, await ready.json()]).toMatchObject([
      200,
      { status: 'ready', warnings: [sentence], checks: { quotas: 'warning' } },
    ])
    own.set(Date.UTC(2026, 10, 21))
    expect(await times(9, device)).toEqual({ 200: 8, 507: 1 })
  })

  test('does not count what was refused before, nor its own refusals; nothing of a refused call is done', async () => {
    const limits = { quota: 3, quotaPeriod: 'day', backendRate: 0.001, backendBurst: 4 } as const
    const application = service.addApplication('uncounted', limits)
    await service.get('/nope', { application })
    await service.post('/stats', {}, { application })
    await service.get('/analytics', { application, headers: { 'accept-version': '2' } })
    await service.get('/analytics', { application, as: 'device' })
    await service.get('/analytics', { application, headers: { 'x-service-secret': 'wrong' } })
    expect(await times(6, () => open(application))).toEqual({ 200: 3, 507: 1, 429: 2 })
    createApplicationStore({ database: service.database, clock }).setLimits(application.id, { quota: 5 })
    clock.advance(1000)
    expect(await times(2, () => open(application, 'device'))).toEqual({ 200: 1, 507: 1 })
    createApplicationStore({ database: service.database, clock }).setLimits(application.id, {
      quota: 0,
      backendRate: 0,
    })
    clock.advance(1000)
    expect((await opens(application)).body.o).toBe(4)
  })

  test('starts anew with the calendar day or month, UTC, and Retry-After says when that is', async () => {
    const own = createFakeClock(Date.UTC(2026, 10, 20, 12))
    await using service = await startService({ clock: own })
    const daily = service.addApplication('daily', { quota: 1, quotaPeriod: 'day' })
    const monthly = service.addApplication('monthly', { quota: 2, quotaPeriod: 'month' })
    const call = (application: Credentials) => open(application, 'backend', service)
    expect((await call(daily)).status).toBe(200)
    expectOver(await call(daily), 12 * 3600)
    expect((await call(monthly)).status).toBe(200)
    own.set(Date.UTC(2026, 10, 20, 23, 59, 59, 1))
    expectOver(await call(daily), 1)
    own.set(Date.UTC(2026, 10, 21))
    expect((await call(daily)).status).toBe(200)
    expectOver(await call(daily), 24 * 3600)
    expect((await call(monthly)).status).toBe(200)
    expectOver(await call(monthly), 10 * 24 * 3600)
    own.set(Date.UTC(2026, 11, 1))
    expect((await call(monthly)).status).toBe(200)
  })

  test('what was counted is there after a restart, and after a crash: never more than the last second is forgotten', async () => {
    const own = createFakeClock()
    await using first = await startService({ clock: own, limits: { quota: 4, quotaPeriod: 'day' } })
    const { application } = first
    await first.get('/analytics')
    await first.get('/analytics')
    // No write of the callers' own takes the counts along.
    own.advance(1000)
    await new Promise((resolve) => setImmediate(resolve))

    {
      using crashed = temporaryDirectory('bellhop')
      for (const file of ['bellhop.db', 'bellhop.db-wal']) {
        await copyFile(join(first.data, file), join(crashed.path, file))
      }
      await using second = await startService({ clock: own, data: crashed.path, application })
      expect(await times(3, () => open(application, 'backend', second))).toEqual({ 200: 2, 507: 1 })
    }

    expect((await first.get('/analytics')).status).toBe(200)
    await using third = await first.restart()
    expect(await times(3, () => open(application, 'backend', third))).toEqual({ 200: 1, 507: 2 })
  })
})
