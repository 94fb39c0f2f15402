import { describe, expect, test } from 'bun:test'
import type { Disk } from '../../../src/monitoring/storage.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { expectFailure } from '../../support/refusals.ts'
import { startService } from '../../support/service.ts'
import type { Answer, Service } from '../../support/service.ts'

/* How much a caller may bring: the application id is public. */
const MEBIBYTE = 1024 * 1024
const PLENTY: Disk = { freeBytes: 1000 * MEBIBYTE, sizeBytes: 2000 * MEBIBYTE }
const LITTLE: Disk = { freeBytes: 63 * MEBIBYTE, sizeBytes: 2000 * MEBIBYTE }

const NO_ROOM = 'The disk of the service is nearly full: nothing new is taken until there is room.'

const names = (count: number, of: string) => Array.from({ length: count }, (_, n) => `${of} ${n}`)

function register(service: Service, token: string, more: object = {}, as: 'device' | 'backend' = 'device') {
  return service.put('/deviceToken', { token, platform: '1', ...more }, { as })
}

/** Calls many times, some at a time; the statuses. */
async function statuses(count: number, call: (n: number) => Promise<Answer>): Promise<number[]> {
  const found: number[] = []
  while (found.length < count) {
    const some = Array.from({ length: Math.min(50, count - found.length) }, (_, n) => call(found.length + n))
    found.push(...(await Promise.all(some)).map(({ status }) => status))
  }
  return found
}

function expectFull(answer: Answer, most: string): void {
  const message = `The application has ${most}, as many as calls without its secret may bring.`
  expectFailure(answer, 507, 'InsufficientStorageError', message)
  expect(answer.headers.get('retry-after')).toBe('3600')
}

async function metric(service: Service, line: string): Promise<string | undefined> {
  const text = await (await fetch(`${service.adminUrl}/metrics`)).text()
  return text
    .split('\n')
    .find((each) => each.startsWith(`${line} `))
    ?.slice(line.length + 1)
}

describe('an application has as many labels as calls without its secret may bring', () => {
  test('then new names are refused with 507, and nothing of the call is done', async () => {
    await using service = await startService({ limits: { maxLabels: 3 } })
    expect(await register(service, 'a', { tag: ['x', 'y'], active: ['x'] })).toMatchObject({ status: 201 })
    expectFull(await register(service, 'b', { tag: ['z'] }), '3 tags and types')
    expectFull(await register(service, 'a', { alias: 'ann', active: ['x', 'y'] }), '3 tags and types')
    const tag = { token: 'a', platform: '1', tag: ['x', 'z'] }
    expectFull(await service.put('/tag', tag, { as: 'device' }), '3 tags and types')
    const { body } = await service.get('/deviceToken/all')
    expect(body).toMatchObject([{ token: 'a', tag: ['x', 'y'], active: ['x'], alias: null }])
  })

  test('devices with labels that are known go on, and the backend too', async () => {
    await using service = await startService({ limits: { maxLabels: 2 } })
    expect(await register(service, 'a', { tag: ['x', 'y'] })).toMatchObject({ status: 201 })
    expect(await register(service, 'b', { tag: ['y', 'x'] })).toMatchObject({ status: 201 })
    expect(await register(service, 'a', { tag: ['x'], alias: 'ann', lat: 1, lng: 2 })).toMatchObject({ status: 200 })
    expect(await register(service, 'c', { tag: ['z'] }, 'backend')).toMatchObject({ status: 201 })
    expect(await service.put('/tag', { token: 'a', platform: '1', tag: 'more' })).toMatchObject({ status: 201 })
    expectFull(await register(service, 'd', { tag: ['new'] }), '2 tags and types')
  })

  test('it is said in the log once a day, and counted', async () => {
    const clock = createFakeClock()
    await using service = await startService({ clock, limits: { maxLabels: 1 } })
    await register(service, 'a', { tag: ['x'] })
    const full = () => service.log.filter(({ event }) => String(event).startsWith('an application is full'))
    for (let call = 0; call < 5; call++)
      expect(await register(service, 'b', { tag: ['y'] })).toMatchObject({ status: 507 })
    expect(full()).toMatchObject([
      {
        level: 'warn',
        event: 'an application is full: calls without its secret bring no more labels (bellhop app limits --labels N)',
        application: service.application.id,
        name: 'test',
        most: 1,
      },
    ])
    clock.set(clock.now() + 86_400_000)
    await register(service, 'b', { tag: ['y'] })
    expect(full()).toHaveLength(2)
    expect(await metric(service, 'bellhop_rate_limited_total{application="test",reason="labels"}')).toBe('6')
    expect(await metric(service, 'bellhop_registry_rows{application="test",kind="labels"}')).toBe('1')
    expect(await metric(service, 'bellhop_registry_limit_rows{application="test",kind="labels"}')).toBe('1')
  })

  test('none that nobody has counts for longer than an hour', async () => {
    const clock = createFakeClock()
    await using service = await startService({ clock, limits: { maxLabels: 1 } })
    await register(service, 'a', { tag: ['x'] })
    await register(service, 'a', { tag: [] })
    clock.advance(3_600_000)
    for (;;) {
      clock.advance(100)
      const answer = await register(service, 'a', { tag: ['y'] })
      if (answer.status === 200) break
      expectFull(answer, '1 tags and types')
    }
  })
})

describe('an application has as many devices as calls without its secret may bring', () => {
  test('then new ones are refused with 507; known ones go on, and the backend too', async () => {
    await using service = await startService({ limits: { maxDevices: 2 } })
    for (const token of ['a', 'b']) expect(await register(service, token)).toMatchObject({ status: 201 })
    expectFull(await register(service, 'c'), '2 devices')
    expect(await register(service, 'a', { tag: ['new'] })).toMatchObject({ status: 200 })
    expect(await register(service, 'd', {}, 'backend')).toMatchObject({ status: 201 })
    const batch = { tokens: ['e', 'f'], platform: '0' }
    expect(await service.put('/deviceToken/batch', batch)).toMatchObject({ status: 201 })
    for (const token of ['a', 'b', 'd']) {
      await service.put('/deviceToken/del', { token, platform: '1' }, { as: 'device' })
    }
    expectFull(await register(service, 'c'), '2 devices')
    await service.put('/deviceToken/del', { token: 'e', platform: '0' }, { as: 'device' })
    expect(await register(service, 'c')).toMatchObject({ status: 201 })
  })

  test('0 is no limit', async () => {
    await using service = await startService({ limits: { maxDevices: 0, maxLabels: 0 } })
    for (const token of ['a', 'b']) {
      expect(await register(service, token, { tag: [token] })).toMatchObject({ status: 201 })
    }
  })
})

describe('what goes beyond an ordinary registration is taken more slowly from one address', () => {
  const TOO_FAST =
    'Your address has brought too many new tags, types or long tokens: beyond ten labels a call they are taken more slowly.'

  /** 380 rows beyond: 190 names and 190 labels of a device. */
  const fat = (n: number) => ({ tag: names(100, `tag ${n}`), active: names(100, `type ${n}`) })

  test('after 52 devices with 200 new labels each: then 429 with Retry-After, until that has passed', async () => {
    const clock = createFakeClock()
    await using service = await startService({ clock, limits: { maxLabels: 0 } })
    for (let n = 0; n < 52; n++)
      expect((await register(service, `fat ${n}`.replace(' ', '-'), fat(n))).status).toBe(201)
    const refused = await register(service, 'fat-52', fat(52))
    expectFailure(refused, 429, 'TooManyRequestsError', TOO_FAST)
    // 20,000 - 52 * 380 = 240 are left, of 380.
    expect(refused.headers.get('retry-after')).toBe('7')
    expect(await register(service, 'ordinary', { tag: names(10, 'another') })).toMatchObject({ status: 201 })
    expect(await register(service, 'fat-52', fat(52), 'backend')).toMatchObject({ status: 201 })
    expect(await register(service, 'fat-53', fat(53))).toMatchObject({ status: 429 })
    clock.set(clock.now() + 7000)
    expect(await register(service, 'fat-53', fat(53))).toMatchObject({ status: 201 })
    expect(await metric(service, 'bellhop_rate_limited_total{application="test",reason="rows"}')).toBe('2')
  })

  test('not so 200 phones that have 100 tags, which other phones have too', async () => {
    await using service = await startService({ clock: createFakeClock() })
    const tag = names(100, 'tag')
    const phone = (n: number) => register(service, `phone-${n}`, { tag })
    for (const status of [201, 200]) expect(new Set(await statuses(200, phone))).toEqual(new Set([status]))
  })

  test('a token, or a name, that is as long as many counts as many', async () => {
    await using service = await startService({ clock: createFakeClock(), limits: { maxLabels: 0 } })
    // 4096 bytes are 16 rows, of which one is ordinary.
    const most = Math.floor(20_000 / 15)
    const found = await statuses(most + 1, (n) => register(service, `${n}-`.padEnd(4096, 'x')))
    expect(found.filter((status) => status === 201)).toHaveLength(most)
    expect(found).toContain(429)
    expect(await register(service, 'short')).toMatchObject({ status: 201 })
  })
})

describe('on a disk that is nearly full', () => {
  async function nearlyFull() {
    const clock = createFakeClock()
    let disk = PLENTY
    let looks = 0
    const service = await startService({
      clock,
      disk: () => {
        looks++
        return disk
      },
    })
    return {
      service,
      clock,
      looks: () => looks,
      become: (what: Disk) => {
        disk = what
        clock.advance(1000)
      },
      [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
    }
  }

  function expectNoRoom(answer: Answer): void {
    expectFailure(answer, 507, 'InsufficientStorageError', NO_ROOM)
    expect(answer.headers.get('retry-after')).toBe('60')
  }

  const PUSH = { platform: '1', msg: 'Hello', sound: '', badge: '' }

  test('what is new is refused with 507, with the secret and without it', async () => {
    await using stage = await nearlyFull()
    const { service, become } = stage
    await register(service, 'a', { tag: ['x'] })
    const keyed = { headers: { 'idempotency-key': 'once' } }
    const first = await service.post('/push/all', PUSH, keyed)
    expect(first.status).toBe(200)
    become(LITTLE)
    for (const as of ['device', 'backend'] as const) {
      expectNoRoom(await register(service, 'b', {}, as))
      expectNoRoom(await register(service, 'a', { tag: ['y'] }, as))
      expectNoRoom(await service.put('/tag', { token: 'a', platform: '1', tag: 'y' }, { as }))
    }
    expectNoRoom(await service.put('/deviceToken/batch', { tokens: ['a', 'b'], platform: '1' }))
    expectNoRoom(await service.put('/deviceToken/batch', { tokens: ['a'], platform: '1', tags: ['y'] }))
    expectNoRoom(await service.post('/push/all', PUSH))
    expectNoRoom(await service.post('/push/one', { ...PUSH, token: 'a' }))
    // What was answered once is answered again.
    expect(await service.post('/push/all', PUSH, keyed)).toMatchObject({ status: 200, body: first.body })
    expect((await service.get('/deviceToken/all')).body).toMatchObject([{ token: 'a', tag: ['x'] }])
    expect(await metric(service, 'bellhop_rate_limited_total{application="test",reason="disk"}')).toBe('8')

    become(PLENTY)
    expect(await register(service, 'b', { tag: ['y'] })).toMatchObject({ status: 201 })
    expect(await service.post('/push/all', PUSH)).toMatchObject({ status: 200 })
  })

  test('what is known goes on: updates, erasing, badges, opens, and pushes that were accepted', async () => {
    await using stage = await nearlyFull()
    const { service, become } = stage
    for (const token of ['a', 'b']) await register(service, token, { tag: ['x', 'y'] })
    const { id } = (await service.post('/push/all', PUSH)).body
    become(LITTLE)
    await service.logged(({ event, push }) => event === 'push sent' && push === id)
    const device = { token: 'a', platform: '1' }
    expect(await register(service, 'a', { tag: ['y'], alias: 'ann', lat: 1, lng: 2 })).toMatchObject({ status: 200 })
    const done = [
      await service.put('/deviceToken/batch', { tokens: ['a', 'b'], platform: '1', tags: ['x'] }),
      await service.put('/tag', { ...device, tag: 'x' }),
      await service.put('/tag/del', { ...device, tag: 'x' }),
      await service.put('/alias', { ...device, alias: 'anna' }),
      await service.put('/geo', { ...device, lat: 3, lng: 4 }),
      await service.put('/badge', { ...device, setbadgecount: 7 }),
      await service.put('/stats', { platform: '1', id }),
      await service.post('/push/preview', PUSH),
      await service.put('/deviceToken/del', { token: 'b', platform: '1' }),
    ]
    expect(done.map(({ status }) => status)).toEqual([201, 201, 200, 200, 200, 200, 200, 200, 200])
    expect((await service.get('/deviceToken/all')).body).toMatchObject([{ token: 'a', alias: 'anna', badge: 7 }])
  })

  test('the disk is looked at once a second, however many calls there are', async () => {
    await using stage = await nearlyFull()
    const { service, looks } = stage
    await register(service, 'first')
    const before = looks()
    await Promise.all(Array.from({ length: 50 }, (_, n) => register(service, `device-${n}`)))
    expect(looks()).toBe(before)
  })
})
