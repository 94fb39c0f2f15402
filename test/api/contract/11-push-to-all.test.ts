import { describe, expect, test } from 'bun:test'
import { createApplicationStore } from '../../../src/application/application-store.ts'
import { systemClock } from '../../../src/clock.ts'
import { arrivalsOf, tokensReached } from '../../support/arrivals.ts'
import { newCaller } from '../../support/caller.ts'
import { depart, TOKEN_OF } from '../../support/departure.ts'
import {
  BAD_LISTS,
  BAD_MEMBERS,
  BAD_NAMES,
  expectFailure,
  expectInvalid,
  expectRequired,
} from '../../support/refusals.ts'
import type { BadValue } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import type { Answer } from '../../support/service.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const BROADCAST = { platform: ['0', '1'], msg: 'Hello', sound: 'default', badge: '1' }
const IOS = 'a1'.repeat(32)
const IOS_TOO = 'a2'.repeat(32)
const ANDROID = 'phone:1'

const service = await fileService()

const reached = (answer: Answer) => tokensReached(service, answer)

function pushesStored(): number {
  return service.database.reading<{ n: number }, []>('SELECT count(*) AS n FROM push').get()?.n ?? 0
}

async function expectNothingStored(during: () => Promise<unknown>): Promise<void> {
  const before = pushesStored()
  await during()
  expect(pushesStored()).toBe(before)
}

describe('POST /push/all', () => {
  test('answers 200 with "Queued" and the id of the push, a UUID v7', async () => {
    const first = await newCaller(service).post('/push/all', BROADCAST)
    expect(first).toMatchObject({ status: 200, body: { message: 'Queued' } })
    expect(first.body.id).toMatch(UUID_V7)
    expect(Object.keys(first.body)).toEqual(['message', 'id'])
    const second = await newCaller(service).post('/push/all', BROADCAST)
    expect(second.body.id).not.toBe(first.body.id)
  })

  test('has stored the push when it answers', async () => {
    const { body } = await newCaller(service).post('/push/all', BROADCAST)
    const stored = service.database.reading<object, [string]>('SELECT 1 FROM push WHERE id = ?').get(body.id)
    expect(stored).not.toBeNull()
  })

  test('needs the secret', () =>
    expectNothingStored(async () => {
      const asDevice = await service.post('/push/all', BROADCAST, { as: 'device' })
      expectFailure(asDevice, 400, 'InvalidHeader', 'Authentication headers not found.')
      const wrong = await service.post('/push/all', BROADCAST, { headers: { 'x-service-secret': 'wrong' } })
      expectFailure(wrong, 401, 'InvalidCredentials', 'Application ID and/or Secret unauthorized.')
    }))

  test('without a filter reaches every device of the platforms named, each once', async () => {
    const caller = newCaller(service)
    const tokens = Array.from({ length: 501 }, (_, at) => at.toString(16).padStart(64, '0'))
    for (const part of [tokens.slice(0, 500), tokens.slice(500)]) {
      expect(await caller.put('/deviceToken/batch', { tokens: part, platform: '0' })).toMatchObject({ status: 201 })
    }
    await caller.register({ token: ANDROID, platform: '1' })
    expect(await reached(await caller.post('/push/all', BROADCAST))).toEqual([...tokens, ANDROID])
    expect(await reached(await caller.post('/push/all', { ...BROADCAST, platform: ['1'] }))).toEqual([ANDROID])
    expect(await reached(await caller.post('/push/all', { ...BROADCAST, platform: ['0'] }))).toEqual(tokens)
  })

  test('to nobody is 200', async () => {
    expect(await reached(await newCaller(service).post('/push/all', BROADCAST))).toEqual([])
  })
})

describe('a broadcast', () => {
  for (const field of ['platform', 'msg', 'sound', 'badge'] as const) {
    test(`needs ${field}`, async () => {
      const absent = field === 'sound' || field === 'badge' ? [undefined, null] : [undefined, null, '']
      const send = (value: unknown) => service.post('/push/all', { ...BROADCAST, [field]: value })
      await expectNothingStored(() => expectRequired(send, `${field} is required for a broadcast.`, absent))
    })
  }

  test('reports the first that is missing: platform, msg, sound, badge', async () => {
    expectFailure(await service.post('/push/all', {}), 409, 'MissingParameter', 'platform is required for a broadcast.')
    expectFailure(
      await service.post('/push/all', { platform: '0', payload: { a: 1 } }),
      409,
      'MissingParameter',
      'msg is required for a broadcast.',
    )
  })

  test('may be silent and leave the badge alone: "" is present', async () => {
    const caller = newCaller(service)
    await caller.register({ token: IOS, platform: '0' })
    const { body } = await caller.post('/push/all', { ...BROADCAST, sound: '', badge: '' })
    const [arrival] = await arrivalsOf(service, body.id)
    expect(arrival?.body).toEqual({ aps: { alert: 'Hello' }, bellhop: { push: body.id } })
  })

  test('is what a push with no filter but null ones is', async () => {
    const caller = newCaller(service)
    await caller.register({ token: IOS, platform: '0', tag: ['beta'] })
    const nothing = {
      tags: null,
      active: null,
      alias: null,
      except_tags: null,
      except_active: null,
      except_alias: null,
    }
    const answer = await caller.post('/push/all', { ...nothing, msg: 'x' })
    expectFailure(answer, 409, 'MissingParameter', 'platform is required for a broadcast.')
    const broadcast = { ...BROADCAST, ...nothing, tags_match: 'all', tag: null, colour: null }
    expect(await reached(await caller.post('/push/all', broadcast))).toEqual([IOS])
  })
})

describe('a conditional push', () => {
  const SOMETHING = [{ msg: 'x' }, { sound: 'ding' }, { badge: '0' }, { badge: '+1' }, { payload: { a: null } }]
  const FILTERS = [
    { tags: [] },
    { tags: 'a' },
    { except_tags: [] },
    { active: ['a'] },
    { except_active: ['a'] },
    { alias: 'a' },
    { except_alias: 'a' },
  ]

  test('needs nothing but a filter and something to send', async () => {
    for (const filter of FILTERS) {
      for (const something of SOMETHING) {
        const answer = await service.post('/push/all', { ...filter, ...something })
        expect({ filter, something, status: answer.status }).toEqual({ filter, something, status: 200 })
      }
    }
  })

  test('with nothing to send is refused', () =>
    expectNothingStored(async () => {
      const empty = [{}, { msg: '' }, { sound: '' }, { badge: '' }, { payload: {} }, { payload: [] }, { msg: null }]
      for (const nothing of [...empty, { platform: [0], sound: '', badge: '', payload: '' }]) {
        const answer = await service.post('/push/all', { tags: ['a'], ...nothing })
        expectFailure(answer, 409, 'MissingParameter', 'msg is required, or sound, badge or payload.')
      }
    }))
})

describe('a filter that cannot be read is refused, and nothing stored:', () => {
  const send = (more: object) => service.post('/push/all', { msg: 'x', except_tags: ['a'], ...more })
  const expectRefused = (field: string, bad: readonly BadValue[], name = field, wrap = (value: unknown) => value) =>
    expectNothingStored(() => expectInvalid((value) => send({ [field]: wrap(value) }), name, bad))

  for (const field of ['tags', 'except_tags', 'active', 'except_active']) {
    test(`${field} must be at most 100 names, or one`, async () => {
      await expectRefused(field, BAD_LISTS)
      await expectRefused(field, BAD_MEMBERS, `${field}[1]`, (value) => ['ok', value])
      const names = Array.from({ length: 101 }, (_, at) => `name ${at}`)
      await expectRefused(field, [[names, 'must have at most 100 entries, not 101']])
    })
  }

  for (const field of ['alias', 'except_alias']) {
    test(`${field} must be a name`, () => expectRefused(field, BAD_NAMES))
  }

  for (const field of ['tags', 'active', 'alias']) {
    test(`${field} must not be "": who means one user does not mean everybody`, () =>
      expectNothingStored(() =>
        expectInvalid((value) => service.post('/push/all', { ...BROADCAST, [field]: value }), field, [
          ['', 'must be 1 to 256 characters, not empty'],
        ]),
      ))
  }

  test('tags_match must be any or all', () =>
    expectRefused('tags_match', [
      ['ALL', 'must be "any" or "all", not "ALL"'],
      ['none', 'must be "any" or "all", not "none"'],
      [true, 'must be "any" or "all", not true'],
      [['all'], 'must be "any" or "all", not an array'],
    ]))

  test('platform must have a known member', async () => {
    const allowed = 'must contain "0" (iOS), "1" (Android) or "2" (Web)'
    const unknown = [[], [3], ['ios'], ['01', '', null, true, 0.5], [['0']], [[0, 1]]]
    await expectRefused('platform', [
      ...unknown.map((value) => [value, `${allowed}, which this array does not`] as const),
      [3, `${allowed}, not 3`],
      ['android', `${allowed}, not "android"`],
      [true, `${allowed}, not true`],
      [{ 0: true }, `${allowed}, not an object`],
    ])
  })
})

describe('a push is not addressed to', () => {
  const TO_ALL = { except_tags: [], msg: 'Hello' }

  test('a device that is unregistered, or was declared gone or bad', async () => {
    const caller = newCaller(service)
    for (const token of [IOS, IOS_TOO, TOKEN_OF.gone, TOKEN_OF.quarantined]) {
      await caller.register({ token, platform: '0' })
    }
    await caller.put('/deviceToken/del', { token: IOS_TOO, platform: '0' })
    await depart(caller, 'gone')
    await depart(caller, 'quarantined')
    expect(await reached(await caller.post('/push/all', TO_ALL))).toEqual([IOS])
    expect(await reached(await caller.post('/push/all', BROADCAST))).toEqual([IOS])
  })

  test('a device of another application, whatever they share', async () => {
    const [mine, theirs] = [newCaller(service), newCaller(service)]
    const shared = { platform: '0', tag: ['beta'], active: ['news'], alias: 'ann' }
    await mine.register({ token: IOS, ...shared })
    await theirs.register({ token: IOS_TOO, ...shared })
    for (const filter of [TO_ALL, BROADCAST, { tags: 'beta' }, { active: 'news' }, { alias: 'ann' }]) {
      expect(await reached(await mine.post('/push/all', { msg: 'x', ...filter }))).toEqual([IOS])
      expect(await reached(await theirs.post('/push/all', { msg: 'x', ...filter }))).toEqual([IOS_TOO])
    }
  })

  test('a device registered after it, or unregistered before its turn', async () => {
    // Without a credential: what is pushed waits for one.
    const application = service.addApplication('waiting', {}, false)
    const [staying, leaving, late] = ['b1', 'b2', 'b3'].map((pair) => {
      return { token: pair.repeat(32), platform: '0', tag: 'beta' }
    })
    await service.put('/deviceToken', staying, { application })
    await service.put('/deviceToken', leaving, { application })
    const toAll = await service.post('/push/all', BROADCAST, { application })
    const toTagged = await service.post('/push/all', { msg: 'x', tags: 'beta' }, { application })
    await service.put('/deviceToken/del', leaving, { application })
    await service.put('/deviceToken', late, { application })
    createApplicationStore({ database: service.database, clock: systemClock }).setSimulated(application.id, true)
    expect(await reached(toAll)).toEqual(['b1'.repeat(32)])
    expect(await reached(toTagged)).toEqual(['b1'.repeat(32)])
  })
})
