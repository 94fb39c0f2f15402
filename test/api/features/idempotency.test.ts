import { describe, expect, test } from 'bun:test'
import { arrivalsAt, arrivalsOf } from '../../support/arrivals.ts'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { connectTo, headOf } from '../../support/raw-connection.ts'
import { expectFailure } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import { startService } from '../../support/service.ts'
import type { Answer } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const IOS = { platform: '0', token: 'a1'.repeat(32) }
const HELLO = { msg: 'Hello', sound: 'default', badge: '1' }
const TO_ONE = { ...IOS, ...HELLO }
const TO_ALL = { platform: '0', ...HELLO }

const clock = createFakeClock()
const service = await fileService({ clock })

async function newTarget(): Promise<Caller> {
  const caller = newCaller(service)
  await caller.register(IOS)
  return caller
}

function push({ application }: Caller, path: string, body: object, key: string, at = service): Promise<Answer> {
  return at.post(path, body, { application, headers: { 'idempotency-key': key } })
}

function pushesOf({ application }: Caller, at = service): number {
  const count = at.database.reading<{ n: number }, [string]>(
    'SELECT count(*) AS n FROM push p JOIN application a ON a.number = p.application WHERE a.id = ?',
  )
  return count.get(application.id)?.n ?? 0
}

function usedOtherwise(key: string): string {
  return `Idempotency-Key ${key} was used for another push: with another path or body.`
}

describe('Idempotency-Key', () => {
  for (const [path, body] of [
    ['/push/one', TO_ONE],
    ['/push/all', TO_ALL],
  ] as const) {
    test(`answers a repeat of ${path} as the first time, and sends nothing more`, async () => {
      const caller = await newTarget()
      const first = await push(caller, path, body, 'order-17')
      expect(first).toMatchObject({ status: 200, body: { message: 'Queued' } })
      await arrivalsOf(service, first.body.id)
      const again = await push(caller, path, body, 'order-17')
      expect([again.status, again.body]).toEqual([200, first.body])
      expect(pushesOf(caller)).toBe(1)
      expect(await arrivalsOf(service, first.body.id)).toHaveLength(1)
    })
  }

  test('does not mind the order of members, white space, what is null under an unknown name, and replace', async () => {
    const caller = await newTarget()
    const payload = { a: { b: 1, c: [1, { d: 2, e: 3 }] }, f: null }
    const first = await push(caller, '/push/one', { ...TO_ONE, payload }, 'k')
    const shuffled = {
      payload: { f: null, a: { c: [1, { e: 3, d: 2 }], b: 1 } },
      ...Object.fromEntries(Object.entries(TO_ONE).toReversed()),
      colour: null,
    }
    const again = await service.post('/push/one', JSON.stringify({ ...shuffled, replace: true }, null, 2), {
      application: caller.application,
      headers: { 'idempotency-key': 'k' },
    })
    expect([again.status, again.body]).toEqual([200, first.body])
  })

  test('is not used up by a body that is nested too deep', async () => {
    const caller = await newTarget()
    const body = (deep: string) => JSON.stringify({ ...TO_ALL, platform: ['0', '…'] }).replace('"…"', deep)
    const send = (levels: number) =>
      service.post('/push/all', body('['.repeat(levels) + ']'.repeat(levels)), {
        application: caller.application,
        headers: { 'idempotency-key': 'deep' },
      })
    expectFailure(
      await send(120_000),
      400,
      'InvalidContent',
      'The body is nested 120001 levels deep: at most 64 are allowed.',
    )
    const first = await send(60)
    expect(first).toMatchObject({ status: 200, body: { message: 'Queued' } })
    expect((await send(60)).body).toEqual(first.body)
    expectFailure(await send(59), 409, 'ConflictError', usedOtherwise('deep'))
  })

  test('makes up for answers that get lost: of calls written at once, each is done once when it is repeated', async () => {
    const caller = await newTarget()
    const keys = ['first', 'second', 'third']
    {
      using connection = await connectTo(service.url)
      const body = JSON.stringify(TO_ONE)
      const calls = keys.map((key) => {
        const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`, `Idempotency-Key: ${key}`]
        return headOf('POST /push/one', caller.application, ...headers) + body
      })
      await connection.write(calls.join(''))
      await connection.closed
    }
    const ids = new Set<string>()
    for (const key of keys) {
      const repeated = await push(caller, '/push/one', TO_ONE, key)
      expect(repeated).toMatchObject({ status: 200, body: { message: 'Queued' } })
      ids.add(repeated.body.id)
    }
    expect([ids.size, pushesOf(caller)]).toEqual([3, 3])
  })

  test('with another body or path is refused, and nothing sent', async () => {
    const caller = await newTarget()
    await push(caller, '/push/one', TO_ONE, 'k')
    for (const other of [{ msg: 'Bye' }, { badge: '2' }, { badge: 1 }, { payload: { a: 1 } }, { send_at: 60 }]) {
      const answer = await push(caller, '/push/one', { ...TO_ONE, ...other }, 'k')
      expectFailure(answer, 409, 'ConflictError', usedOtherwise('k'))
    }
    const toAll = await push(caller, '/push/all', { ...TO_ONE, token: null }, 'k')
    expectFailure(toAll, 409, 'ConflictError', usedOtherwise('k'))
    expect(pushesOf(caller)).toBe(1)
  })

  test('of two hundred at once sends one', async () => {
    const caller = await newTarget()
    const answers = await Promise.all(Array.from({ length: 200 }, () => push(caller, '/push/one', TO_ONE, 'k')))
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
    expect(pushesOf(caller)).toBe(1)
    expect(await arrivalsOf(service, answers[0]?.body.id)).toHaveLength(1)
  })

  test('of two at once with other bodies refuses one', async () => {
    const caller = await newTarget()
    const bodies = Array.from({ length: 20 }, (_, n) => ({ ...TO_ONE, msg: `Hello ${n}` }))
    const answers = await Promise.all(bodies.map((body) => push(caller, '/push/one', body, 'k')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers) {
      if (answer.status !== 200) expectFailure(answer, 409, 'ConflictError', usedOtherwise('k'))
    }
    expect(pushesOf(caller)).toBe(1)
  })

  test('belongs to its application, and other keys are other pushes', async () => {
    const [mine, theirs] = [await newTarget(), await newTarget()]
    const answers = [
      await push(mine, '/push/one', TO_ONE, 'k'),
      await push(theirs, '/push/one', TO_ONE, 'k'),
      await push(mine, '/push/one', TO_ONE, 'K'),
      await mine.post('/push/one', TO_ONE),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(4)
  })

  test('remembers only what was accepted', async () => {
    const caller = newCaller(service)
    expectFailure(await push(caller, '/push/one', TO_ONE, 'k'), 404, 'ResourceNotFound', 'No device found')
    await caller.register(IOS)
    expect(await push(caller, '/push/one', TO_ONE, 'k')).toMatchObject({ status: 200 })
  })

  test('answers the same though the device is gone and the moment past', async () => {
    const caller = await newTarget()
    const soon = new Date(clock.now() + 30_000).toISOString()
    const body = { ...TO_ONE, send_at: soon }
    const first = await push(caller, '/push/one', body, 'k')
    expect(first.body).toEqual({ message: 'Scheduled', id: first.body.id, send_at: soon })
    clock.advance(10 * 60_000)
    await arrivalsAt(await service.server.simulator(), 1, ({ collapse }) => collapse === first.body.id)
    await caller.put('/deviceToken/del', IOS)
    const again = await push(caller, '/push/one', body, 'k')
    expect([again.status, again.body]).toEqual([200, first.body])
  })

  test('must be 1 to 255 visible ASCII characters', async () => {
    const caller = await newTarget()
    for (const key of ['', ' ', 'a b', 'é', 'a\tb', 'x'.repeat(256)]) {
      const answer = await push(caller, '/push/one', TO_ONE, key)
      const message = 'Idempotency-Key must be 1 to 255 visible ASCII characters.'
      expectFailure(answer, 400, 'InvalidArgument', message)
    }
    expect(pushesOf(caller)).toBe(0)
    const visible = Array.from({ length: 0x7f - 0x21 }, (_, n) => String.fromCharCode(0x21 + n)).join('')
    for (const key of ['x', 'x'.repeat(255), visible]) {
      expect(await push(caller, '/push/one', TO_ONE, key)).toMatchObject({ status: 200 })
    }
  })

  test('survives a restart', async () => {
    const data = await startService({ clock })
    await data.put('/deviceToken', IOS)
    const key = { headers: { 'idempotency-key': 'k' } }
    const first = await data.post('/push/one', TO_ONE, key)
    const next = await data.restart()
    try {
      expect((await next.post('/push/one', TO_ONE, key)).body).toEqual(first.body)
    } finally {
      await next[Symbol.asyncDispose]()
      await data[Symbol.asyncDispose]()
    }
  })

  test('is new again after 30 days, and its answer erased', async () => {
    const own = createFakeClock()
    await using kept = await startService({ clock: own })
    await kept.put('/deviceToken', IOS)
    const send = (body: object) => kept.post('/push/one', body, { headers: { 'idempotency-key': 'k' } })
    const first = await send(TO_ONE)
    own.set(own.now() + 30 * DAY_MS - 1)
    expect((await send(TO_ONE)).body).toEqual(first.body)
    own.set(own.now() + 1)
    const next = await send({ ...TO_ONE, msg: 'Bye' })
    expect(next).toMatchObject({ status: 200 })
    expect(next.body.id).not.toBe(first.body.id)
    const rows = kept.database.reading<{ n: number }, []>('SELECT count(*) AS n FROM idempotency')
    expect(rows.get()?.n).toBe(1)
    own.set(own.now() + 31 * DAY_MS)
    own.standStill(60 * 60 * 1000)
    own.advance(0)
    await until(() => rows.get()?.n === 0)
  })
})

describe('replace', () => {
  const LATER = { ...TO_ALL, send_at: 3600 }

  test('puts another push in the place of one that waits', async () => {
    const caller = await newTarget()
    const first = await push(caller, '/push/all', LATER, 'k')
    const body = { ...LATER, msg: 'Instead', send_at: 60, replace: true }
    const second = await push(caller, '/push/all', body, 'k')
    expect(second).toMatchObject({ status: 200, body: { message: 'Scheduled' } })
    expect(second.body.id).not.toBe(first.body.id)
    // A repeat of it is a repeat; one of the first comes too late.
    expect((await push(caller, '/push/all', body, 'k')).body).toEqual(second.body)
    expectFailure(await push(caller, '/push/all', LATER, 'k'), 409, 'ConflictError', usedOtherwise('k'))
    clock.standStill(2 * 3600_000)
    clock.advance(1000)
    const arrivals = await arrivalsAt(
      await service.server.simulator(),
      1,
      ({ collapse }) => collapse === second.body.id,
    )
    expect(arrivals[0]?.body).toMatchObject({ aps: { alert: 'Instead' } })
    const open = service.database.reading<object, [string]>(
      'SELECT 1 FROM push WHERE id = ? AND released_at IS NULL AND cancelled_at IS NOT NULL',
    )
    expect(open.get(first.body.id)).not.toBeNull()
  })

  test('of what has gone out is refused, and nothing sent', async () => {
    const caller = await newTarget()
    await push(caller, '/push/all', TO_ALL, 'k')
    const answer = await push(caller, '/push/all', { ...TO_ALL, msg: 'Instead', replace: true }, 'k')
    const message = 'The push of Idempotency-Key k was already sent: it cannot be replaced.'
    expectFailure(answer, 409, 'ConflictError', message)
    expect(pushesOf(caller)).toBe(1)
  })

  test('is a push like any other where there is none to replace', async () => {
    const caller = await newTarget()
    const answer = await push(caller, '/push/all', { ...LATER, replace: true }, 'k')
    expect(answer).toMatchObject({ status: 200, body: { message: 'Scheduled' } })
  })

  test('that fails leaves the first', async () => {
    const caller = await newTarget()
    const first = await push(caller, '/push/one', { ...TO_ONE, send_at: 60 }, 'k')
    const unknown = { ...TO_ONE, token: 'b2'.repeat(32), replace: true }
    expectFailure(await push(caller, '/push/one', unknown, 'k'), 404, 'ResourceNotFound', 'No device found')
    clock.advance(60_000)
    await arrivalsAt(await service.server.simulator(), 1, ({ collapse }) => collapse === first.body.id)
  })

  test('needs a key', async () => {
    const caller = await newTarget()
    for (const [path, body] of [
      ['/push/all', LATER],
      ['/push/one', TO_ONE],
    ] as const) {
      const answer = await caller.post(path, { ...body, replace: true })
      expectFailure(answer, 400, 'InvalidArgument', 'replace needs the header Idempotency-Key.')
    }
    expectFailure(
      await push(caller, '/push/all', { ...LATER, replace: 'yes' }, 'k'),
      400,
      'InvalidArgument',
      'replace must be true or false, not "yes".',
    )
  })
})
