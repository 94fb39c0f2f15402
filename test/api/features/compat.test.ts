import { describe, expect, test } from 'bun:test'
import { fileService } from '../../support/file-service.ts'
import { arrivalsAt } from '../../support/arrivals.ts'
import { newCaller } from '../../support/caller.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { faultsOf, misfits, operationsOf } from '../../support/openapi.ts'
import type { Json } from '../../support/openapi.ts'
import { connectTo, headOf } from '../../support/raw-connection.ts'
import { expectFailure } from '../../support/refusals.ts'
import { startService } from '../../support/service.ts'
import type { Answer, Service } from '../../support/service.ts'

const DEVICE = { token: '3f8a'.repeat(16), platform: '0' }
const OTHER = { token: 'other', platform: '1' }
const PUSH = { platform: ['0', '1'], msg: 'Hello' }

const clock = createFakeClock()
/** With the switch, and without. */
const old = await fileService({ clock, config: { compat: true, headerPrefix: ['ACME', 'OLD-NAME'] } })
const plain = await fileService({ clock })

/** As the clients of restify's `send(200)` know it; without a length of 0 they would wait for a body. */
function expectSilent(answer: Answer, status = 200): void {
  expect([answer.status, answer.body, answer.headers.get('content-length')]).toEqual([status, '', '0'])
  expect(answer.headers.has('content-type')).toBe(false)
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
}

/** All records, as they come. */
async function recordsOf(caller: ReturnType<typeof newCaller>): Promise<Json[]> {
  return (await caller.get('/deviceToken/all')).body
}

function pushesOf(service: Service): number {
  return service.database.reading<{ n: number }, []>('SELECT count(*) AS n FROM push').get()?.n ?? 0
}

describe('Accept-Version', () => {
  test('may be absent or empty with the switch only', async () => {
    for (const version of [null, '', ' ']) {
      const headers = { 'accept-version': version }
      expect(await old.get('/analytics', { headers })).toMatchObject({ status: 200 })
      const refused = await plain.get('/analytics', { headers })
      expectFailure(refused, 400, 'InvalidHeader', 'Accept-Version header is required.')
    }
  })

  test('that is there must still be served', async () => {
    for (const version of ['2', 'latest']) {
      const answer = await old.get('/analytics', { headers: { 'accept-version': version } })
      expectFailure(answer, 400, 'InvalidVersion', `${version} is not supported by GET /analytics`)
    }
    expect(await old.get('/analytics', { headers: { 'accept-version': '~1' } })).toMatchObject({ status: 200 })
  })
})

describe('the success of a write or a push', () => {
  test('has an empty body, its status, and the usual headers', async () => {
    const caller = newCaller(old)
    const calls: readonly (readonly [path: string, body: object, status: number])[] = [
      ['/deviceToken', { ...DEVICE, alias: 'a' }, 201],
      ['/deviceToken', DEVICE, 200],
      ['/deviceToken/batch', { tokens: ['x', 'y'], platform: 1 }, 201],
      ['/alias', { ...DEVICE, alias: 'b' }, 200],
      ['/tag', { ...DEVICE, tag: 'beta' }, 201],
      ['/tag/del', { ...DEVICE, tag: 'beta' }, 200],
      ['/geo', { ...DEVICE, lat: '1', lng: '2' }, 200],
      ['/badge', { ...DEVICE, setbadgecount: 3 }, 200],
      ['/stats', { platform: 0 }, 200],
      ['/activate', { ...DEVICE, active: ['news'] }, 200],
      ['/deactivate', { ...DEVICE, active: ['news'] }, 200],
      ['/alias/del', { platform: 0, alias: 'b' }, 200],
      ['/register', { token: 'z', platform: 1 }, 201],
      ['/deviceToken/del', { token: 'z', platform: 1 }, 200],
    ]
    for (const [path, body, status] of calls) expectSilent(await caller.put(path, body), status)
    expectSilent(await caller.post('/push/all', PUSH))
    expectSilent(await caller.post('/push/one', { ...DEVICE, msg: 'Hello' }))
    const limited = await old.put(
      '/stats',
      { platform: 0 },
      { application: old.addApplication('limited', { backendRate: 5 }) },
    )
    expect(limited.headers.get('ratelimit-limit')).toBe('1000')
  })

  test('leaves a failure its body, and a read its own', async () => {
    const caller = newCaller(old)
    expectFailure(await caller.put('/deviceToken', {}), 409, 'MissingParameter', 'token is required.')
    expectFailure(await caller.put('/tag', { ...DEVICE, tag: 'a' }), 404, 'ResourceNotFound', 'No device found')
    expect(await caller.get('/analytics')).toMatchObject({ status: 200, body: { t: 0, o: 0, s: 0 } })
    expect(await caller.get('/feedback')).toMatchObject({ status: 200, body: [] })
    expect(await caller.get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } })
  })

  test('without the switch is as the contract has it', async () => {
    const caller = newCaller(plain)
    expect(await caller.put('/deviceToken', DEVICE)).toMatchObject({ status: 201, body: DEVICE })
    expect(await caller.put('/stats', { platform: 0 })).toMatchObject({
      status: 200,
      body: { message: 'Open recorded' },
    })
  })
})

describe('PUT /deviceToken/batch', () => {
  test('is 201 also when all are known, and all are stored', async () => {
    const caller = newCaller(old)
    for (const _ of ['first', 'second']) {
      expectSilent(await caller.put('/deviceToken/batch', { tokens: ['a', 'b'], platform: 0, tags: 'x' }), 201)
    }
    expect(await recordsOf(caller)).toMatchObject([
      { token: 'a', tags: ['x'] },
      { token: 'b', tags: ['x'] },
    ])
  })
})

describe('POST /push/all and /push/one', () => {
  test('require msg and platform, /push/one a token, and nothing else', async () => {
    const caller = newCaller(old)
    await caller.put('/deviceToken', DEVICE)
    const before = pushesOf(old)
    const one = { ...DEVICE, msg: 'Hello' }
    for (const nothing of [undefined, null, '']) {
      const all = await caller.post('/push/all', { ...PUSH, msg: nothing })
      expectFailure(all, 409, 'MissingParameter', 'msg is required for a broadcast.')
      const nowhere = await caller.post('/push/all', { ...PUSH, platform: nothing })
      expectFailure(nowhere, 409, 'MissingParameter', 'platform is required for a broadcast.')
      for (const field of ['msg', 'platform', 'token']) {
        const answer = await caller.post('/push/one', { ...one, [field]: nothing })
        expectFailure(answer, 409, 'MissingParameter', `${field} is required.`)
      }
    }
    expect(pushesOf(old)).toBe(before)
    expectSilent(await caller.post('/push/all', PUSH))
    expectSilent(await caller.post('/push/one', one))
    expect(pushesOf(old)).toBe(before + 2)
  })

  test('take null and empty for sound and badge, an empty list for payload, and platforms that are no more', async () => {
    const unset = [{}, { sound: null, badge: null, payload: null }, { sound: '', badge: '', payload: [] }]
    for (const [index, rest] of unset.entries()) {
      const token = (index + 1).toString(16).padStart(64, '0')
      const caller = newCaller(old)
      await caller.put('/deviceToken', { token, platform: 0 })
      const sent = { ...PUSH, platform: [0, 1, 2, 3, 4, 5], tags: null, except_alias: null, ...rest }
      expectSilent(await caller.post('/push/all', sent))
      const [arrival] = await arrivalsAt(await old.server.simulator(), 1, (one) => one.token === token)
      expect(arrival).toMatchObject({ status: 200, reason: null })
      expect(JSON.stringify(arrival)).not.toContain('sound')
    }
  })

  test('a sound and a badge that are given count', async () => {
    const caller = newCaller(old)
    const token = 'f'.repeat(64)
    await caller.put('/deviceToken', { token, platform: 0 })
    expectSilent(await caller.post('/push/one', { token, platform: 0, msg: 42, sound: 'ping.aiff', badge: 7 }))
    const [arrival] = await arrivalsAt(await old.server.simulator(), 1, (one) => one.token === token)
    const shown = JSON.stringify(arrival)
    for (const part of ['"42"', 'ping.aiff', '7']) expect(shown).toContain(part)
  })

  test('a silent push, which those clients do not know, is none the louder', async () => {
    const caller = newCaller(old)
    const token = 'e'.repeat(64)
    await caller.put('/deviceToken', { token, platform: 0 })
    expectSilent(await caller.post('/push/one', { token, platform: 0, silent: true, payload: { article: 17 } }))
    const [arrival] = await arrivalsAt(await old.server.simulator(), 1, (one) => one.token === token)
    expect(arrival).toMatchObject({ status: 200, pushType: 'background' })
    expect(JSON.stringify(arrival?.body)).not.toMatch(/sound|badge|alert/)
  })

  test('without the switch a broadcast requires all four, and null, empty and unknown platforms are read', async () => {
    const caller = newCaller(plain)
    expectFailure(await caller.post('/push/all', PUSH), 409, 'MissingParameter', 'sound is required for a broadcast.')
    const sent = { ...PUSH, platform: [0, 1, 2, 3, 4, 5], sound: '', badge: '', payload: [], tags: null }
    expect(await caller.post('/push/all', sent)).toMatchObject({ status: 200, body: { message: 'Queued' } })
    expect(await caller.post('/push/all', { ...sent, platform: 1 })).toMatchObject({ status: 200 })
  })
})

describe('taking the alias of another device', () => {
  test.each([
    ['PUT /alias', '/alias', OTHER, 200],
    ['PUT /alias, on the same platform', '/alias', { token: 'third', platform: '0' }, 200],
    ['PUT /deviceToken of a known device', '/deviceToken', OTHER, 200],
    ['PUT /deviceToken of a new device', '/deviceToken', { token: 'new', platform: '1' }, 201],
    ['PUT /register', '/register', { token: 'new', platform: '1' }, 201],
  ] as const)('%s moves it, and only it', async (_, path, taker, status) => {
    const caller = newCaller(old)
    await caller.put('/deviceToken', { ...DEVICE, alias: 'user-17', tag: ['kept'] })
    await caller.put('/deviceToken', OTHER)
    await caller.put('/deviceToken', { token: 'third', platform: '0', alias: 'else' })
    const [holder] = await recordsOf(caller)
    clock.advance(1000)
    const body = { ...taker, alias: 'user-17' }
    expectSilent(await caller.put(path, body), status)
    const now = new Date(clock.now()).toISOString()
    const after = await recordsOf(caller)
    expect(after[0]).toEqual({ ...holder, alias: null, updated_at: now })
    expect(after.filter(({ alias }) => alias === 'user-17')).toMatchObject([{ token: taker.token, updated_at: now }])
    // Once there, it stays there.
    expectSilent(await caller.put(path, body))
    expect((await recordsOf(caller)).filter(({ alias }) => alias === 'user-17')).toHaveLength(1)
  })

  test('by current_alias renames and takes at once', async () => {
    const caller = newCaller(old)
    await caller.put('/deviceToken', { ...DEVICE, alias: 'old' })
    await caller.put('/deviceToken', { ...OTHER, alias: 'new' })
    expectSilent(await caller.put('/alias', { platform: 0, current_alias: 'old', alias: 'new' }))
    expect(await recordsOf(caller)).toMatchObject([{ alias: 'new' }, { alias: null }])
  })

  test('leaves it where it is when the taker is unknown, or two devices are named', async () => {
    const caller = newCaller(old)
    await caller.put('/deviceToken', { ...DEVICE, alias: 'user-17' })
    await caller.put('/deviceToken', { ...OTHER, alias: 'else' })
    const before = await recordsOf(caller)
    clock.advance(1000)
    const unknown = await caller.put('/alias', { token: 'nobody', platform: 0, alias: 'user-17' })
    expectFailure(unknown, 404, 'ResourceNotFound', 'No device found')
    await caller.put('/deviceToken', { token: 'third', platform: 1 })
    const two = { token: 'third', platform: 1, current_alias: 'else', alias: 'user-17' }
    expectFailure(
      await caller.put('/alias', two),
      409,
      'ConflictError',
      'token and current_alias name different devices.',
    )
    expect((await recordsOf(caller)).slice(0, 2)).toEqual(before)
  })

  test('is in one transaction: of calls at the same time the last has it, and nobody else', async () => {
    const caller = newCaller(old)
    const tokens = Array.from({ length: 10 }, (_, index) => `t${index}`)
    await caller.put('/deviceToken/batch', { tokens, platform: 1 })
    const answers = await Promise.all(tokens.map((token) => caller.put('/alias', { token, platform: 1, alias: 'one' })))
    for (const answer of answers) expectSilent(answer)
    expect((await recordsOf(caller)).filter(({ alias }) => alias === 'one')).toHaveLength(1)
  })

  test('concerns no other application', async () => {
    const [caller, other] = [newCaller(old), newCaller(old)]
    await caller.put('/deviceToken', { ...DEVICE, alias: 'user-17' })
    await other.put('/deviceToken', { ...OTHER, alias: 'user-17' })
    expect(await recordsOf(caller)).toMatchObject([{ alias: 'user-17' }])
  })

  test('needs no secret with the switch; without it neither PUT /alias nor PUT /deviceToken does it then', async () => {
    for (const [service, aliases] of [
      [old, [null, 'user-17']],
      [plain, ['user-17', null]],
    ] as const) {
      const caller = newCaller(service)
      await caller.put('/deviceToken', { ...DEVICE, alias: 'user-17' })
      await caller.put('/deviceToken', OTHER)
      const answer = await caller.put('/deviceToken', { ...OTHER, alias: 'user-17' }, 'device')
      expect(answer.status).toBe(200)
      expect((await recordsOf(caller)).map(({ alias }) => alias)).toEqual([...aliases])
    }
    const [caller, strict] = [newCaller(old), newCaller(plain)]
    for (const one of [caller, strict]) {
      await one.put('/deviceToken', { ...DEVICE, alias: 'user-17' })
      await one.put('/deviceToken', OTHER)
    }
    expectSilent(await caller.put('/alias', { ...OTHER, alias: 'user-17' }, 'device'))
    const taken = await strict.put('/alias', { ...OTHER, alias: 'user-17' }, 'device')
    expectFailure(taken, 409, 'ConflictError', 'alias belongs to another device of the application.')
  })
})

describe('a call that names a device by its alias alone', () => {
  test('needs no secret with the switch', async () => {
    const caller = newCaller(old)
    await caller.put('/deviceToken', { ...DEVICE, alias: 'user-17' })
    const named = { platform: 0, alias: 'user-17' }
    const calls: readonly (readonly [path: string, body: object, status: number])[] = [
      ['/tag', { ...named, tag: 'a' }, 201],
      ['/tag/del', { ...named, tag: 'a' }, 200],
      ['/activate', { ...named, active: 'n' }, 200],
      ['/deactivate', { ...named, active: 'n' }, 200],
      ['/alias', { platform: 0, current_alias: 'user-17', alias: 'user-18' }, 200],
      ['/alias/del', { ...named, alias: 'user-18' }, 200],
    ]
    for (const [path, body, status] of calls) expectSilent(await caller.put(path, body, 'device'), status)
    expect(await recordsOf(caller)).toMatchObject([{ alias: null }])
  })
})

describe('the device record', () => {
  test('has platform as a number, and tags beside tag, wherever it is read', async () => {
    const caller = newCaller(old)
    await caller.put('/deviceToken', { ...DEVICE, tag: ['b', 'a'], alias: 'x', lat: 1.5, lng: -2 })
    await caller.put('/deviceToken', OTHER)
    const times = { created_at: expect.any(String), updated_at: expect.any(String) }
    const first = { lat: '1.5', lng: '-2', active: [], tag: ['a', 'b'], tags: ['a', 'b'], alias: 'x', badge: 0 }
    const second = { lat: null, lng: null, active: [], tag: [], tags: [], alias: null, badge: 0 }
    const records = [
      { ...DEVICE, platform: 0, ...first, ...times },
      { ...OTHER, platform: 1, ...second, ...times },
    ]
    expect(await recordsOf(caller)).toMatchObject(records)
    expect((await caller.get('/deviceToken/all?limit=2')).body).toMatchObject(records)
    const { application } = caller
    const one = await old.get('/deviceToken/one', { application, headers: { token: DEVICE.token } })
    expect(one).toMatchObject({ status: 200, body: records[0] })
  })

  test('without the switch has platform as a string, and no tags', async () => {
    const caller = newCaller(plain)
    const record = await caller.register({ ...DEVICE, tag: ['a'] })
    expect(record).toMatchObject({ platform: '0', tag: ['a'] })
    expect(record).not.toHaveProperty('tags')
  })
})

describe('the further paths', () => {
  test('PUT /register is PUT /deviceToken', async () => {
    const caller = newCaller(old)
    expectSilent(await caller.put('/register', { ...DEVICE, tags: ['a'], uuid: 'x', timeZone: null }), 201)
    expectSilent(await caller.put('/register', { ...DEVICE, tags: ['b'] }))
    expect(await recordsOf(caller)).toMatchObject([{ token: DEVICE.token, tags: ['b'] }])
    expectFailure(await caller.put('/register', { platform: 0 }), 409, 'MissingParameter', 'token is required.')
    const nobody = await caller.put('/register', DEVICE, 'nobody')
    expectFailure(nobody, 400, 'InvalidHeader', 'Authentication headers not found.')
  })

  test('GET /devices is GET /deviceToken/all: with the secret, and with its pages', async () => {
    const caller = newCaller(old)
    await caller.put('/deviceToken/batch', { tokens: ['a', 'b', 'c'], platform: 1 })
    const all = await caller.get('/devices')
    expect([all.status, all.body]).toEqual([200, await recordsOf(caller)])
    const page = await caller.get('/devices?limit=2')
    expect(page.body).toHaveLength(2)
    expect(page.headers.get('link')).toMatch(/^<\?limit=2&after=\d+>; rel="next"$/)
    const { application } = caller
    const without = await old.get('/devices', { application, as: 'device' })
    expectFailure(without, 400, 'InvalidHeader', 'Authentication headers not found.')
  })

  test.each([
    ['token', { token: DEVICE.token }],
    ['alias', { alias: 'user-17' }],
    ['Alias', { Alias: 'user-17', token: null }],
  ] as const)('PUT /activate adds types and PUT /deactivate takes them away, by %s', async (_, named) => {
    const caller = newCaller(old)
    await caller.put('/deviceToken', { ...DEVICE, alias: 'user-17', active: ['a'], tag: ['b'] })
    await caller.put('/deviceToken', { ...OTHER, active: ['b'] })
    const active = async () => (await recordsOf(caller)).map((record) => record['active'])
    for (const [path, types, left] of [
      ['/activate', ['c', 'b', 'c'], ['a', 'b', 'c']],
      ['/activate', 'd', ['a', 'b', 'c', 'd']],
      ['/activate', [5], ['5', 'a', 'b', 'c', 'd']],
      ['/deactivate', ['b', 'never', '5'], ['a', 'c', 'd']],
      ['/deactivate', 'a', ['c', 'd']],
    ] as const) {
      expectSilent(await caller.put(path, { platform: 0, active: types, ...named }))
      expect(await active()).toEqual([left, ['b']])
    }
    expect((await recordsOf(caller))[0]).toMatchObject({ tag: ['b'] })
  })

  test('PUT /activate and /deactivate say what is missing, too much or unknown, and change nothing then', async () => {
    const caller = newCaller(old)
    const full = Array.from({ length: 100 }, (_, index) => String(index).padStart(3, '0'))
    await caller.put('/deviceToken', { ...DEVICE, active: full.slice(1) })
    const before = await recordsOf(caller)
    clock.advance(1000)
    for (const path of ['/activate', '/deactivate']) {
      const send = (change: object) => caller.put(path, { ...DEVICE, active: 'x', ...change })
      for (const active of [undefined, null, '', []]) {
        expectFailure(await send({ active }), 409, 'MissingParameter', 'active is required.')
      }
      expectFailure(await send({ token: null }), 409, 'MissingParameter', 'token is required, or alias.')
      expectFailure(await send({ platform: '' }), 409, 'MissingParameter', 'platform is required.')
      expectFailure(await send({ token: 'nobody' }), 404, 'ResourceNotFound', 'No device found')
      expectFailure(await send({ platform: 1 }), 404, 'ResourceNotFound', 'No device found')
      const bad = await send({ active: ['ok', {}] })
      expectFailure(bad, 400, 'InvalidArgument', 'active[1] must be a string, not an object.')
    }
    const beyond = await caller.put('/activate', { ...DEVICE, active: ['x', 'y'] })
    expectFailure(beyond, 400, 'InvalidArgument', 'active: a device can have at most 100 types.')
    expect(await recordsOf(caller)).toEqual(before)
  })

  test('PUT /alias/del removes the alias, by alias, by token, or by both', async () => {
    for (const named of [{ alias: 'user-17' }, { Alias: 'user-17' }, DEVICE, { ...DEVICE, alias: 'user-17' }]) {
      const caller = newCaller(old)
      await caller.put('/deviceToken', { ...DEVICE, alias: 'user-17', tag: ['kept'] })
      await caller.put('/deviceToken', { ...OTHER, alias: 'else' })
      expectSilent(await caller.put('/alias/del', { platform: 0, ...named }))
      expect(await recordsOf(caller)).toMatchObject([{ alias: null, tag: ['kept'] }, { alias: 'else' }])
    }
  })

  test('PUT /alias/del needs no platform', async () => {
    for (const named of [{ alias: 'user-17' }, { token: DEVICE.token }, { token: DEVICE.token, alias: 'user-17' }]) {
      for (const platform of [undefined, null, '']) {
        const caller = newCaller(old)
        await caller.put('/deviceToken', { ...DEVICE, alias: 'user-17', tag: ['kept'] })
        await caller.put('/deviceToken', { ...OTHER, alias: 'else' })
        expectSilent(await caller.put('/alias/del', { ...named, platform }))
        expect(await recordsOf(caller)).toMatchObject([{ alias: null, tag: ['kept'] }, { alias: 'else' }])
      }
    }
  })

  test('PUT /alias/del by a token that both platforms hold, without platform, removes the alias of both', async () => {
    const caller = newCaller(old)
    const [ios, android] = [
      { token: 'same', platform: 0 },
      { token: 'same', platform: 1 },
    ]
    await caller.put('/deviceToken', { ...ios, alias: 'a' })
    await caller.put('/deviceToken', { ...android, alias: 'b' })
    expectSilent(await caller.put('/alias/del', { ...android, alias: 'b' }))
    expect(await recordsOf(caller)).toMatchObject([{ alias: 'a' }, { alias: null }])
    await caller.put('/deviceToken', { ...android, alias: 'b' })
    expectSilent(await caller.put('/alias/del', { token: 'same', alias: 'a' }))
    expect(await recordsOf(caller)).toMatchObject([{ alias: null }, { alias: 'b' }])
    await caller.put('/deviceToken', { ...ios, alias: 'a' })
    expectSilent(await caller.put('/alias/del', { token: 'same' }))
    expect(await recordsOf(caller)).toMatchObject([{ alias: null }, { alias: null }])
  })

  test('PUT /alias/del says what is missing, unknown or at odds, and changes nothing then', async () => {
    const caller = newCaller(old)
    await caller.put('/deviceToken', { ...DEVICE, alias: 'user-17' })
    await caller.put('/deviceToken', { token: 'third', platform: 0, alias: 'else' })
    const before = await recordsOf(caller)
    clock.advance(1000)
    const send = (body: object) => caller.put('/alias/del', { platform: 0, ...body })
    expectFailure(await send({}), 409, 'MissingParameter', 'alias is required, or token.')
    expectFailure(await send({ alias: 'nobody' }), 404, 'ResourceNotFound', 'No device found')
    expectFailure(await send({ alias: 'user-17', platform: 1 }), 404, 'ResourceNotFound', 'No device found')
    const two = await send({ token: 'third', alias: 'user-17' })
    expectFailure(two, 409, 'ConflictError', 'token and alias name different devices.')
    expect(await recordsOf(caller)).toEqual(before)
  })

  test('do not exist without the switch', async () => {
    for (const path of ['/register', '/activate', '/deactivate', '/alias/del']) {
      expectFailure(await plain.put(path, DEVICE), 404, 'ResourceNotFound', `${path} does not exist`)
    }
    expectFailure(await plain.get('/devices'), 404, 'ResourceNotFound', '/devices does not exist')
  })
})

describe('what loose clients send', () => {
  test('is read with the switch: digits for a string, one element for a scalar, and the other way round', async () => {
    const caller = newCaller(old)
    const calls: readonly (readonly [path: string, body: object, status: number])[] = [
      ['/deviceToken', { token: 12345, platform: [1], alias: 17, tag: [5, 'x'], active: 7, lat: 1.5, lng: ['2'] }, 201],
      [
        '/deviceToken',
        { token: ['12345'], platform: ['1'], tag: null, active: null, lat: null, lng: null, alias: null },
        200,
      ],
      ['/tag', { platform: 1, Alias: 17, tag: ['y'] }, 201],
      ['/tag', { platform: 1, alias: [17], tag: 6, token: '' }, 201],
      ['/tag/del', { platform: [1], token: 12345, tag: [5] }, 200],
      ['/alias', { platform: 1, current_alias: 17, alias: 18 }, 200],
      ['/badge', { platform: 1, token: 12345, setbadgecount: ['4'] }, 200],
      ['/geo', { platform: 1, token: 12345, lat: '3', lng: 4 }, 200],
      ['/deviceToken/batch', { tokens: 678, platform: [1], tags: 9 }, 201],
      ['/stats', { platform: ['1'], token: 12345, stats: '' }, 200],
    ]
    for (const [path, body, status] of calls) expectSilent(await caller.put(path, body), status)
    expect(await recordsOf(caller)).toMatchObject([
      { token: '12345', platform: 1, alias: '18', tag: ['6', 'x', 'y'], active: ['7'], badge: 4, lat: '3', lng: '4' },
      { token: '678', platform: 1, tag: ['9'] },
    ])
    expectSilent(await caller.post('/push/one', { platform: [1], token: 12345, msg: 42 }))
    expectSilent(await caller.post('/push/all', { platform: '1', msg: ['Hello'], tags: 9, alias: null, active: null }))
    const simulator = await old.server.simulator()
    for (const [token, msg] of [
      ['12345', '42'],
      ['678', 'Hello'],
    ] as const) {
      const [arrival] = await arrivalsAt(simulator, 1, (one) => one.token === token)
      expect(JSON.stringify(arrival?.body)).toContain(`"${msg}"`)
    }
  })

  test('is read without its empty members, where another remains', async () => {
    const caller = newCaller(old)
    await caller.put('/deviceToken', { ...DEVICE, tag: ['', 'a', '', 'b'], active: ['news', ''] })
    await caller.put('/deviceToken', { ...OTHER, tags: ['', 'c'] })
    await caller.put('/tag', { ...DEVICE, tag: ['', 'd'] })
    await caller.put('/deviceToken/batch', { tokens: ['third'], platform: 0, tags: ['', 'e'] })
    expect(await recordsOf(caller)).toMatchObject([
      { tag: ['a', 'b', 'd'], active: ['news'] },
      { tag: ['c'] },
      { tag: ['e'] },
    ])
    const { body } = await caller.post('/push/preview', {
      ...PUSH,
      tags: ['a', '', 'c'],
      except_tags: ['', 'e'],
      active: ['', 'news'],
    })
    expect(body.t).toBe(1)
    const before = pushesOf(old)
    for (const field of ['tags', 'except_tags', 'active', 'except_active']) {
      const answer = await caller.post('/push/all', { ...PUSH, [field]: ['', ''] })
      expectFailure(answer, 400, 'InvalidArgument', `${field}[0] must be 1 to 256 characters, not empty.`)
    }
    expect(pushesOf(old)).toBe(before)
    const bad = await caller.put('/deviceToken/batch', { tokens: ['x', ''], platform: 0 })
    expectFailure(bad, 400, 'InvalidArgument', 'tokens[1] must not be empty.')
    const strict = await newCaller(plain).put('/deviceToken', { ...DEVICE, tag: ['', 'a'] })
    expectFailure(strict, 400, 'InvalidArgument', 'tag[0] must be 1 to 256 characters, not empty.')
  })

  test('is read, where it is not UTF-8, with replacement characters', async () => {
    const caller = newCaller(old)
    const inLatin1 = (body: object) => new Uint8Array(Buffer.from(JSON.stringify(body), 'latin1'))
    for (const type of ['application/json', 'application/json; charset=iso-8859-1']) {
      const body = inLatin1({ ...DEVICE, tag: ['café'] })
      const { application } = caller
      const answer = await old.put('/deviceToken', body, { application, headers: { 'content-type': type } })
      expect([200, 201]).toContain(answer.status)
      expect(await recordsOf(caller)).toMatchObject([{ tag: ['caf\ufffd'] }])
    }
    const utf8 = new TextEncoder().encode(JSON.stringify({ ...DEVICE, tag: ['café'] }))
    const headers = { 'content-type': 'application/json' }
    await old.put('/deviceToken', utf8, { application: caller.application, headers })
    expect(await recordsOf(caller)).toMatchObject([{ tag: ['café'] }])
    const refused = await plain.put('/deviceToken', inLatin1({ ...DEVICE, tag: ['café'] }), { headers })
    expectFailure(refused, 400, 'InvalidContent', 'Invalid JSON: it is not UTF-8')
    const compressed = await old.put('/deviceToken', Bun.gzipSync(utf8), { headers })
    expect(compressed).toMatchObject({ status: 400, body: { code: 'InvalidContent' } })
    expect(compressed.body.message).toStartWith('Invalid JSON: ')
  })

  test('is refused where it is not clear', async () => {
    const caller = newCaller(old)
    const refused: readonly (readonly [change: object, message: string])[] = [
      [{ alias: ['a', 'b'] }, 'alias must be a string, not an array.'],
      [{ alias: [] }, 'alias must be a string, not an array.'],
      [{ alias: true }, 'alias must be a string, not true.'],
      [{ alias: { a: 1 } }, 'alias must be a string, not an object.'],
      [{ alias: -1 }, 'alias must be a string, not -1.'],
      [{ alias: 2 ** 53 }, 'alias must be a string, not 9007199254740992.'],
      [{ platform: [0, 1] }, 'platform must be "0" (iOS), "1" (Android) or "2" (Web), not an array.'],
      [{ platform: 3 }, 'platform must be "0" (iOS), "1" (Android) or "2" (Web), not "3".'],
      [{ tag: ['a', null] }, 'tag[1] must be a string, not null.'],
    ]
    for (const [change, message] of refused) {
      expectFailure(await caller.put('/deviceToken', { ...DEVICE, ...change }), 400, 'InvalidArgument', message)
    }
    const decrement = await caller.post('/push/all', { ...PUSH, badge: -1 })
    expectFailure(
      decrement,
      400,
      'InvalidArgument',
      'badge must be a whole number from 0 to 2147483647, "+n", "-n" or "", not -1.',
    )
    expect(await recordsOf(caller)).toEqual([])
  })

  test('is refused without the switch, but for what is always read', async () => {
    const caller = newCaller(plain)
    const refused: readonly (readonly [change: object, message: string])[] = [
      [{ token: 5 }, 'token must be a string, not 5.'],
      [{ alias: 17 }, 'alias must be a string, not 17.'],
      [{ alias: ['a'] }, 'alias must be a string, not an array.'],
      [{ tag: [5] }, 'tag[0] must be a string, not 5.'],
      [{ platform: [0] }, 'platform must be "0" (iOS), "1" (Android) or "2" (Web), not an array.'],
    ]
    for (const [change, message] of refused) {
      expectFailure(await caller.put('/deviceToken', { ...DEVICE, ...change }), 400, 'InvalidArgument', message)
    }
    const always = { platform: 0, lat: 1, lng: '2', tags: 'x', active: 'y', alias: null, Alias: 'z', model: 'unknown' }
    expect(await caller.register({ ...DEVICE, ...always })).toMatchObject({ tag: ['x'], active: ['y'], alias: 'z' })
    expect(await caller.put('/tag', { ...DEVICE, tag: ['a'] })).toMatchObject({ status: 201 })
  })

  test.each([
    ['with the switch', () => old],
    ['without', () => plain],
  ])('may be a GET with a body and no type, a doubled slash, a write without a body: %s', async (_, which) => {
    const service = which()
    const { id, secret } = service.application
    using connection = await connectTo(service.url)
    for (const [body, ...more] of [['{"platform":'], ['{}', 'Content-Type: text/plain'], ['', 'Content-Length: 0']]) {
      const length = body === '' ? [] : [`Content-Length: ${body?.length}`]
      await connection.write(`${headOf('GET //deviceToken///all', { id, secret }, ...length, ...more)}${body}`)
      expect(await connection.answer()).toMatchObject({ status: 200 })
    }
    await connection.write(headOf('PUT //stats', { id, secret }, 'Content-Length: 0'))
    const { status, body } = await connection.answer()
    expect([status, JSON.parse(body)]).toEqual([409, { code: 'MissingParameter', message: 'platform is required.' }])
    const doubled = await service.put('//deviceToken//del', DEVICE)
    expect(doubled.status).toBe(200)
  })
})

describe('a header prefix', () => {
  const credentials = (service: Service, name: string) => ({
    [`x-${name}-appid`]: service.application.id,
    [`x-${name}-secret`]: service.application.secret,
  })
  const NOT_FOUND = 'Authentication headers not found.'

  test('lets its headers in beside those of SERVICE, in any letter case', async () => {
    for (const name of ['service', 'acme', 'ACME', 'old-name', 'Old-Name']) {
      const answer = await old.get('/analytics', { as: 'nobody', headers: credentials(old, name) })
      expect([name, answer.status]).toEqual([name, 200])
    }
    for (const name of ['other', 'x-acme', 'old']) {
      const answer = await old.get('/analytics', { as: 'nobody', headers: credentials(old, name) })
      expectFailure(answer, 400, 'InvalidHeader', NOT_FOUND)
    }
    const unprefixed = await plain.get('/analytics', { as: 'nobody', headers: credentials(plain, 'acme') })
    expectFailure(unprefixed, 400, 'InvalidHeader', NOT_FOUND)
  })

  test('asks for the secret where it is asked for, and refuses a wrong one', async () => {
    const { 'x-acme-appid': id = '' } = credentials(old, 'acme')
    const device = { as: 'nobody', headers: { 'x-acme-appid': id } } as const
    expectFailure(await old.get('/devices', device), 400, 'InvalidHeader', NOT_FOUND)
    expectSilent(await old.put('/stats', { platform: 0 }, device))
    const wrong = await old.get('/devices', { as: 'nobody', headers: { 'x-acme-appid': id, 'x-acme-secret': 'wrong' } })
    expectFailure(wrong, 401, 'InvalidCredentials', 'Application ID and/or Secret unauthorized.')
  })

  test('of several that say something else SERVICE counts first, then their order; an empty one says nothing', async () => {
    const right = credentials(old, 'service')
    const wrong = (name: string) => ({ [`x-${name}-appid`]: 'app_wrong', [`x-${name}-secret`]: 'wrong' })
    const get = async (headers: Record<string, string>) =>
      (await old.get('/analytics', { as: 'nobody', headers })).status
    expect(await get({ ...right, ...wrong('acme') })).toBe(200)
    expect(await get({ ...credentials(old, 'acme'), ...wrong('old-name') })).toBe(200)
    expect(await get({ ...credentials(old, 'acme'), ...wrong('service') })).toBe(401)
    expect(await get({ ...credentials(old, 'old-name'), ...wrong('acme') })).toBe(401)
    const empty = { 'x-service-appid': '', 'x-service-secret': '' }
    expect(await get({ ...credentials(old, 'acme'), ...empty })).toBe(200)
  })

  test('needs no switch, and changes nothing else', async () => {
    await using service = await startService({ clock, config: { headerPrefix: ['ACME'] } })
    const headers = credentials(service, 'acme')
    expect(await service.put('/deviceToken', DEVICE, { as: 'nobody', headers })).toMatchObject({
      status: 201,
      body: { platform: '0' },
    })
    const call = { as: 'nobody', headers: { ...headers, 'accept-version': null } } as const
    expectFailure(await service.get('/analytics', call), 400, 'InvalidHeader', 'Accept-Version header is required.')
    const { body } = await service.get('/openapi.json')
    const { appId, secret } = body.components.securitySchemes
    expect(appId).toMatchObject({
      name: 'X-SERVICE-APPID',
      description: 'Application ID. Also read from X-ACME-APPID.',
    })
    expect(secret).toMatchObject({ description: 'Application secret. Also read from X-ACME-SECRET.' })
  })
})

describe('the documentation with the switch', () => {
  const EXTRA = ['GET /devices', 'PUT /activate', 'PUT /alias/del', 'PUT /deactivate', 'PUT /register']
  const named = (document: Json) => operationsOf(document).map(({ method, path }) => `${method} ${path}`)
  const exampleOf = (detail: Json) => detail['requestBody']?.content['application/json'].example

  test('has the further paths, and without the switch it has not', async () => {
    const [with_, without] = [(await old.get('/openapi.json')).body, (await plain.get('/openapi.json')).body]
    expect(faultsOf(with_)).toEqual([])
    expect(
      named(with_)
        .filter((name) => !named(without).includes(name))
        .toSorted(),
    ).toEqual(EXTRA)
    expect(with_.info.description).toContain('--compat')
    expect(without.info.description).not.toContain('--compat')
  })

  test('says what the service does: versions, required fields, empty bodies, records', async () => {
    const { body: document } = await old.get('/openapi.json')
    for (const { method, path, detail } of operationsOf(document)) {
      const name = `${method} ${path}`
      const version = detail['parameters'].find((one: Json) => one['name'] === 'Accept-Version')
      expect({ name, version }).toMatchObject({ name, version: { required: false } })
    }
    const { paths } = document
    const one = paths['/push/one'].post.requestBody.content['application/json'].schema
    expect(one.required).toEqual(['platform', 'msg'])
    for (const path of ['/deviceToken/all', '/devices']) {
      const [record] = paths[path].get.responses[200].content['application/json'].example
      expect(record).toMatchObject({ platform: 0, tag: ['beta', 'plan:pro'], tags: ['beta', 'plan:pro'] })
    }
    expect(paths['/devices'].get).toMatchObject({ description: 'The same as GET /deviceToken/all.' })
  })

  test('gives examples that the service takes, and answers as described', async () => {
    const { body: document } = await old.get('/openapi.json')
    const application = old.addApplication('examples')
    const operations = operationsOf(document).toSorted(
      (a, b) => Number(b.path === '/register') - Number(a.path === '/register'),
    )
    for (const { method, path, detail } of operations) {
      if (!EXTRA.includes(`${method} ${path}`)) continue
      await old.put('/deviceToken', { ...exampleOf(document['paths']['/deviceToken'].put) }, { application })
      const answer = await old.call(method, path, {
        application,
        ...(exampleOf(detail) && { body: exampleOf(detail) }),
      })
      expect([path, answer.status, Object.keys(detail['responses'])]).toEqual([
        path,
        200,
        expect.arrayContaining(['200']),
      ])
      const described = detail['responses'][200].content
      if (answer.body === '') expect([path, described]).toEqual([path, undefined])
      else {
        const { schema, example } = described['application/json']
        expect([path, misfits(document, schema, answer.body)]).toEqual([path, []])
        expect(Object.keys(answer.body[0])).toEqual(Object.keys(example[0]))
      }
    }
  })
})
