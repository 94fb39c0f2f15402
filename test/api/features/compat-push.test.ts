import { describe, expect, test } from 'bun:test'
import { arrivalsAt, arrivalsOf } from '../../support/arrivals.ts'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { expectFailure } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import { startService } from '../../support/service.ts'
import type { Answer } from '../../support/service.ts'

const [A, B, C] = ['a1', 'b2', 'c3'].map((byte) => byte.repeat(32)) as [string, string, string]
const PHONE = 'android:registration-id'
const BOTH = ['0', '1']

const clock = createFakeClock()
const service = await fileService({ clock, config: { compat: true } })

/** With three iPhones, of which the first two have the tag `beta`, and an Android. */
async function newTarget(): Promise<Caller> {
  const caller = newCaller(service)
  for (const token of [A, B, C]) {
    await caller.put('/deviceToken', { token, platform: 0, ...(token !== C && { tag: 'beta' }) })
  }
  await caller.put('/deviceToken', { token: PHONE, platform: 1 })
  return caller
}

/** The newest push of an application: success says no id. */
async function newestOf({ application }: Caller, at = service) {
  const [newest] = (await at.get('/pushes?limit=1', { application })).body
  return newest
}

/** Whom an accepted push has reached when it is over, sorted. */
async function reached(caller: Caller, answer: Answer, at = service): Promise<string[]> {
  expect([answer.status, answer.body]).toEqual([200, ''])
  const { id } = await newestOf(caller, at)
  return (await arrivalsOf(at, id)).map(({ token }) => token).sort()
}

function pushes(): number {
  return service.database.reading<{ n: number }, []>('SELECT count(*) AS n FROM push').get()?.n ?? 0
}

describe('token and tokens in /push/all with --compat', () => {
  test('address those devices, and nobody else', async () => {
    const caller = await newTarget()
    const sent: readonly (readonly [named: object, tokens: readonly string[]])[] = [
      [{ token: B }, [B]],
      [{ tokens: B }, [B]],
      [{ token: [A, B] }, [A, B]],
      [{ tokens: [C, A] }, [A, C]],
      [{ tokens: [A, PHONE] }, [A, PHONE]],
      [{ tokens: [A, PHONE], platform: '1' }, [PHONE]],
      [{ token: A, tokens: [A, C, C] }, [A, C]],
    ]
    for (const [named, tokens] of sent) {
      const answer = await caller.post('/push/all', { platform: BOTH, msg: 'Hello', ...named })
      expect(await reached(caller, answer)).toEqual(tokens.toSorted())
      const { t, s, state } = await newestOf(caller)
      expect({ t, s, state }).toEqual({ t: tokens.length, s: tokens.length, state: 'finished' })
    }
    // As with any filter, both platforms where none is named.
    expect(await reached(caller, await caller.post('/push/all', { msg: 'x', tokens: [A, PHONE] }))).toEqual([A, PHONE])
  })

  test('narrow together with the filters', async () => {
    const caller = await newTarget()
    const push = { platform: BOTH, msg: 'Hello', tokens: [A, C, PHONE] }
    expect(await reached(caller, await caller.post('/push/all', { ...push, tags: 'beta' }))).toEqual([A])
    expect(await reached(caller, await caller.post('/push/all', { ...push, except_tags: ['beta'] }))).toEqual(
      [C, PHONE].toSorted(),
    )
  })

  test('skip those that are not registered; where none is, it is 200 and over at once', async () => {
    const caller = await newTarget()
    const push = { platform: BOTH, msg: 'Hello' }
    expect(await reached(caller, await caller.post('/push/all', { ...push, tokens: ['x', B, 'y'] }))).toEqual([B])
    for (const tokens of [['x', 'y'], []]) {
      expect(await reached(caller, await caller.post('/push/all', { ...push, tokens }))).toEqual([])
      expect(await newestOf(caller)).toMatchObject({ t: 0, s: 0, state: 'finished' })
    }
    const other = newCaller(service)
    expect(await reached(other, await other.post('/push/all', { ...push, tokens: [A, B] }))).toEqual([])
  })

  test('are refused where they are none, or empty: nobody pushes to everybody by an empty variable', async () => {
    const caller = await newTarget()
    const before = pushes()
    const send = (named: object) => caller.post('/push/all', { platform: BOTH, msg: 'Hello', ...named })
    const refused: readonly (readonly [named: object, message: string])[] = [
      [{ token: '' }, 'token[0] must not be empty.'],
      [{ tokens: '' }, 'tokens[0] must not be empty.'],
      [{ tokens: [A, ''] }, 'tokens[1] must not be empty.'],
      [{ tokens: [A, { a: 1 }] }, 'tokens[1] must be a string, not an object.'],
      [{ tokens: [A, 'a b'] }, 'tokens[1] must not contain white space or control characters.'],
      [{ tokens: Array(1001).fill('x') }, 'tokens must have at most 1000 entries, not 1001.'],
    ]
    for (const [named, message] of refused) expectFailure(await send(named), 400, 'InvalidArgument', message)
    expect(pushes()).toBe(before)
  })

  test('may be a thousand, which come in pages', async () => {
    const caller = await newTarget()
    const tokens = Array.from({ length: 1000 }, (_, index) => index.toString(16).padStart(64, '0'))
    for (const half of [tokens.slice(0, 500), tokens.slice(500)]) {
      await caller.put('/deviceToken/batch', { tokens: half, platform: 0 })
    }
    const answer = await caller.post('/push/all', { platform: BOTH, msg: 'x', tokens })
    expect(await reached(caller, answer)).toEqual(tokens)
    expect(await newestOf(caller)).toMatchObject({ t: 1000, s: 1000, state: 'finished' })
  })

  test('count for confirm-above, and for the preview', async () => {
    const application = service.addApplication('confirmed', { confirmAbove: 1 })
    for (const token of [A, B, C]) await service.put('/deviceToken', { token, platform: 0 }, { application })
    const send = (path: string, body: object) => service.post(path, { platform: BOTH, ...body }, { application })
    expect(await send('/push/all', { msg: 'x', tokens: [A, 'unknown'] })).toMatchObject({ status: 200 })
    const refused = await send('/push/all', { msg: 'x', tokens: [A, B] })
    const message = 'The push addresses 2 devices, more than confirm-above 1: repeat it with "confirm": 2.'
    expectFailure(refused, 409, 'ConflictError', message)
    const { body } = await send('/push/preview', { msg: 'x', tokens: [C, B, 'unknown'] })
    expect(body).toMatchObject({ t: 2, platforms: { 0: 2, 1: 0 }, sample: [{ token: B }, { token: C }] })
  })

  test('are what a device is explained by', async () => {
    const caller = await newTarget()
    await reached(caller, await caller.post('/push/all', { platform: BOTH, msg: 'x', tokens: [A, B] }))
    const { id } = await newestOf(caller)
    const why = async (token: string) => {
      const { application } = caller
      return (await service.get(`/push/${id}/device`, { application, headers: { token } })).body
    }
    expect(await why(A)).toMatchObject({ verdict: 'accepted' })
    expect(await why(C)).toMatchObject({ verdict: 'excluded', excluded_by: ['tokens'] })
    expect((await why(C)).explanation).toContain('it is not one of the devices whose tokens the push names')
  })

  test('are kept over a restart, while the push waits', async () => {
    const own = createFakeClock()
    await using first = await startService({ clock: own, config: { compat: true } })
    for (const token of [A, B, C]) await first.put('/deviceToken', { token, platform: 0 })
    const push = { msg: 'x', schedule: own.now() + 60_000 }
    const all = await first.post('/push/all', { ...push, platform: BOTH, tokens: [A, C, 'unknown'] })
    const one = await first.post('/push/one', { ...push, platform: 0, tokens: [A, B] })
    expect([all.status, one.status]).toEqual([200, 200])
    const waiting: { id: string }[] = (await first.get('/pushes')).body
    expect(waiting).toMatchObject([{ state: 'scheduled' }, { state: 'scheduled' }])
    own.set(own.now() + 60_000)
    await using second = await first.restart()
    const simulator = await second.server.simulator()
    for (const [index, tokens] of [
      [A, B],
      [A, C],
    ].entries()) {
      const id = waiting[index]?.id ?? ''
      await arrivalsAt(simulator, 2, ({ collapse }) => collapse === id)
      expect((await arrivalsOf(second, id)).map(({ token }) => token).sort()).toEqual(tokens)
      expect((await second.get(`/push/${id}`)).body).toMatchObject({ t: 2, s: 2, state: 'finished' })
    }
  })
})

describe('tokens in /push/one with --compat', () => {
  test('address those devices of the platform; token besides is one more', async () => {
    const caller = await newTarget()
    const one = { platform: [0], msg: 'Hello' }
    expect(await reached(caller, await caller.post('/push/one', { ...one, tokens: [C, A, A, PHONE] }))).toEqual([A, C])
    expect(await newestOf(caller)).toMatchObject({ t: 2, s: 2, state: 'finished' })
    expect(await reached(caller, await caller.post('/push/one', { ...one, tokens: B }))).toEqual([B])
    expect(await reached(caller, await caller.post('/push/one', { ...one, token: B, tokens: [C] }))).toEqual([B, C])
  })

  test('of which none is registered are 404, as a token is', async () => {
    const caller = await newTarget()
    const before = pushes()
    for (const tokens of [['x', 'y'], [PHONE]]) {
      const answer = await caller.post('/push/one', { platform: 0, msg: 'Hello', tokens })
      expectFailure(answer, 404, 'ResourceNotFound', 'No device found')
    }
    for (const tokens of [[], '', null]) {
      const answer = await caller.post('/push/one', { platform: 0, msg: 'Hello', tokens })
      expectFailure(answer, 409, 'MissingParameter', 'token is required.')
    }
    expect(pushes()).toBe(before)
  })
})

describe('geo in a push with --compat', () => {
  test('is 400, since it was to narrow the push', async () => {
    const caller = await newTarget()
    const before = pushes()
    const message = 'geo is not read: near says it, {"lat": "52.52", "lng": "13.405", "radius_km": 25}.'
    for (const geo of [{ lat: 1, lng: 2, radius: 3 }, [1, 2], 'x', {}]) {
      const all = await caller.post('/push/all', { platform: BOTH, msg: 'x', geo })
      expectFailure(all, 400, 'InvalidArgument', message)
      const one = await caller.post('/push/one', { platform: 0, token: A, msg: 'x', geo })
      expectFailure(one, 400, 'InvalidArgument', message)
    }
    expect(pushes()).toBe(before)
    const nothing = await caller.post('/push/all', { platform: BOTH, msg: 'x', geo: null })
    expect(await reached(caller, nothing)).toHaveLength(4)
  })
})

describe('schedule in a push with --compat', () => {
  const iso = (at: number) => new Date(at).toISOString()

  test('is when it goes out: with an offset, in UTC without one, or in milliseconds', async () => {
    const caller = await newTarget()
    const at = Math.floor(clock.now() / 60_000) * 60_000 + 24 * 60 * 60_000
    const [utc, berlin] = [iso(at), iso(at + 60 * 60_000)]
    const forms = [
      utc,
      utc.slice(0, 19),
      utc.slice(0, 16),
      utc.slice(0, 19).replace('T', ' '),
      `${berlin.slice(0, 19)}+01:00`,
      at,
      String(at),
    ]
    for (const schedule of forms) {
      for (const [path, to] of [
        ['/push/all', { platform: BOTH }],
        ['/push/one', { platform: 0, token: A }],
      ] as const) {
        expect(await caller.post(path, { ...to, msg: 'x', schedule })).toMatchObject({ status: 200, body: '' })
        expect([schedule, (await newestOf(caller)).send_at]).toEqual([schedule, iso(at)])
      }
    }
    await caller.post('/push/all', { platform: BOTH, msg: 'x', schedule: utc.slice(0, 10) })
    expect((await newestOf(caller)).send_at).toBe(`${utc.slice(0, 10)}T00:00:00.000Z`)
  })

  test('that is past, however long, is at once', async () => {
    const caller = await newTarget()
    for (const schedule of ['2001-01-01T00:00:00Z', '2001-01-01', 1000, clock.now() - 1, clock.now()]) {
      const answer = await caller.post('/push/all', { platform: BOTH, msg: 'x', schedule, tokens: [A] })
      expect(await reached(caller, answer)).toEqual([A])
      expect((await newestOf(caller)).send_at).toBeNull()
    }
    expectFailure(
      await caller.post('/push/all', { platform: BOTH, msg: 'x', send_at: '2001-01-01T00:00:00Z' }),
      400,
      'InvalidArgument',
      'send_at must not be more than 60 seconds past.',
    )
  })

  test('is refused where it cannot be read, lies too far ahead, or stands beside another', async () => {
    const caller = await newTarget()
    const before = pushes()
    const send = (more: object) => caller.post('/push/all', { platform: BOTH, msg: 'x', ...more })
    for (const [schedule, shown] of [
      ['tomorrow', '"tomorrow"'],
      ['2026-02-30T00:00:00Z', '"2026-02-30T00:00:00Z"'],
      ['2026-12-24T25:00', '"2026-12-24T25:00"'],
      [-1, '-1'],
      [{}, 'an object'],
      [true, 'true'],
    ] as const) {
      const message = `schedule must be a time, such as 2026-12-24T09:00:00Z, or milliseconds since 1970, not ${shown}.`
      expectFailure(await send({ schedule }), 400, 'InvalidArgument', message)
    }
    const far = await send({ schedule: clock.now() + 91 * 24 * 60 * 60_000 })
    expectFailure(far, 400, 'InvalidArgument', 'schedule must be at most 90 days ahead.')
    const both = await send({ schedule: clock.now(), send_at: 60 })
    expectFailure(both, 400, 'InvalidArgument', "schedule can't be combined with send_at.")
    expect(pushes()).toBe(before)
  })
})

describe('an unknown field of a push with --compat', () => {
  test('is ignored, as the original service did', async () => {
    const caller = await newTarget()
    const more = { tag: ['nobody'], colour: 'red', segment: 1 }
    const all = await caller.post('/push/all', { platform: 0, msg: 'x', ...more })
    expect(await reached(caller, all)).toEqual([A, B, C])
    const one = await caller.post('/push/one', { platform: 0, token: A, msg: 'x', tags: ['nobody'], ...more })
    expect(await reached(caller, one)).toEqual([A])
  })
})

describe('the description with --compat', () => {
  test('has the fields that only clients of the original service know', async () => {
    const { paths } = (await service.get('/openapi.json')).body
    for (const path of ['/push/all', '/push/one', '/push/preview']) {
      const { schema } = paths[path].post.requestBody.content['application/json']
      expect(Object.keys(schema.properties)).toContain('tokens')
      expect(Object.keys(schema.properties)).toContain('schedule')
      expect(schema).not.toHaveProperty('additionalProperties')
    }
  })
})
