import { describe, expect, test } from 'bun:test'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { BAD_PLATFORMS, expectFailure, expectInvalid, expectRequired } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import { startService } from '../../support/service.ts'

const UNKNOWN_ID = '019a9f7e-3c1b-7000-8000-000000000000'

const service = await fileService()

async function opensOf(caller: Caller): Promise<number> {
  return (await caller.get('/analytics')).body.o
}

/** Sends a push that reaches nobody; returns its id. */
async function push(caller: Caller): Promise<string> {
  const { status, body } = await caller.post('/push/all', { tags: ['nobody'], msg: 'Hello' })
  expect(status).toBe(200)
  return body.id
}

function opensOfPush(id: string): number | undefined {
  const sql = `SELECT coalesce(sum(r.count), 0) AS opened FROM push p LEFT JOIN push_receipt r ON r.push = p.number AND r.event = 0
    WHERE p.id = ?`
  return service.database.reading<{ opened: number }, [string]>(sql).get(id)?.opened
}

describe('PUT /stats', () => {
  test('records that a push was opened; no secret is needed', async () => {
    const caller = newCaller(service)
    const answer = await caller.put('/stats', { platform: '0' }, 'device')
    expect([answer.status, answer.body]).toEqual([200, { message: 'Open recorded' }])
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(await opensOf(caller)).toBe(1)
    expect(await caller.put('/stats', { platform: '0' })).toMatchObject({ status: 200 })
    expect(await opensOf(caller)).toBe(2)
  })

  test('counts every call, on both platforms, also of many at the same time', async () => {
    const caller = newCaller(service)
    const platforms = [0, '0', 1, '1']
    const calls = Array.from({ length: 40 }, (_, index) => caller.put('/stats', { platform: platforms[index % 4] }))
    for (const { status } of await Promise.all(calls)) expect(status).toBe(200)
    expect(await opensOf(caller)).toBe(40)
  })

  test('needs an application, and counts for that one', async () => {
    const [caller, other] = [newCaller(service), newCaller(service)]
    await caller.put('/stats', { platform: '0' })
    const answer = await caller.put('/stats', { platform: '0' }, 'nobody')
    expectFailure(answer, 400, 'InvalidHeader', 'Authentication headers not found.')
    expect([await opensOf(caller), await opensOf(other)]).toEqual([1, 0])
  })

  test('with the id of a push, as id or aid, it counts for that push too', async () => {
    const caller = newCaller(service)
    const [opened, other] = [await push(caller), await push(caller)]
    const bodies = [{ id: opened }, { aid: opened }, { id: opened.toUpperCase() }, { id: null, aid: opened }]
    for (const body of [...bodies, { id: opened, aid: other }, { id: '', aid: opened }]) {
      expect(await caller.put('/stats', { platform: '0', ...body }, 'device')).toMatchObject({ status: 200 })
    }
    expect([opensOfPush(opened), opensOfPush(other)]).toEqual([6, 0])
    expect(await opensOf(caller)).toBe(6)
  })

  test('with the id of no push, or of a push of another application, it counts for the application only', async () => {
    const [caller, other] = [newCaller(service), newCaller(service)]
    const foreign = await push(other)
    for (const id of [UNKNOWN_ID, foreign, '', null]) {
      expect(await caller.put('/stats', { platform: '0', id })).toMatchObject({ status: 200 })
    }
    expect([await opensOf(caller), await opensOf(other), opensOfPush(foreign)]).toEqual([4, 0, 0])
  })

  test('with what is no id of a push, as other services give them out, it counts for the application', async () => {
    const caller = newCaller(service)
    const opened = await push(caller)
    const ids: readonly unknown[] = [
      '5f3c1a9be4b0a7c2d1e8f906',
      '17',
      5,
      true,
      {},
      [opened],
      `${opened}0`,
      '\u0000',
      '\ud800',
    ]
    for (const field of ['id', 'aid']) {
      for (const id of ids) {
        const answer = await caller.put('/stats', { platform: '1', [field]: id, token: 'phone:1' }, 'device')
        expect([answer.status, answer.body]).toEqual([200, { message: 'Open recorded' }])
      }
    }
    expect(await opensOf(caller)).toBe(2 * ids.length)
    expect(opensOfPush(opened)).toBe(0)
  })

  test('says what was reported, by `event`; an open, where it is absent or empty', async () => {
    const caller = newCaller(service)
    const id = await push(caller)
    const report = async (body: object) => (await caller.put('/stats', { platform: '0', id, ...body }, 'device')).body
    for (const event of [undefined, null, '', 'opened']) {
      expect(await report({ event })).toEqual({ message: 'Open recorded' })
      expect(await report({ event, action: '' })).toEqual({ message: 'Open recorded' })
    }
    expect(await report({ event: 'received' })).toEqual({ message: 'Receipt recorded' })
    for (const action of ['reply', 'reply', '__proto__', '\ud83d\ude00'.repeat(64)]) {
      expect(await report({ event: 'action', action })).toEqual({ message: 'Receipt recorded' })
    }
    const { body } = await caller.get(`/push/${id}`)
    expect(body).toMatchObject({ o: 8, received: 1, opened_rate: null, received_rate: null })
    expect(Object.entries(body.actions)).toEqual([
      ['reply', 2],
      ['__proto__', 1],
      ['\ud83d\ude00'.repeat(64), 1],
    ])
    expect(await opensOf(caller)).toBe(8)
  })

  test('ignores unknown fields', async () => {
    const caller = newCaller(service)
    const body = { platform: '0', o: 5, count: 9, application: 1, now: 0 }
    expect(await caller.put('/stats', body)).toMatchObject({ status: 200 })
    expect((await caller.get('/analytics')).body).toEqual({ t: 0, o: 1, s: 0 })
  })

  test('what was answered is kept over a restart', async () => {
    await using first = await startService()
    await first.put('/stats', { platform: '0' })
    await using second = await first.restart()
    expect((await second.get('/analytics')).body.o).toBe(1)
  })
})

describe('bad input to PUT /stats counts nothing', () => {
  test('409: platform is missing, which is said before anything else', async () => {
    const caller = newCaller(service)
    await expectRequired((platform) => caller.put('/stats', { platform, id: 5 }), 'platform is required.')
    expectFailure(await caller.put('/stats', undefined), 409, 'MissingParameter', 'platform is required.')
    expect(await opensOf(caller)).toBe(0)
  })

  test('409: an action has no name, or an empty one', async () => {
    const caller = newCaller(service)
    for (const action of [undefined, null, '']) {
      const answer = await caller.put('/stats', { platform: '0', event: 'action', action })
      expectFailure(answer, 409, 'MissingParameter', 'action is required with event "action".')
    }
  })

  test('400: what is reported is none of the three, or an action is named beside another', async () => {
    const caller = newCaller(service)
    const allowed = 'event must be "opened", "received" or "action", not'
    for (const [event, shown] of [
      ['Opened', '"Opened"'],
      ['shown', '"shown"'],
      ['x'.repeat(1000), 'a string of 1000 characters'],
      ['\u0007', String.raw`"\u0007"`],
      ['\ud800', String.raw`"\ud800"`],
      [1, '1'],
      [true, 'true'],
      [['opened'], 'an array'],
      [{}, 'an object'],
    ] as const) {
      const answer = await caller.put('/stats', { platform: '0', event })
      expectFailure(answer, 400, 'InvalidArgument', `${allowed} ${shown}.`)
    }
    for (const event of [undefined, null, '', 'opened', 'received']) {
      const answer = await caller.put('/stats', { platform: '0', event, action: 'reply' })
      expectFailure(answer, 400, 'InvalidArgument', 'action is only for event "action".')
    }
    expect(await opensOf(caller)).toBe(0)
  })

  test('400: the name of an action is none', async () => {
    const caller = newCaller(service)
    const id = await push(caller)
    for (const [action, problem] of [
      [5, 'must be a string, not 5'],
      [true, 'must be a string, not true'],
      [['reply'], 'must be a string, not an array'],
      [{}, 'must be a string, not an object'],
      ['x'.repeat(65), 'must be at most 64 characters'],
      ['\ud83d\ude00'.repeat(65), 'must be at most 64 characters'],
      ['a\u0000', 'must not contain control characters'],
      ['a\u0085', 'must not contain control characters'],
      ['\ud800', 'must be well-formed Unicode, without lone surrogates'],
    ] as const) {
      const answer = await caller.put('/stats', { platform: '0', id, event: 'action', action })
      expectFailure(answer, 400, 'InvalidArgument', `action ${problem}.`)
    }
    expect((await caller.get(`/push/${id}`)).body).toMatchObject({ o: 0, received: 0, actions: {} })
  })

  test('400: platform is neither', async () => {
    const caller = newCaller(service)
    await expectInvalid((platform) => caller.put('/stats', { platform }), 'platform', BAD_PLATFORMS)
    expect(await opensOf(caller)).toBe(0)
  })
})
