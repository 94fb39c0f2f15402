import { describe, expect, test } from 'bun:test'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { depart, TOKEN_OF } from '../../support/departure.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import * as bad from '../../support/refusals.ts'
import { expectFailure, expectInvalid, expectRequired } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'

const PATH = '/deviceToken/batch'
const IOS = { platform: '0' }
const [A, B, KNOWN, NEW, FULL] = ['a1', 'b2', 'c3', 'd4', 'e5'].map((byte) => byte.repeat(32))

const clock = createFakeClock()
const service = await fileService({ clock })

const time = () => new Date(clock.now()).toISOString()

function tokensOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => index.toString(16).padStart(64, '0'))
}

async function expectImported(caller: Caller, body: object, created: number, updated: number): Promise<void> {
  const answer = await caller.put(PATH, body)
  const message = { message: 'Devices imported', imported: created + updated, created, updated }
  expect([answer.status, answer.body]).toEqual([201, message])
}

describe('PUT /deviceToken/batch', () => {
  test('imports devices of one platform, with the tags, in the order of the list', async () => {
    const caller = newCaller(service)
    await expectImported(caller, { tokens: ['b', 'a'], platform: '1', tags: ['y', 'x'] }, 2, 0)
    const unset = { lat: null, lng: null, active: [], alias: null, badge: 0 }
    const record = { platform: '1', ...unset, tag: ['x', 'y'], created_at: time(), updated_at: time() }
    expect(await caller.devices()).toEqual([
      { token: 'b', ...record },
      { token: 'a', ...record },
    ])
  })

  test('counts known devices as updated, adds the tags to what they have, and leaves the rest as it was', async () => {
    const caller = newCaller(service)
    const location = { lat: '52.52', lng: '13.405' }
    const known = { token: KNOWN, platform: '0', ...location, tag: ['a', 'x'], active: ['news'], alias: 'user-17' }
    const before = await caller.register(known)
    clock.advance(1000)
    await expectImported(caller, { tokens: [NEW, KNOWN], platform: 0, tags: ['x', 'z'] }, 1, 1)
    const [updated, created] = await caller.devices()
    expect(updated).toEqual({ ...before, tag: ['a', 'x', 'z'], updated_at: time() })
    expect(created).toMatchObject({ token: NEW, tag: ['x', 'z'], created_at: time() })
    await expectImported(caller, { ...IOS, tokens: [KNOWN] }, 0, 1)
    await expectImported(caller, { ...IOS, tokens: [KNOWN], tags: [] }, 0, 1)
    expect((await caller.devices())[0]).toEqual({ ...before, tag: ['a', 'x', 'z'], updated_at: time() })
  })

  test('counts duplicates inside one batch once', async () => {
    const caller = newCaller(service)
    await caller.register({ token: KNOWN, platform: '0' })
    await expectImported(caller, { ...IOS, tokens: [A, KNOWN, A, B, KNOWN, A], tags: ['x', 'x'] }, 2, 1)
    expect(await caller.devices()).toMatchObject([
      { token: KNOWN, tag: ['x'] },
      { token: A, tag: ['x'] },
      { token: B, tag: ['x'] },
    ])
  })

  test('keeps platforms and applications apart', async () => {
    const [caller, other] = [newCaller(service), newCaller(service)]
    await expectImported(caller, { tokens: [A], platform: '0', tags: ['ios'] }, 1, 0)
    await expectImported(caller, { tokens: [A], platform: '1', tags: ['android'] }, 1, 0)
    await expectImported(other, { tokens: [A], platform: '0' }, 1, 0)
    expect(await caller.devices()).toMatchObject([{ tag: ['ios'] }, { tag: ['android'] }])
    expect(await other.devices()).toMatchObject([{ tag: [] }])
  })

  test('imports 500 devices at once, and of 501 none', async () => {
    const caller = newCaller(service)
    const answer = await caller.put(PATH, { ...IOS, tokens: tokensOf(501) })
    expectFailure(answer, 400, 'InvalidArgument', 'tokens must have at most 500 entries, not 501.')
    expect(await caller.devices()).toEqual([])
    const names = Array.from({ length: 100 }, (_, index) => String(index).padStart(3, '0'))
    await expectImported(caller, { ...IOS, tokens: tokensOf(500), tags: names }, 500, 0)
    const devices = await caller.devices()
    expect(devices.map(({ token }) => token)).toEqual(tokensOf(500))
    for (const { tag } of devices) expect(tag).toEqual(names)
  })

  test('takes what cannot be a token of Apple, and says which ones', async () => {
    const caller = newCaller(service)
    const answer = await caller.put(PATH, { ...IOS, tokens: [A, 'abc123', B, 'ExponentPushToken[x]'] })
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        message: 'Devices imported',
        imported: 4,
        created: 4,
        updated: 0,
        warnings: [
          'tokens[1] is not an APNs device token: it is too short: 6 of at least 64 hex digits',
          "tokens[3] is not an APNs device token: it looks like an Expo push token, which only Expo can send to; getDevicePushTokenAsync gives Apple's",
        ],
      },
    ])
    await expectImported(caller, { platform: '1', tokens: ['abc123', 'ExponentPushToken[x]'] }, 2, 0)
  })

  test('reads one string as an array, and tag where tags is absent', async () => {
    const caller = newCaller(service)
    await expectImported(caller, { ...IOS, tokens: A, tags: 'x' }, 1, 0)
    await expectImported(caller, { ...IOS, tokens: [A], tags: null, tag: ['y'] }, 0, 1)
    await expectImported(caller, { ...IOS, tokens: [A], tags: ['z'], tag: ['no'], alias: 'no', lat: 5 }, 0, 1)
    expect(await caller.devices()).toMatchObject([{ token: A, tag: ['x', 'y', 'z'], alias: null, lat: null }])
  })

  test('brings back, as created, who was gone, anew, and who was quarantined, with the data', async () => {
    const caller = newCaller(service)
    const data = { ...IOS, tag: ['a'], active: ['news'] }
    await caller.register({ ...data, token: TOKEN_OF.gone, alias: 'g' })
    await depart(caller, 'gone')
    const quarantined = await caller.register({ ...data, token: TOKEN_OF.quarantined, alias: 'q' })
    await depart(caller, 'quarantined')
    clock.advance(1000)
    await expectImported(caller, { ...IOS, tokens: [TOKEN_OF.gone, TOKEN_OF.quarantined], tags: ['x'] }, 2, 0)
    const devices = await caller.devices()
    expect(devices).toHaveLength(2)
    expect(devices).toContainEqual({ ...quarantined, tag: ['a', 'x'], updated_at: time() })
    const anew = { token: TOKEN_OF.gone, tag: ['x'], active: [], alias: null, created_at: time() }
    expect(devices).toContainEqual(expect.objectContaining(anew))
  })

  test('needs the secret', async () => {
    const caller = newCaller(service)
    for (const as of ['device', 'nobody'] as const) {
      const answer = await caller.put(PATH, { ...IOS, tokens: ['a'] }, as)
      expectFailure(answer, 400, 'InvalidHeader', 'Authentication headers not found.')
    }
    expect(await caller.devices()).toEqual([])
  })
})

describe('bad input to PUT /deviceToken/batch imports nothing', () => {
  const BATCH = { ...IOS, tokens: ['a', 'b', 'c'], tags: ['x'] }
  const badItems: readonly bad.BadValue[] = [
    ...bad.BAD_TOKENS,
    ['', 'must not be empty'],
    [null, 'must be a string, not null'],
  ]

  test.each([
    ['tokens[0]', badItems, (token: unknown) => ({ tokens: [token, 'b', 'c'] })],
    ['tokens[2]', badItems, (token: unknown) => ({ tokens: ['a', 'b', token] })],
    [
      'tokens[0]',
      [
        [5, 'must be a string, not 5'],
        [{}, 'must be a string, not an object'],
      ],
      (tokens: unknown) => ({ tokens }),
    ],
    ['platform', bad.BAD_PLATFORMS, (platform: unknown) => ({ platform })],
    ['tags', bad.BAD_LISTS, (tags: unknown) => ({ tags })],
    ['tag', bad.BAD_LISTS, (tag: unknown) => ({ tag, tags: null })],
    ['tags[1]', bad.BAD_MEMBERS, (name: unknown) => ({ tags: ['ok', name] })],
  ] as const)('400: %s', async (field, values, change) => {
    const caller = newCaller(service)
    const before = await caller.register({ token: 'b', platform: '0' })
    clock.advance(1000)
    await expectInvalid((value) => caller.put(PATH, { ...BATCH, ...change(value) }), field, values)
    expect(await caller.devices()).toEqual([before])
  })

  test('400: more than 100 tags, in the batch, or together with those of a device, which is named', async () => {
    const caller = newCaller(service)
    const names = Array.from({ length: 100 }, (_, index) => String(index).padStart(3, '0'))
    const before = await caller.register({ token: FULL, platform: '0', tag: names })
    clock.advance(1000)
    const many = await caller.put(PATH, { ...BATCH, tags: [...names, 'one more'] })
    expectFailure(many, 400, 'InvalidArgument', 'tags must have at most 100 entries, not 101.')
    const together = await caller.put(PATH, { ...IOS, tokens: ['a', 'a', FULL, 'c'], tags: ['one more'] })
    expectFailure(together, 400, 'InvalidArgument', 'tokens[2]: a device can have at most 100 tags.')
    expect(await caller.devices()).toEqual([before])
    await expectImported(caller, { ...IOS, tokens: [FULL], tags: ['000', '099'] }, 0, 1)
  })

  test('409: tokens or platform is missing, which is said before anything else', async () => {
    const caller = newCaller(service)
    const send = (more: object) => caller.put(PATH, { ...BATCH, ...more })
    await expectRequired((tokens) => send({ tokens, platform: 'x' }), 'tokens is required.')
    await expectRequired((tokens) => send({ tokens }), 'tokens is required.', [[]])
    await expectRequired((platform) => send({ platform, tokens: [5] }), 'platform is required.')
    expectFailure(await caller.put(PATH, undefined), 409, 'MissingParameter', 'tokens is required.')
    expect(await caller.devices()).toEqual([])
  })
})
