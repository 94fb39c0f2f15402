import { describe, expect, test } from 'bun:test'
import { newCaller } from '../../support/caller.ts'
import { READABLE_DEGREES } from '../../support/degrees.ts'
import { depart, TOKEN_OF } from '../../support/departure.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import * as bad from '../../support/refusals.ts'
import { expectFailure, expectInvalid, expectRequired, statusesOf } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import { startService } from '../../support/service.ts'

const PATH = '/deviceToken'
const DEVICE = { token: '3f8a'.repeat(16), platform: '0' }
const OTHER = '77b0'.repeat(16)
const LABELS = { active: ['chat', 'news'], tag: ['beta', 'vip'] }
const EVERYTHING = { ...DEVICE, lat: '52.52', lng: '13.405', ...LABELS, alias: 'user-17' }
const BARE = { lat: null, lng: null, active: [], tag: [], alias: null, badge: 0 }

const clock = createFakeClock()
const service = await fileService({ clock })

/** ISO 8601, UTC. */
const time = () => new Date(clock.now()).toISOString()

describe('PUT /deviceToken', () => {
  test('answers a first registration with 201 and the record, in which nothing is left out', async () => {
    const caller = newCaller(service)
    const answer = await caller.put(PATH, DEVICE)
    const record = { ...DEVICE, ...BARE, created_at: time(), updated_at: time() }
    expect([answer.status, answer.body]).toEqual([201, record])
    expect(answer.headers.get('content-type')).toStartWith('application/json')
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    const full = await caller.put(PATH, { ...EVERYTHING, token: OTHER })
    const times = { created_at: time(), updated_at: time() }
    expect([full.status, full.body]).toEqual([201, { ...EVERYTHING, token: OTHER, badge: 0, ...times }])
    expect(await caller.devices()).toEqual([record, full.body])
  })

  test('takes for iOS what cannot be a token of Apple, and each record of it says so', async () => {
    const caller = newCaller(service)
    const odd = { token: 'abc123', platform: '0' }
    const warnings = ['not an APNs device token: it is too short: 6 of at least 64 hex digits']
    const first = await caller.put(PATH, odd)
    expect([first.status, first.body]).toEqual([
      201,
      { ...odd, ...BARE, created_at: time(), updated_at: time(), warnings },
    ])
    expect(await caller.put(PATH, odd)).toMatchObject({ status: 200, body: { warnings } })
    const one = await service.get('/deviceToken/one', { application: caller.application, headers: { token: 'abc123' } })
    expect([one.status, one.body]).toEqual([200, first.body])
    expect(await caller.devices()).toEqual([first.body])
    await caller.register({ ...DEVICE, alias: 'taken' })
    const both = await caller.put(PATH, { ...odd, alias: 'taken' }, 'device')
    expect(both.body.warnings).toEqual(['alias belongs to another device', ...warnings])
    for (const fine of [DEVICE, { ...odd, platform: '1' }]) {
      expect((await caller.put(PATH, fine)).body).not.toHaveProperty('warnings')
    }
  })

  test('answers an update with 200 and the record; a field left out stays as it was', async () => {
    const caller = newCaller(service)
    const before = await caller.register(EVERYTHING)
    await caller.put('/badge', { ...DEVICE, setbadgecount: 7 })
    clock.advance(1500)
    const after = { ...before, badge: 7, updated_at: time() }
    expect(await caller.put(PATH, DEVICE)).toMatchObject({ status: 200, body: after })
    expect(await caller.devices()).toEqual([after])
    for (const change of [{ lat: '-1', lng: '0' }, { active: ['x'] }, { tag: ['y'] }, { alias: 'z' }]) {
      Object.assign(after, change)
      expect(await caller.register({ ...DEVICE, ...change })).toEqual(after)
    }
    expect(await caller.devices()).toEqual([after])
  })

  test('an empty tag array removes all tags, an empty active array all types, alias "" the alias; nothing else', async () => {
    const caller = newCaller(service)
    const before = await caller.register(EVERYTHING)
    expect(await caller.register({ ...DEVICE, tag: [] })).toEqual({ ...before, tag: [] })
    expect(await caller.register({ ...EVERYTHING, active: [] })).toEqual({ ...before, active: [] })
    expect(await caller.register({ ...EVERYTHING, alias: '' })).toEqual({ ...before, alias: null })
    expect(await caller.devices()).toEqual([{ ...before, alias: null }])
  })

  test('keeps the time zone, which the record shows where it is known: in the spelling of the IANA database', async () => {
    const caller = newCaller(service)
    const before = await caller.register(EVERYTHING)
    expect(Object.keys(before)).not.toContain('timezone')
    const zone = { timezone: 'Europe/Berlin' }
    expect(await caller.register({ ...DEVICE, timezone: 'europe/BERLIN' })).toEqual({ ...before, ...zone })
    // A field left out stays as it was, and null is absent.
    expect(await caller.register({ ...DEVICE, tag: ['x'] })).toMatchObject(zone)
    expect(await caller.register({ ...EVERYTHING, timezone: null })).toEqual({ ...before, ...zone })
    expect(await caller.devices()).toEqual([{ ...before, ...zone }])
    const { application } = caller
    const asked = await service.get('/deviceToken/one', { application, headers: { token: DEVICE.token } })
    expect(asked.body).toEqual({ ...before, ...zone })
    for (const timezone of ['UTC', 'Asia/Calcutta', 'America/Argentina/Buenos_Aires', 'Etc/GMT+12', 'GMT']) {
      expect(await caller.register({ ...DEVICE, timezone })).toEqual({ ...before, timezone })
    }
    expect(await caller.register({ ...DEVICE, timezone: '' })).toEqual(before)
    expect(await caller.devices()).toEqual([before])
    const other = { token: 'other', platform: '1' }
    expect(await caller.register({ ...other, ...zone })).toMatchObject({ ...other, ...zone })
    expect(await caller.register({ ...other, timezone: '' })).not.toHaveProperty('timezone')
  })

  test('keeps the locale, which the record shows where it is known: as BCP 47 writes it, however an SDK does', async () => {
    const caller = newCaller(service)
    const before = await caller.register(EVERYTHING)
    expect(Object.keys(before)).not.toContain('locale')
    const known = { locale: 'pt-BR' }
    expect(await caller.register({ ...DEVICE, locale: 'pt_br' })).toEqual({ ...before, ...known })
    for (const same of [{ tag: ['x'] }, { locale: null }]) {
      expect(await caller.register({ ...DEVICE, ...same })).toMatchObject(known)
    }
    for (const [given, locale] of [
      ['zh_Hans-cn', 'zh-Hans-CN'],
      ['zh_TW_#Hant', 'zh-Hant-TW'],
      ['sr__#Latn', 'sr-Latn'],
      ['iw_IL', 'he-IL'],
      ['en_US@calendar=buddhist;currency=EUR', 'en-US'],
      ['es-419', 'es-419'],
    ]) {
      expect(await caller.register({ ...DEVICE, locale: given })).toMatchObject({ locale })
    }
    expect(await caller.register({ ...DEVICE, tag: before['tag'], locale: '' })).toEqual(before)
    expect(await caller.devices()).toEqual([before])
  })

  test('null is absent, and so is an empty string where empty means nothing; unknown fields are ignored', async () => {
    const caller = newCaller(service)
    const before = await caller.register(EVERYTHING)
    const nothings: readonly object[] = [
      { lat: null, lng: null, active: null, tag: null, alias: null },
      { lat: '', lng: '', active: '', tag: '' },
      { badge: 9, model: 'x', created_at: '2000-01-01', id: 4, constructor: 1 },
    ]
    for (const nothing of nothings) expect(await caller.register({ ...DEVICE, ...nothing })).toEqual(before)
    const smuggled = `{"token":"${DEVICE.token}","platform":"0","__proto__":{"alias":"x"}}`
    expect(await caller.put(PATH, smuggled)).toMatchObject({ status: 200, body: before })
  })

  test('reads platform as a string or a number, and writes it as a string', async () => {
    const caller = newCaller(service)
    for (const [given, written] of [
      [0, '0'],
      ['0', '0'],
      ['1', '1'],
      [1, '1'],
    ] as const) {
      expect((await caller.register({ token: 'a', platform: given })).platform).toBe(written)
    }
    expect(await caller.devices()).toMatchObject([{ platform: '0' }, { platform: '1' }])
  })

  test('one token may exist once per application and platform', async () => {
    const [caller, other] = [newCaller(service), newCaller(service)]
    const android = { ...DEVICE, platform: '1' }
    expect(await caller.put(PATH, { ...DEVICE, tag: ['ios'] })).toMatchObject({ status: 201 })
    expect(await caller.put(PATH, { ...android, tag: ['android'] })).toMatchObject({ status: 201 })
    expect(await other.put(PATH, DEVICE)).toMatchObject({ status: 201, body: { tag: [] } })
    expect(await caller.put(PATH, android)).toMatchObject({ status: 200, body: { tag: ['android'] } })
    expect(await caller.devices()).toMatchObject([
      { platform: '0', tag: ['ios'] },
      { platform: '1', tag: ['android'] },
    ])
    expect(await other.devices()).toHaveLength(1)
  })

  test('gives a token of 1 to 4096 bytes back exactly as it came', async () => {
    const caller = newCaller(service)
    const tokens = ['ab12', 'AB12', 'abc', 'fcm:APA91b_-x', 'é漢😀', '0', 'x'.repeat(4096), 'é'.repeat(2048)]
    for (const token of tokens) expect((await caller.register({ token, platform: 1 })).token).toBe(token)
    expect((await caller.devices()).map(({ token }) => token)).toEqual(tokens)
  })

  test('reads one string as an array, a name twice as once, and tags and Alias where tag and alias are absent', async () => {
    const caller = newCaller(service)
    const readings: readonly [given: object, expected: object][] = [
      [
        { tag: 'b', active: 'n' },
        { tag: ['b'], active: ['n'] },
      ],
      [
        { tag: ['b', 'a', 'b'], active: ['n', 'n'] },
        { tag: ['a', 'b'], active: ['n'] },
      ],
      [{ tags: ['c'] }, { tag: ['c'], active: ['n'] }],
      [{ tags: 'd', tag: null }, { tag: ['d'] }],
      [{ tags: ['no'], tag: ['yes'] }, { tag: ['yes'] }],
      [{ tags: ['no'], tag: [] }, { tag: [] }],
      [{ Alias: 'a' }, { alias: 'a' }],
      [{ Alias: 'no', alias: 'b' }, { alias: 'b' }],
      [{ Alias: 'c', alias: null }, { alias: 'c' }],
      [{ Alias: '' }, { alias: null }],
    ]
    for (const [given, expected] of readings) {
      expect(await caller.register({ ...DEVICE, ...given })).toMatchObject(expected)
    }
  })

  test('reads lat and lng as strings or numbers, stores numbers and writes decimal strings', async () => {
    const caller = newCaller(service)
    for (const [given, written] of READABLE_DEGREES) {
      const record = await caller.register({ ...DEVICE, lat: given, lng: given })
      expect([given, record.lat, record.lng]).toEqual([given, written, written])
      // What is written can be given back.
      expect(await caller.register({ ...DEVICE, lat: written, lng: written })).toEqual(record)
    }
    expect(await caller.register({ ...DEVICE, lat: 0, lng: '-180' })).toMatchObject({ lat: '0', lng: '-180' })
    expect(await caller.register({ ...DEVICE, lat: '0', lng: 180 })).toMatchObject({ lat: '0', lng: '180' })
    const sql = 'SELECT DISTINCT typeof(lat) || typeof(lng) AS types FROM device WHERE lat IS NOT NULL'
    expect(service.database.statement<{ types: string }, []>(sql).all()).toEqual([{ types: 'realreal' }])
  })

  test('takes names of 1 to 256 characters of 512 bytes, 100 tags and 100 types', async () => {
    const caller = newCaller(service)
    const names = Array.from({ length: 100 }, (_, index) => String(index).padStart(3, '0'))
    const most = { tag: names, active: names, alias: '😀'.repeat(128) }
    expect(await caller.register({ ...DEVICE, ...most, tag: [...names, '000'] })).toMatchObject(most)
    for (const field of ['tag', 'active']) {
      const answer = await caller.put(PATH, { ...DEVICE, [field]: [...names, 'one more'] })
      expectFailure(answer, 400, 'InvalidArgument', `${field} must have at most 100 entries, not 101.`)
    }
    expect(await caller.devices()).toMatchObject([most])
    expect(await caller.register({ ...DEVICE, tag: ['é'.repeat(256)] })).toMatchObject({ tag: ['é'.repeat(256)] })
  })

  test('needs no secret, but an application', async () => {
    const caller = newCaller(service)
    expect(await caller.put(PATH, DEVICE, 'device')).toMatchObject({ status: 201 })
    const answer = await caller.put(PATH, { ...DEVICE, token: 'b' }, 'nobody')
    expectFailure(answer, 400, 'InvalidHeader', 'Authentication headers not found.')
    expect(await caller.devices()).toHaveLength(1)
  })

  test('registers a device once, however many calls come at the same time', async () => {
    const caller = newCaller(service)
    const answers = await Promise.all(Array.from({ length: 20 }, () => caller.put(PATH, DEVICE)))
    expect(statusesOf(answers)).toEqual({ 201: 1, 200: 19 })
    expect(await caller.devices()).toHaveLength(1)
  })

  test('what was answered is kept over a restart', async () => {
    await using first = await startService()
    const { body } = await first.put(PATH, EVERYTHING)
    await using second = await first.restart()
    expect((await second.get('/deviceToken/all')).body).toEqual([body])
    expect(await second.put(PATH, DEVICE)).toMatchObject({ status: 200 })
  })
})

describe('an alias in PUT /deviceToken', () => {
  const TAKEN = { warnings: ['alias belongs to another device'] }

  test('of another device costs nobody the device: without the secret it is registered, with a warning, without the alias', async () => {
    const caller = newCaller(service)
    const holder = await caller.register(EVERYTHING)
    for (const platform of ['0', '1']) {
      const asked = { token: OTHER, platform, alias: 'user-17', tag: ['b'] }
      const { warnings: _, ...stored } = (await caller.put(PATH, asked, 'device')).body
      expect(stored).toMatchObject({ ...asked, alias: null })
      expect(await caller.devices()).toEqual([holder, ...(platform === '1' ? [expect.anything()] : []), stored])
      // So at every launch.
      clock.advance(1000)
      const again = await caller.put(PATH, asked, 'device')
      const updated = { ...stored, updated_at: time(), ...TAKEN }
      expect([again.status, again.body]).toEqual([200, updated])
    }
    const first = await caller.put(PATH, { token: '99'.repeat(32), platform: '0', Alias: 'user-17' }, 'device')
    expect(first).toMatchObject({ status: 201, body: { alias: null, ...TAKEN } })
  })

  test('of another device leaves a device none, without the secret: what it was before it no longer is; the rest is updated', async () => {
    const caller = newCaller(service)
    const holder = await caller.register(EVERYTHING)
    const known = await caller.register({ token: OTHER, platform: '0', tag: ['a'], alias: 'mine' })
    clock.advance(1000)
    const answer = await caller.put(PATH, { token: OTHER, platform: '0', alias: 'user-17', tag: ['b'] }, 'device')
    const after = { ...known, alias: null, tag: ['b'], updated_at: time() }
    expect([answer.status, answer.body]).toEqual([200, { ...after, ...TAKEN }])
    expect(await caller.devices()).toEqual([holder, after])
  })

  test('of another device moves with the secret, and nobody is warned', async () => {
    const caller = newCaller(service)
    const holder = await caller.register(EVERYTHING)
    clock.advance(1000)
    const [taken, updated_at] = [{ alias: 'user-17' }, time()]
    const answer = await caller.put(PATH, { token: 'new', platform: '1', ...taken }, 'backend')
    expect(answer).toMatchObject({ status: 201, body: taken })
    expect(answer.body).not.toHaveProperty('warnings')
    const lost = { ...holder, alias: null, updated_at }
    expect(await caller.devices()).toEqual([lost, answer.body])
    const back = await caller.put(PATH, { ...DEVICE, ...taken }, 'backend')
    expect([back.status, back.body]).toEqual([200, { ...lost, ...taken }])
    expect(await caller.devices()).toMatchObject([taken, { alias: null }])
  })

  test('goes to one device, however many ask for it at the same time without the secret', async () => {
    const caller = newCaller(service)
    const asked = Array.from({ length: 10 }, (_, index) => ({ token: `t${index}`, platform: '1', alias: 'one' }))
    const answers = await Promise.all(asked.map((device) => caller.put(PATH, device, 'device')))
    expect(statusesOf(answers)).toEqual({ 201: 10 })
    expect(answers.filter(({ body }) => body.alias === 'one' && body.warnings === undefined)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.alias === null && body.warnings?.length === 1)).toHaveLength(9)
    expect((await caller.devices()).filter(({ alias }) => alias === 'one')).toHaveLength(1)
  })

  test('is free to its own device, to other applications, in another letter case, and when its holder has left it', async () => {
    const [caller, other] = [newCaller(service), newCaller(service)]
    const taking = { token: 'b', platform: '1', alias: 'user-17' }
    await caller.register(EVERYTHING)
    expect(await caller.put(PATH, EVERYTHING)).toMatchObject({ status: 200 })
    expect(await other.put(PATH, taking)).toMatchObject({ status: 201 })
    expect(await caller.put(PATH, { ...taking, alias: 'USER-17' })).toMatchObject({ status: 201 })
    await caller.register({ ...DEVICE, alias: 'elsewhere' })
    expect(await caller.put(PATH, taking)).toMatchObject({ status: 200, body: { alias: 'user-17' } })
    await caller.put('/deviceToken/del', taking)
    expect(await caller.put(PATH, EVERYTHING)).toMatchObject({ status: 200, body: { alias: 'user-17' } })
  })

  test.each(['gone', 'quarantined'] as const)(
    'is free when its holder is %s, who returns without it',
    async (state) => {
      const caller = newCaller(service)
      const device = { token: TOKEN_OF[state], platform: '0' }
      await caller.register({ ...device, alias: 'user-17' })
      await depart(caller, state)
      const taking = { token: 'b', platform: '1', alias: 'user-17' }
      const taken = await caller.put(PATH, taking, 'device')
      expect(taken).toMatchObject({ status: 201, body: { alias: 'user-17' } })
      expect(taken.body).not.toHaveProperty('warnings')
      expect(await caller.put(PATH, device)).toMatchObject({ status: 201, body: { alias: null } })
    },
  )

  test('is free of a device that has been gone since before it lost its alias with that', async () => {
    const caller = newCaller(service)
    await caller.register({ ...DEVICE, alias: 'user-17' })
    service.database
      .statement<never, [string]>(
        `UPDATE device SET state = 1 WHERE application = (SELECT number FROM application WHERE id = ?)`,
      )
      .run(caller.application.id)
    const taken = await caller.put(PATH, { token: 'b', platform: '0', alias: 'user-17' }, 'device')
    expect(taken).toMatchObject({ status: 201, body: { alias: 'user-17' } })
    expect(await caller.put(PATH, DEVICE, 'device')).toMatchObject({ status: 201, body: { alias: null } })
  })
})

describe('a device that comes back by PUT /deviceToken', () => {
  test.each(['unregistered', 'gone', 'quarantined'] as const)('after it was %s is answered with 201', async (how) => {
    const caller = newCaller(service)
    const device = how === 'unregistered' ? DEVICE : { token: TOKEN_OF[how], platform: '0' }
    const before = await caller.register({ ...EVERYTHING, ...device })
    await caller.put('/badge', { ...device, setbadgecount: 7 })
    if (how === 'unregistered') await caller.put('/deviceToken/del', device)
    else await depart(caller, how)
    expect(await caller.devices()).toEqual([])
    clock.advance(1000)
    const anew = { ...device, ...BARE, created_at: time(), updated_at: time() }
    // Only a quarantined device is restored.
    const expected = how === 'quarantined' ? { ...before, badge: 7, updated_at: time() } : anew
    const answer = await caller.put(PATH, device)
    expect([answer.status, answer.body]).toEqual([201, expected])
    expect(await caller.devices()).toEqual([expected])
    expect(await caller.put(PATH, device)).toMatchObject({ status: 200 })
  })
})

const BAD_ZONES: readonly bad.BadValue[] = [
  ['Mars/Olympus', '"Mars/Olympus"'],
  ['Berlin', '"Berlin"'],
  ['+01:00', '"+01:00"'],
  ['Z', '"Z"'],
  [' Europe/Berlin', '" Europe/Berlin"'],
  ['2026-11-20T00:00[Europe/Berlin]', '"2026-11-20T00:00[Europe/Berlin]"'],
  ['E'.repeat(65), 'a string of 65 characters'],
  [1, '1'],
  [true, 'true'],
  [['Europe/Berlin'], 'an array'],
  [{}, 'an object'],
].map(([value, shown]) => [
  value,
  `must be an IANA time zone such as Europe/Berlin, or "" for none, not ${shown as string}`,
])

const BAD_LOCALES: readonly bad.BadValue[] = [
  ['Deutsch ', '"Deutsch "'],
  ['root', '"root"'],
  ['en--US', '"en--US"'],
  ['de-', '"de-"'],
  ['@calendar=buddhist', '"@calendar=buddhist"'],
  ['d\u0000e', '"d\\u0000e"'],
  ['de-\ud800', '"de-\\ud800"'],
  ['d\u0435', '"d\u0435"'],
  [`en-x-${'a'.repeat(60)}`, 'a string of 65 characters'],
  [1, '1'],
  [true, 'true'],
  [['de'], 'an array'],
  [{}, 'an object'],
].map(([value, shown]) => [value, `must be a language tag such as pt-BR, or "" for none, not ${shown as string}`])

describe('bad input to PUT /deviceToken stores nothing', () => {
  test.each([
    ['token', bad.BAD_TOKENS, (token: unknown) => ({ token })],
    ['platform', bad.BAD_PLATFORMS, (platform: unknown) => ({ platform })],
    ['lat', bad.badDegrees(90), (lat: unknown) => ({ lat })],
    ['lng', bad.badDegrees(180), (lng: unknown) => ({ lng })],
    ['alias', bad.BAD_NAMES, (alias: unknown) => ({ alias })],
    ['Alias', bad.BAD_NAMES, (Alias: unknown) => ({ Alias, alias: null })],
    ['tag', bad.BAD_LISTS, (tag: unknown) => ({ tag })],
    ['tags', bad.BAD_LISTS, (tags: unknown) => ({ tags, tag: null })],
    ['active', bad.BAD_LISTS, (active: unknown) => ({ active })],
    ['timezone', BAD_ZONES, (timezone: unknown) => ({ timezone })],
    ['locale', BAD_LOCALES, (locale: unknown) => ({ locale })],
    ['tag[1]', bad.BAD_MEMBERS, (name: unknown) => ({ tag: ['ok', name] })],
    ['active[1]', bad.BAD_MEMBERS, (name: unknown) => ({ active: ['ok', name] })],
  ] as const)('400: %s', async (field, values, change) => {
    const caller = newCaller(service)
    const send = (value: unknown) => caller.put(PATH, { ...EVERYTHING, ...change(value) })
    await expectInvalid(send, field, values)
    expect(await caller.devices()).toEqual([])
    const known = await caller.register({ ...EVERYTHING, tag: ['kept'] })
    clock.advance(1000)
    await send(values[0]?.[0])
    expect(await caller.devices()).toEqual([known])
  })

  test('409: token or platform is missing, which is said before anything else; lat without lng, and lng without lat', async () => {
    const caller = newCaller(service)
    const send = (more: object) => caller.put(PATH, { ...DEVICE, ...more })
    await expectRequired((token) => send({ token, platform: 5 }), 'token is required.')
    await expectRequired((platform) => send({ platform, token: 5 }), 'platform is required.')
    await expectRequired((lng) => send({ lat: '1', lng }), 'lng is required with lat.')
    await expectRequired((lat) => send({ lat, lng: 1 }), 'lat is required with lng.')
    expectFailure(await caller.put(PATH, undefined), 409, 'MissingParameter', 'token is required.')
    expect(await caller.devices()).toEqual([])
  })
})
