import { describe, expect, test } from 'bun:test'
import type { Disk } from '../../../src/monitoring/storage.ts'
import { newTenant } from '../../support/caller.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { fileService } from '../../support/file-service.ts'
import { expectFailure } from '../../support/refusals.ts'
import { startService } from '../../support/service.ts'
import type { Answer, LogLine, Service } from '../../support/service.ts'

/* How much a caller may bring: the application id is public. */
const MEBIBYTE = 1024 * 1024
const PLENTY: Disk = { freeBytes: 1000 * MEBIBYTE, sizeBytes: 2000 * MEBIBYTE }
const LITTLE: Disk = { freeBytes: 63 * MEBIBYTE, sizeBytes: 2000 * MEBIBYTE }

const NO_ROOM = "The server's disk is nearly full: nothing new is accepted until there is room."

const config = { trustedProxies: ['127.0.0.1'] }
const shared = await fileService({ config })

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
  const message = `The application has ${most} or more: calls without its secret add no others.`
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
  const full = (most: number) =>
    `the application has ${most} tags and types or more: calls without its secret add no others`

  test('then a device is registered without new ones, and is told which', async () => {
    const service = newTenant(shared, { maxLabels: 3 })
    expect(await register(service, 'a', { tag: ['x', 'y'] })).toMatchObject({ status: 201 })
    const some = await register(service, 'b', { tag: ['z', 'x', 'z', 'q"', 'w'], active: ['x', 'y'], alias: 'bob' })
    expect(some).toMatchObject({ status: 201, body: { tag: ['x', 'z'], active: [], alias: 'bob' } })
    expect(some.body.warnings).toEqual([
      `tag: "q\\"", "w" left out: ${full(3)}`,
      `active: "x", "y" left out: ${full(3)}`,
    ])
    expect(await register(service, 'a', { alias: 'ann', tag: ['new'] })).toMatchObject({
      status: 200,
      body: { tag: [], alias: 'ann', warnings: [`tag: "new" left out: ${full(3)}`] },
    })
    const { body } = await service.get('/deviceToken/all')
    expect(body).toMatchObject([
      { token: 'a', tag: [], active: [], alias: 'ann' },
      { token: 'b', tag: ['x', 'z'], active: [], alias: 'bob' },
    ])
  })

  test('PUT /tag gives a device those that are known, and says which it left out', async () => {
    const service = newTenant(shared, { maxLabels: 2 })
    await register(service, 'a', { tag: ['x', 'y'] })
    await register(service, 'b')
    const tag = (names: readonly string[]) =>
      service.put('/tag', { token: 'b', platform: '1', tag: names }, { as: 'device' })
    const warnings = [`tag: "z" left out: ${full(2)}`]
    expect(await tag(['z', 'x'])).toMatchObject({ status: 201, body: { message: 'Tagged', warnings } })
    expect((await tag(['z'])).body).toEqual({ message: 'Tagged', warnings })
    expect((await tag(['y'])).body).toEqual({ message: 'Tagged' })
    expect((await service.get('/deviceToken/all')).body[1]).toMatchObject({ token: 'b', tag: ['x', 'y'] })
  })

  test('a device that takes the place of another keeps what that one had', async () => {
    const service = newTenant(shared, { maxLabels: 1 })
    await register(service, 'a', { tag: ['x'] })
    expect(await register(service, 'b', { replaces: 'a', tag: ['new', 'x'] })).toMatchObject({
      status: 200,
      body: { token: 'b', tag: ['x'], warnings: [`tag: "new" left out: ${full(1)}`] },
    })
  })

  test('devices with labels that are known go on, and the backend too', async () => {
    const service = newTenant(shared, { maxLabels: 2 })
    for (const [token, tag] of Object.entries({ a: ['x', 'y'], b: ['y', 'x'] })) {
      const { status, body } = await register(service, token, { tag })
      expect([status, body.tag, body.warnings]).toEqual([201, ['x', 'y'], undefined])
    }
    expect(await register(service, 'a', { tag: ['x'], alias: 'ann', lat: 1, lng: 2 })).toMatchObject({ status: 200 })
    expect((await register(service, 'c', { tag: ['z'] }, 'backend')).body).toMatchObject({ tag: ['z'] })
    expect((await service.put('/tag', { token: 'a', platform: '1', tag: 'more' })).body).toEqual({ message: 'Tagged' })
    expect((await register(service, 'd', { tag: ['new'] })).body).toMatchObject({
      tag: [],
      warnings: [expect.any(String)],
    })
  })

  test('it is said in the log once a day, and counted', async () => {
    const clock = createFakeClock()
    await using service = await startService({ clock, limits: { maxLabels: 1 } })
    await register(service, 'a', { tag: ['x'] })
    const said = () => service.log.filter(({ event }) => String(event).startsWith('an application is full'))
    for (const status of [201, 200, 200, 200, 200]) {
      expect(await register(service, 'b', { tag: ['y'] })).toMatchObject({ status })
    }
    expect(said()).toMatchObject([
      {
        level: 'warn',
        event:
          'an application is full: calls without its secret cannot add labels (bellhop labels APP, or bellhop app limits --labels N)',
        application: service.application.id,
        name: 'test',
        most: 1,
      },
    ])
    clock.set(clock.now() + 86_400_000)
    await register(service, 'b', { tag: ['y'] })
    expect(said()).toHaveLength(2)
    expect(await metric(service, 'bellhop_rate_limited_total{application="test",reason="labels"}')).toBe('6')
    expect(await metric(service, 'bellhop_registry_rows{application="test",kind="labels"}')).toBe('1')
    expect(await metric(service, 'bellhop_registry_limit_rows{application="test",kind="labels"}')).toBe('1')
  })

  test('none that nobody has counts for longer than an hour', async () => {
    const clock = createFakeClock()
    await using service = await startService({ clock, limits: { maxLabels: 1 } })
    await register(service, 'a', { tag: ['x'] })
    await register(service, 'a', { tag: [] })
    clock.standStill(3_600_000)
    for (;;) {
      clock.advance(100)
      const { body } = await register(service, 'a', { tag: ['y'] })
      if (body.warnings === undefined) break
      expect(body).toMatchObject({ tag: [], warnings: [`tag: "y" left out: ${full(1)}`] })
    }
  })
})

describe('one network brings at most a quarter of the labels that an application may have', () => {
  const ATTACKERS = ['203.0.113.7', '203.0.113.200', '::ffff:203.0.113.9']
  const MESSAGE = 'your network has brought 1250 tags and types, as many as one may'

  const from = (service: Service, address: string, token: string, more: object) =>
    service.put(
      '/deviceToken',
      { token, platform: '1', ...more },
      { as: 'device', headers: { 'x-forwarded-for': address } },
    )

  /** Six devices with 200 names each, and one with 50: what the /24 may bring of 5000. */
  async function useUp(service: Service): Promise<void> {
    for (const [n, size] of [200, 200, 200, 200, 200, 200, 50].entries()) {
      const more = { tag: names(size / 2, `tag ${n}`), active: names(size / 2, `type ${n}`) }
      const { body } = await from(service, ATTACKERS[n % 3] ?? '', `fake-${n}`, more)
      expect(body.warnings).toBeUndefined()
    }
  }

  test('beyond that its devices go without new ones, and those of others do not', async () => {
    const service = newTenant(shared, { maxLabels: 5000 })
    await useUp(service)
    const late = await from(service, '203.0.113.1', 'fake', { tag: ['more', 'tag 0 1'] })
    expect(late).toMatchObject({
      status: 201,
      body: { tag: ['tag 0 1'], warnings: [`tag: "more" left out: ${MESSAGE}`] },
    })
    for (const address of ['203.0.112.1', '2001:db8::1', '192.0.2.1']) {
      const { body } = await from(service, address, `honest-${address}`, { tag: [`user:${address}`] })
      expect([body.tag, body.warnings]).toEqual([[`user:${address}`], undefined])
    }
    const isOurs = ({ event, application }: LogLine) =>
      String(event).includes('share of labels') && application === service.application.id
    expect(service.log.filter(isOurs)).toMatchObject([{ level: 'warn', network: '203.0.113.0/24', most: 1250 }])
  })

  test('also after a restart, and until its names are erased', async () => {
    const clock = createFakeClock()
    await using service = await startService({ clock, config, limits: { maxLabels: 5000 } })
    await useUp(service)
    await using again = await service.restart()
    expect((await from(again, '203.0.113.1', 'fake', { tag: ['more'] })).body.warnings).toHaveLength(1)
    await from(again, '203.0.113.1', 'fake-0', { tag: [], active: [] })
    clock.standStill(3_600_000)
    for (;;) {
      clock.advance(100)
      const { body } = await from(again, '203.0.113.1', 'fake', { tag: names(100, 'anew') })
      if (body.warnings === undefined) break
    }
  })

  test('of an IPv6 network the first 48 bits count', async () => {
    const service = newTenant(shared, { maxLabels: 4000 })
    for (let n = 0; n < 5; n++) {
      const more = { tag: names(100, `tag ${n}`), active: names(100, `type ${n}`) }
      await from(service, `2001:db8:7:${n}::1`, `fake-${n}`, more)
    }
    expect((await from(service, '2001:db8:7:ffff::1', 'fake', { tag: ['more'] })).body.warnings).toHaveLength(1)
    expect((await from(service, '2001:db8:8::1', 'honest', { tag: ['more'] })).body.warnings).toBeUndefined()
  })

  test('a small application is left to one network', async () => {
    const service = newTenant(shared, { maxLabels: 150 })
    const { body } = await from(service, '203.0.113.7', 'a', { tag: names(100, 'tag'), active: names(50, 'type') })
    expect(body.warnings).toBeUndefined()
  })
})

describe('an application has as many devices as calls without its secret may bring', () => {
  test('then new ones are refused with 507; known ones go on, and the backend too', async () => {
    const service = newTenant(shared, { maxDevices: 2 })
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
    const service = newTenant(shared, { maxDevices: 0, maxLabels: 0 })
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
