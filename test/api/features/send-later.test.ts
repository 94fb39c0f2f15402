import { describe, expect, test } from 'bun:test'
import { arrivalsAt, arrivalsOf } from '../../support/arrivals.ts'
import { newCaller } from '../../support/caller.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
import { expectFailure, expectInvalid } from '../../support/refusals.ts'
import type { BadValue } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import { startService } from '../../support/service.ts'
import type { Answer } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const IOS = { platform: '0', token: 'a1'.repeat(32) }
const LATE = { platform: '0', token: 'a2'.repeat(32) }
const ANDROID = { platform: '1', token: 'phone:1' }
const HELLO = { msg: 'Hello', sound: 'default', badge: '1' }
const TO_ALL = { platform: ['0', '1'], ...HELLO }

const clock = createFakeClock()
const service = await fileService({ clock })

/** Lets time pass, without the ticks of every second of it. */
function pass(moved: FakeClock, ms: number): void {
  moved.standStill(ms - SECOND_MS)
  moved.advance(SECOND_MS)
}

/** The same up to a moment, ms since the Unix epoch. */
const passTo = (moved: FakeClock, at: number): void => moved.standStill(at - moved.now())

const iso = (ms: number) => new Date(ms).toISOString()

/** Resolves when the schedule has let the push go, which happens in a commit. */
async function released(id: string, at = service): Promise<void> {
  const row = at.database.reading<object, [string]>('SELECT 1 FROM push WHERE id = ? AND released_at IS NOT NULL')
  await until(() => row.get(id) !== null)
}

/** The pushes that wait still: whatever was due has been let go by then. */
async function waiting(at = service): Promise<string[]> {
  await at.put('/stats', { platform: '0' })
  const rows = at.database.reading<{ id: string }, []>('SELECT id FROM push WHERE released_at IS NULL')
  return rows.all().map(({ id }) => id)
}

const waits = async (id: string, at = service) => (await waiting(at)).includes(id)

/** Whether every push has been let go, and every delivery is over. */
function allSent(at: typeof service): boolean {
  const open = at.database.reading<{ n: number }, []>(
    'SELECT (SELECT count(*) FROM delivery WHERE finished_at IS NULL) + (SELECT count(*) FROM push WHERE released_at IS NULL) AS n',
  )
  return open.get()?.n === 0
}

async function reachedAfter(answer: Answer, at = service): Promise<string[]> {
  expect(answer).toMatchObject({ status: 200, body: { message: 'Scheduled' } })
  await released(answer.body.id, at)
  return (await arrivalsOf(at, answer.body.id)).map(({ token }) => token).sort()
}

describe('send_at', () => {
  test('of /push/all sends then, and not a second before', async () => {
    const caller = newCaller(service)
    await caller.register(IOS)
    const at = iso(clock.now() + 10 * MINUTE_MS)
    const answer = await caller.post('/push/all', { ...TO_ALL, send_at: at })
    expect(answer.body).toEqual({ message: 'Scheduled', id: answer.body.id, send_at: at })
    clock.advance(10 * MINUTE_MS - SECOND_MS)
    expect(await waits(answer.body.id)).toBe(true)
    clock.advance(SECOND_MS)
    expect(await reachedAfter(answer)).toEqual([IOS.token])
  })

  test('of /push/one sends then', async () => {
    const caller = newCaller(service)
    for (const device of [IOS, ANDROID]) await caller.register(device)
    const answer = await caller.post('/push/one', { ...ANDROID, ...HELLO, send_at: 90 })
    expect(answer.body.send_at).toBe(iso(clock.now() + 90 * SECOND_MS))
    clock.advance(89 * SECOND_MS)
    expect(await waits(answer.body.id)).toBe(true)
    clock.advance(SECOND_MS)
    expect(await reachedAfter(answer)).toEqual([ANDROID.token])
  })

  test('is a time with any offset, or seconds as a number or in digits', async () => {
    const caller = newCaller(service)
    clock.advance(MINUTE_MS - (clock.now() % MINUTE_MS))
    const now = clock.now()
    const inAnHour = new Date(now + HOUR_MS)
    const there = new Date(now + HOUR_MS + 5.5 * HOUR_MS).toISOString().slice(0, 19)
    for (const send_at of [inAnHour.toISOString(), `${there}+05:30`, `${there.slice(0, 16)}+05:30`, 3600, '3600']) {
      const { body } = await caller.post('/push/all', { ...TO_ALL, send_at })
      expect({ send_at, at: body.send_at }).toEqual({ send_at, at: inAnHour.toISOString() })
    }
  })

  test('that has just come is now', async () => {
    const caller = newCaller(service)
    await caller.register(IOS)
    for (const send_at of [0, '0', iso(clock.now()), iso(clock.now() - MINUTE_MS)]) {
      const answer = await caller.post('/push/all', { ...TO_ALL, send_at })
      expect(Object.keys(answer.body)).toEqual(['message', 'id'])
      expect(answer).toMatchObject({ status: 200, body: { message: 'Queued' } })
      expect(await arrivalsOf(service, answer.body.id)).toHaveLength(1)
    }
  })

  test('that is null or empty is now too', async () => {
    for (const send_at of [null, '']) {
      const answer = await newCaller(service).post('/push/all', { ...TO_ALL, send_at })
      expect(answer).toMatchObject({ status: 200, body: { message: 'Queued' } })
    }
  })

  test('addresses whoever is there at that moment', async () => {
    const caller = newCaller(service)
    await caller.register(IOS)
    await caller.register(ANDROID)
    const answer = await caller.post('/push/all', { ...TO_ALL, send_at: 600 })
    await caller.register(LATE)
    await caller.put('/deviceToken/del', ANDROID)
    clock.advance(600 * SECOND_MS)
    expect(await reachedAfter(answer)).toEqual([IOS.token, LATE.token])
  })

  test('is when the time to live begins', async () => {
    const caller = newCaller(service)
    await caller.register(IOS)
    const answer = await caller.post('/push/all', { ...TO_ALL, send_at: 3 * 24 * 3600 })
    pass(clock, 3 * DAY_MS)
    await reachedAfter(answer)
    const [arrival] = await arrivalsOf(service, answer.body.id)
    expect(arrival?.status).toBe(200)
    const row = service.database.reading<{ expires_at: number }, [string]>('SELECT expires_at FROM push WHERE id = ?')
    expect(row.get(answer.body.id)?.expires_at).toBe(clock.now() + DAY_MS)
  })

  test('of many pushes sends each at its own moment', async () => {
    const caller = newCaller(service)
    await caller.register(IOS)
    const sends = Array.from({ length: 30 }, (_, n) => 1 + ((n * 7) % 30))
    const answers = await Promise.all(sends.map((send_at) => caller.post('/push/all', { ...TO_ALL, send_at })))
    for (let second = 1; second <= 30; second++) {
      clock.advance(SECOND_MS)
      const due = answers[sends.indexOf(second)]
      if (due === undefined) throw new Error('no such push')
      expect(await reachedAfter(due)).toEqual([IOS.token])
      const later = sends.flatMap((at, n) => (at > second ? [answers[n]?.body.id] : []))
      expect(await waiting()).toEqual(expect.arrayContaining(later))
    }
  })

  test('is kept when the clock is put back, and caught up with when it is put forth', async () => {
    const own = createFakeClock()
    await using other = await startService({ clock: own })
    await other.put('/deviceToken', IOS)
    const start = own.now()
    const answer = await other.post('/push/all', { ...TO_ALL, send_at: 3600 })
    own.set(start - 2 * HOUR_MS)
    pass(own, 2 * HOUR_MS)
    expect(await waits(answer.body.id, other)).toBe(true)
    own.set(start + HOUR_MS)
    own.advance(MINUTE_MS + SECOND_MS)
    expect(await reachedAfter(answer, other)).toEqual([IOS.token])
  })

  test('survives a restart, and what came due meanwhile is sent at once', async () => {
    const own = createFakeClock()
    await using first = await startService({ clock: own })
    await first.put('/deviceToken', IOS)
    const due = await first.post('/push/all', { ...TO_ALL, send_at: 3600 })
    const later = await first.post('/push/all', { ...TO_ALL, send_at: 7200 })
    passTo(own, own.now() + HOUR_MS)
    const second = await first.restart()
    try {
      expect(await reachedAfter(due, second)).toEqual([IOS.token])
      expect(await waits(later.body.id, second)).toBe(true)
      passTo(own, own.now() + HOUR_MS)
      own.advance(SECOND_MS)
      expect(await reachedAfter(later, second)).toEqual([IOS.token])
    } finally {
      await second[Symbol.asyncDispose]()
    }
  })

  test('is not too late for what was accepted before pushes that are out already', async () => {
    const caller = newCaller(service)
    await caller.register(IOS)
    const answer = await caller.post('/push/all', { ...TO_ALL, send_at: 60 })
    for (let n = 0; n < 3; n++) await arrivalsOf(service, (await caller.post('/push/all', TO_ALL)).body.id)
    clock.advance(MINUTE_MS)
    expect(await reachedAfter(answer)).toEqual([IOS.token])
  })

  test('holds more pushes than are kept in memory, and sends each once', async () => {
    const caller = newCaller(service)
    await caller.register(IOS)
    const answers = await Promise.all(
      Array.from({ length: 250 }, () => caller.post('/push/all', { ...TO_ALL, send_at: 60 })),
    )
    clock.advance(MINUTE_MS)
    for (const answer of answers) expect(await reachedAfter(answer)).toEqual([IOS.token])
  })

  const expectRefused = (path: string, body: object, bad: readonly BadValue[]) =>
    expectInvalid((send_at) => service.post(path, { ...body, send_at }), 'send_at', bad)

  test('that cannot be read is refused, and nothing stored', async () => {
    const count = service.database.reading<{ n: number }, []>('SELECT count(*) AS n FROM push')
    const before = count.get()
    const allowed =
      'must be a time with its offset, such as 2026-12-24T09:00:00Z, or a number of seconds from 0 to 7776000'
    const unreadable: readonly (readonly [value: unknown, shown: string])[] = [
      ['tomorrow', '"tomorrow"'],
      ['2026-12-24', '"2026-12-24"'],
      ['2026-12-24T09:00', '"2026-12-24T09:00"'],
      ['2026-12-24 09:00Z', '"2026-12-24 09:00Z"'],
      ['2026-12-24T09Z', '"2026-12-24T09Z"'],
      ['2026-02-30T09:00Z', '"2026-02-30T09:00Z"'],
      ['2026-12-24T24:00Z', '"2026-12-24T24:00Z"'],
      ['2026-12-24T09:00+25:00', '"2026-12-24T09:00+25:00"'],
      ['2026-12-24T09:00Z[UTC]', '"2026-12-24T09:00Z[UTC]"'],
      [-1, '-1'],
      ['-1', '"-1"'],
      [7_776_001, '7776001'],
      [1_798_102_800, '1798102800'],
      [1_798_102_800_000, '1798102800000'],
      [true, 'true'],
      [[60], 'an array'],
      [{}, 'an object'],
    ]
    for (const [path, body] of [
      ['/push/all', TO_ALL],
      ['/push/one', { ...IOS, ...HELLO }],
    ] as const) {
      await expectRefused(
        path,
        body,
        unreadable.map(([value, shown]) => [value, `${allowed}, not ${shown}`]),
      )
    }
    expect(count.get()).toEqual(before)
  })

  test('that is past, or further than 90 days ahead, is refused', async () => {
    const now = clock.now()
    await expectRefused('/push/all', TO_ALL, [
      [iso(now - MINUTE_MS - 1), 'must not be more than 60 seconds past'],
      ['1970-01-01T00:00:00Z', 'must not be more than 60 seconds past'],
      [iso(now + 90 * DAY_MS + 1), 'must be at most 90 days ahead'],
      ['9999-01-01T00:00:00Z', 'must be at most 90 days ahead'],
    ])
    const answer = await newCaller(service).post('/push/all', { ...TO_ALL, send_at: iso(now + 90 * DAY_MS) })
    expect(answer).toMatchObject({ status: 200, body: { message: 'Scheduled' } })
  })
})

describe('send_at_local', () => {
  const WALL = '2026-12-24T09:00'

  test('is when the clock of each device shows that time', async () => {
    const own = createFakeClock(Date.UTC(2026, 11, 23))
    await using world = await startService({ clock: own })
    const devices = ['Pacific/Kiritimati', 'Asia/Kolkata', 'Europe/Berlin', null, 'America/New_York', 'Pacific/Niue']
    const tokens = devices.map((_, n) => `phone:${n}`)
    for (const [n, timezone] of devices.entries()) {
      await world.put('/deviceToken', { platform: '1', token: tokens[n], ...(timezone !== null && { timezone }) })
    }
    const answer = await world.post('/push/all', { ...TO_ALL, send_at_local: WALL })
    expect(answer.body).toEqual({ message: 'Scheduled', id: answer.body.id, send_at: '2026-12-23T19:00:00.000Z' })
    const simulator = await world.server.simulator()
    const arrivedAt = new Map<string, string>()
    simulator.onArrival(({ token, collapse }) => {
      expect(collapse).toBe(answer.body.id)
      expect(arrivedAt.has(token)).toBe(false)
      arrivedAt.set(token, iso(own.now()).slice(0, 16))
    })
    const quarters = (48 * HOUR_MS) / (15 * MINUTE_MS)
    const dueOnes = world.database.reading<{ n: number }, [number]>(
      `SELECT (SELECT count(*) FROM push WHERE released_at IS NULL AND send_at <= ?)
         + (SELECT count(*) FROM delivery WHERE finished_at IS NULL) AS n`,
    )
    for (let n = 0; n < quarters; n++) {
      pass(own, 15 * MINUTE_MS)
      await until(() => dueOnes.get(own.now())?.n === 0)
    }
    expect([...arrivedAt]).toEqual([
      ['phone:0', '2026-12-23T19:00'],
      ['phone:1', '2026-12-24T03:30'],
      ['phone:2', '2026-12-24T08:00'],
      ['phone:3', '2026-12-24T09:00'],
      ['phone:4', '2026-12-24T14:00'],
      ['phone:5', '2026-12-24T20:00'],
    ])
  })

  test('meets nobody twice who travels, and nobody whose zone comes up later misses it', async () => {
    const own = createFakeClock(Date.UTC(2026, 11, 23))
    await using world = await startService({ clock: own })
    const [traveller, newcomer] = ['phone:traveller', 'phone:newcomer']
    await world.put('/deviceToken', { platform: '1', token: traveller, timezone: 'Europe/Berlin' })
    const answer = await world.post('/push/all', { ...TO_ALL, send_at_local: WALL })
    const simulator = await world.server.simulator()
    const arrivals: string[] = []
    simulator.onArrival(({ token }) => void arrivals.push(token))
    passTo(own, Date.UTC(2026, 11, 24, 8))
    own.advance(SECOND_MS)
    await arrivalsAt(simulator, 1)
    await world.put('/deviceToken', { platform: '1', token: traveller, timezone: 'America/New_York' })
    await world.put('/deviceToken', { platform: '1', token: newcomer, timezone: 'America/Los_Angeles' })
    passTo(own, Date.UTC(2026, 11, 25))
    own.advance(SECOND_MS)
    await arrivalsAt(simulator, 2)
    await waits(answer.body.id, world)
    await until(() => allSent(world))
    expect(arrivals).toEqual([traveller, newcomer])
  })

  test('meets a phone that changed its zone just before the clock was set back', async () => {
    const own = createFakeClock(Date.UTC(2026, 11, 24, 8))
    await using world = await startService({ clock: own })
    const device = { platform: '1', token: 'phone:moves' }
    await world.put('/deviceToken', { ...device, timezone: 'Asia/Tokyo' })
    await world.put('/deviceToken', { ...device, timezone: 'Europe/London' })
    own.advance(SECOND_MS)
    own.set(own.now() - 6 * MINUTE_MS)
    const simulator = await world.server.simulator()
    const arrivals: string[] = []
    simulator.onArrival(({ token }) => void arrivals.push(token))
    await world.post('/push/all', { ...TO_ALL, send_at_local: iso(own.now() - MINUTE_MS).slice(0, 16) })
    passTo(own, Date.UTC(2026, 11, 25, 8))
    own.advance(SECOND_MS)
    await until(() => allSent(world))
    expect(arrivals).toEqual(['phone:moves'])
  })

  test('meets everybody once of whom the zone has another name meanwhile, before its turn and after', async () => {
    const own = createFakeClock(Date.UTC(2026, 11, 23))
    await using world = await startService({ clock: own })
    const names = [
      ['UTC', 'Europe/London'],
      ['Europe/London', 'UTC'],
      ['', 'Africa/Abidjan'],
      ['Europe/London', ''],
      ['Asia/Calcutta', 'Asia/Kolkata'],
      ['Asia/Kolkata', 'Asia/Calcutta'],
    ] as const
    const phones = Array.from({ length: 60 }, (_, n) => {
      const [zone, renamed] = names[n % names.length] ?? ['', '']
      return { token: `phone:${n}`, zone, renamed, at: n < 18 ? 3 : n < 36 ? 4 : n < 54 ? 9 : Infinity }
    })
    const say = (token: string, timezone: string) =>
      world.put('/deviceToken', { platform: '1', token, ...(timezone !== '' && { timezone }) })
    for (const { token, zone } of phones) await say(token, zone)
    // The first, and one that is on its way.
    await say('phone:first', 'Pacific/Kiritimati')
    await say('phone:traveller', 'Asia/Kolkata')
    const answer = await world.post('/push/all', { ...TO_ALL, send_at_local: WALL })
    const simulator = await world.server.simulator()
    const arrivedAt = new Map<string, string>()
    simulator.onArrival(({ token }) => {
      expect([token, arrivedAt.get(token)]).toEqual([token, undefined])
      arrivedAt.set(token, iso(own.now()).slice(0, 13))
    })
    const openOnes = world.database.reading<{ n: number }, [number]>(
      `SELECT (SELECT count(*) FROM push WHERE released_at IS NULL AND send_at <= ?)
         + (SELECT count(*) FROM delivery WHERE finished_at IS NULL) AS n`,
    )
    passTo(own, Date.UTC(2026, 11, 23, 20))
    for (let hour = 0; hour < 24; hour++) {
      passTo(own, Date.UTC(2026, 11, 24, hour))
      own.advance(SECOND_MS)
      await until(() => openOnes.get(own.now())?.n === 0)
      for (const { token, renamed, at } of phones) {
        if (at === hour) await world.put('/deviceToken', { platform: '1', token, timezone: renamed })
      }
      if (hour === 4) await say('phone:traveller', 'America/New_York')
    }
    for (const { token, zone } of phones) {
      const hour = zone.startsWith('Asia') ? '2026-12-24T04' : '2026-12-24T09'
      expect([token, arrivedAt.get(token)]).toEqual([token, hour])
    }
    expect(arrivedAt.size).toBe(62)
    expect((await world.get(`/push/${answer.body.id}`)).body).toMatchObject({ t: 62, s: 62 })
  })

  test('leaves out who changes to a zone whose clocks go the same for a day only', async () => {
    const own = createFakeClock(Date.UTC(2026, 2, 28))
    await using world = await startService({ clock: own })
    await world.put('/deviceToken', { platform: '1', token: 'phone:early', timezone: 'Pacific/Kiritimati' })
    await world.put('/deviceToken', { platform: '1', token: 'phone', timezone: 'Europe/London' })
    // Clocks in London go forward on that day at 01:00 UTC: 09:00 is an hour earlier than in UTC.
    const answer = await world.post('/push/all', { ...TO_ALL, send_at_local: '2026-03-29T09:00' })
    const simulator = await world.server.simulator()
    const arrivals: string[] = []
    simulator.onArrival(({ token }) => void arrivals.push(token))
    passTo(own, Date.UTC(2026, 2, 28, 20))
    own.advance(SECOND_MS)
    await arrivalsAt(simulator, 1)
    await world.put('/deviceToken', { platform: '1', token: 'phone', timezone: 'UTC' })
    const before = await world.get(`/push/${answer.body.id}/device`, { headers: { token: 'phone' } })
    expect(before.body).toMatchObject({ verdict: 'excluded', excluded_by: ['send_at_local'], judged_now: true })
    expect(before.body.explanation).toEndWith(
      'it has changed its time zone (UTC) while the push went around the world.',
    )
    passTo(own, Date.UTC(2026, 2, 29, 9))
    own.advance(SECOND_MS)
    while ((await world.get(`/push/${answer.body.id}`)).body.state !== 'finished') {
      passTo(own, own.now() + HOUR_MS)
      own.advance(SECOND_MS)
    }
    expect(arrivals).toEqual(['phone:early'])
    const { body } = await world.get(`/push/${answer.body.id}/device`, { headers: { token: 'phone' } })
    expect(body).toMatchObject({ verdict: 'excluded', excluded_by: ['send_at_local'] })
  })

  test('names the zones in which it is past, and sends at once where that is less than an hour ago', async () => {
    const own = createFakeClock(Date.UTC(2026, 11, 24, 8, 30))
    await using world = await startService({ clock: own })
    for (const [token, timezone] of [
      ['phone:tokyo', 'Asia/Tokyo'],
      ['phone:berlin', 'Europe/Berlin'],
      ['phone:london', 'Europe/London'],
    ]) {
      await world.put('/deviceToken', { platform: '1', token, timezone })
    }
    const preview = await world.post('/push/preview', { ...TO_ALL, send_at_local: WALL })
    expect(preview.body).toMatchObject({ t: 3, passed: ['Asia/Tokyo'] })
    const answer = await world.post('/push/all', { ...TO_ALL, send_at_local: WALL })
    expect(answer.body).toEqual({
      message: 'Scheduled',
      id: answer.body.id,
      send_at: '2026-12-24T08:30:00.000Z',
      passed: ['Asia/Tokyo'],
    })
    const simulator = await world.server.simulator()
    expect((await arrivalsAt(simulator, 1)).map(({ token }) => token)).toEqual(['phone:berlin'])
    passTo(own, Date.UTC(2026, 11, 24, 9))
    own.advance(SECOND_MS)
    expect((await arrivalsAt(simulator, 2)).map(({ token }) => token)).toEqual(['phone:berlin', 'phone:london'])
  })

  test.each([
    ['once, however many waves it has', null],
    // As it was written before.
    [
      'in each wave',
      'UPDATE push SET audience = (SELECT audience FROM push w WHERE w.number = push.parent) WHERE parent > 0',
    ],
  ])('goes to whom it is for, which is stored %s', async (_, before) => {
    const own = createFakeClock(Date.UTC(2026, 11, 23))
    await using world = await startService({ clock: own })
    const zones = ['Pacific/Kiritimati', 'Europe/Berlin', 'Pacific/Niue']
    for (const timezone of zones) {
      await world.put('/deviceToken', { platform: '1', token: `in:${timezone}`, timezone, tag: 'in' })
      await world.put('/deviceToken', { platform: '1', token: `out:${timezone}`, timezone })
    }
    const names = Array.from({ length: 198 }, (_, n) => `${n}`.padEnd(250, '-'))
    const where = { any: [{ tag: 'in' }, ...names.map((tag) => ({ tag }))] }
    const answer = await world.post('/push/all', { ...TO_ALL, where, seen_within: 30, send_at_local: WALL })
    expect(answer.status).toBe(200)
    const stored = world.database.reading<{ waves: number; bytes: number }, []>(
      'SELECT count(*) - 1 AS waves, sum(length(audience)) AS bytes FROM push',
    )
    if (before === null) expect(stored.get()?.bytes).toBeLessThan(2 * JSON.stringify(where).length)
    else world.database.statement<never, []>(before).run()
    expect(stored.get()?.waves).toBeGreaterThan(30)

    const simulator = await world.server.simulator()
    for (const [n, hour] of [19, 32, 44].entries()) {
      passTo(own, Date.UTC(2026, 11, 23, hour))
      own.advance(SECOND_MS)
      const tokens = (await arrivalsAt(simulator, n + 1)).map(({ token }) => token)
      expect(tokens).toEqual(zones.slice(0, n + 1).map((zone) => `in:${zone}`))
      const headers = { token: `out:${zones[n]}` }
      const { body } = await world.get(`/push/${answer.body.id}/device`, { headers })
      expect(body).toMatchObject({ verdict: 'excluded', excluded_by: ['where'] })
    }
    if (before === null) expect(stored.get()?.bytes).toBeLessThan(2 * JSON.stringify(where).length)
    // What has arrived is written down a moment later.
    const pushed = async () => (await world.get(`/push/${answer.body.id}`)).body
    await until(async () => (await pushed()).s === 3)
    expect(await pushed()).toMatchObject({ t: 3, s: 3 })
  })

  test('that cannot be read, is past everywhere or too far ahead is refused', async () => {
    const allowed = 'must be a date and time without an offset, such as 2026-12-24T09:00'
    await expectInvalid((value) => service.post('/push/all', { ...TO_ALL, send_at_local: value }), 'send_at_local', [
      ['tomorrow', `${allowed}, not "tomorrow"`],
      ['2026-12-24T09:00Z', `${allowed}, not "2026-12-24T09:00Z"`],
      ['2026-12-24T09:00+01:00', `${allowed}, not "2026-12-24T09:00+01:00"`],
      ['2026-02-30T09:00', `${allowed}, not "2026-02-30T09:00"`],
      ['2026-12-24', `${allowed}, not "2026-12-24"`],
      [3600, `${allowed}, not 3600`],
      [true, `${allowed}, not true`],
      [['2026-12-24T09:00'], `${allowed}, not an array`],
      [iso(clock.now() - 14 * HOUR_MS).slice(0, 16), 'must not be past in every time zone'],
      [iso(clock.now() + 91 * DAY_MS).slice(0, 16), 'must be at most 90 days ahead'],
    ])
  })

  test('stands neither beside send_at nor in a push to one', async () => {
    const beside = await service.post('/push/all', { ...TO_ALL, send_at: 60, send_at_local: WALL })
    expectFailure(beside, 400, 'InvalidArgument', "send_at_local can't be combined with send_at.")
    const one = await service.post('/push/one', { ...IOS, ...HELLO, send_at_local: WALL })
    expectFailure(one, 400, 'InvalidArgument', 'send_at_local is for /push/all; here it is send_at.')
  })
})
