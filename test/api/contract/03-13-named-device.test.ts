import { describe, expect, test } from 'bun:test'
import { newCaller } from '../../support/caller.ts'
import { depart, TOKEN_OF } from '../../support/departure.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import * as bad from '../../support/refusals.ts'
import { expectFailure, expectInvalid, expectRequired } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import type { Answer } from '../../support/service.ts'

/* What all calls have in common that change a device which they name: by token, and some by an alias too. */

const DEVICE = { token: '3f8a'.repeat(16), platform: '0' }
const OTHER = { token: 'other', platform: '0' }
/** Registered before, so that each call would change something. */
const LABELS = { alias: 'user-17', tag: ['a', 'b'], active: ['n'] }

interface NamingCall {
  readonly path: string
  /** What it changes. */
  readonly change: Readonly<Record<string, unknown>>
  readonly done: readonly [status: number, message: string]
  /** The field by which the device is named too. */
  readonly alias: 'Alias' | 'current_alias' | null
  /** Fields besides token and platform, with values that are refused in them. */
  readonly refused: readonly (readonly [
    field: string,
    values: readonly bad.BadValue[],
    change: (value: unknown) => object,
  ])[]
  /** Fields that must be there, besides those that name the device; each with what is said where it is missing. */
  readonly required: readonly (readonly [field: string, message: string, missing?: readonly unknown[]])[]
}

const badCounts = (
  [
    [-1, '-1'],
    [2_147_483_648, '2147483648'],
    [1.5, '1.5'],
    [true, 'true'],
    [[1], 'an array'],
    [{}, 'an object'],
    ...['-1', '+1', '1.0', '1e3', '0x1', ' 1', '1 ', 'x', '2147483648'].map((text) => [text, `"${text}"`]),
    ['1\u0000', '"1\\u0000"'],
    ['\ud83d', '"\\ud83d"'],
    ['9'.repeat(5000), 'a string of 5000 characters'],
  ] as const
).map(([value, text]) => [value, `must be a whole number from 0 to 2147483647, not ${text}`] as const)

const TAG_FIELDS: Pick<NamingCall, 'alias' | 'refused' | 'required'> = {
  alias: 'Alias',
  refused: [
    ['alias', bad.BAD_NAMES, (alias) => ({ alias })],
    ['Alias', bad.BAD_NAMES, (Alias) => ({ Alias })],
    ['tag', bad.BAD_LISTS, (tag) => ({ tag })],
    ['tags', bad.BAD_LISTS, (tags) => ({ tags, tag: null })],
    ['tag[1]', bad.BAD_MEMBERS, (tag) => ({ tag: ['a', tag] })],
  ],
  required: [
    ['tag', 'tag is required.'],
    ['tag', 'tag is required.', [[]]],
  ],
}

const CALLS: readonly NamingCall[] = [
  {
    path: '/alias',
    change: { alias: 'new' },
    done: [200, 'Alias set'],
    alias: 'current_alias',
    refused: [
      ['alias', bad.BAD_NAMES, (alias) => ({ alias })],
      ['Alias', bad.BAD_NAMES, (Alias) => ({ Alias, alias: null })],
      ['current_alias', bad.BAD_NAMES, (current) => ({ current_alias: current })],
    ],
    required: [['alias', 'alias is required ("" removes it).', [undefined, null]]],
  },
  { path: '/tag', change: { tag: 'x' }, done: [201, 'Tagged'], ...TAG_FIELDS },
  { path: '/tag/del', change: { tag: 'a' }, done: [200, 'Untagged'], ...TAG_FIELDS },
  {
    path: '/geo',
    change: { lat: '52.52', lng: '13.405' },
    done: [200, 'Location set'],
    alias: null,
    refused: [
      ['lat', bad.badDegrees(90), (lat) => ({ lat })],
      ['lng', bad.badDegrees(180), (lng) => ({ lng })],
    ],
    required: [
      ['lat', 'lat is required.'],
      ['lng', 'lng is required.'],
    ],
  },
  {
    path: '/badge',
    change: { setbadgecount: 3 },
    done: [200, 'Badge set'],
    alias: null,
    refused: [['setbadgecount', badCounts, (setbadgecount) => ({ setbadgecount })]],
    required: [['setbadgecount', 'setbadgecount is required.']],
  },
]

const clock = createFakeClock()
const service = await fileService({ clock })

function expectUnknown(answer: Answer): void {
  expectFailure(answer, 404, 'ResourceNotFound', 'No device found')
}

describe.each(CALLS)('PUT $path', ({ path, change, done: [status, message], alias, refused, required }) => {
  test('knows no device that was never seen, that is of the other platform, or of another application', async () => {
    const [caller, other] = [newCaller(service), newCaller(service)]
    const before = await caller.register({ ...DEVICE, ...LABELS })
    expectUnknown(await caller.put(path, { ...OTHER, ...change }))
    expectUnknown(await caller.put(path, { ...DEVICE, platform: '1', ...change }))
    expectUnknown(await other.put(path, { ...DEVICE, ...change }))
    if (alias !== null) {
      expectUnknown(await caller.put(path, { ...OTHER, [alias]: 'user-17', ...change }))
      expectUnknown(await caller.put(path, { platform: '0', [alias]: 'nobody', ...change }))
      expectUnknown(await caller.put(path, { platform: '0', [alias]: 'USER-17', ...change }))
      expectUnknown(await caller.put(path, { platform: '1', [alias]: 'user-17', ...change }))
      expectUnknown(await other.put(path, { platform: '0', [alias]: 'user-17', ...change }))
    }
    expect(await caller.devices()).toEqual([before])
    expect(await other.devices()).toEqual([])
  })

  test.each(['gone', 'quarantined'] as const)('knows no device that is %s, by whatever name', async (state) => {
    const caller = newCaller(service)
    const device = { token: TOKEN_OF[state], platform: '0' }
    const { tag, lat, badge } = await caller.register({ ...device, ...LABELS })
    await depart(caller, state)
    expectUnknown(await caller.put(path, { ...device, ...change }))
    if (alias !== null) expectUnknown(await caller.put(path, { platform: '0', [alias]: 'user-17', ...change }))
    // What a quarantined device had is there again, and unchanged.
    const back = state === 'gone' ? { alias: null, tag: [] } : { alias: 'user-17', tag }
    expect(await caller.register(device)).toMatchObject({ ...back, lat, badge })
  })

  test('needs no secret, but an application', async () => {
    const caller = newCaller(service)
    const before = await caller.register({ ...DEVICE, ...LABELS })
    const answer = await caller.put(path, { ...DEVICE, ...change }, 'nobody')
    expectFailure(answer, 400, 'InvalidHeader', 'Authentication headers not found.')
    expect(await caller.devices()).toEqual([before])
    const { status: taken, body } = await caller.put(path, { ...DEVICE, ...change }, 'device')
    expect([taken, body]).toEqual([status, { message }])
    expect(await caller.devices()).not.toEqual([before])
  })

  const byAlias = alias === null ? [] : [alias]
  test.each(byAlias)('by %s alone needs the secret, whether or not anybody has the alias', async (name) => {
    const caller = newCaller(service)
    const before = await caller.register({ ...DEVICE, ...LABELS })
    clock.advance(1000)
    for (const held of ['user-17', 'nobody']) {
      for (const token of [undefined, null, '']) {
        const answer = await caller.put(path, { platform: '0', token, [name]: held, ...change }, 'device')
        const needs = `${name} without token needs X-SERVICE-SECRET, the secret of the application.`
        expectFailure(answer, 400, 'InvalidHeader', needs)
      }
    }
    expect(await caller.devices()).toEqual([before])
    const both = await caller.put(path, { ...DEVICE, [name]: 'user-17', ...change }, 'device')
    expect(both.body).toEqual({ message })
  })

  const wrongs: NamingCall['refused'] = [
    ['token', bad.BAD_TOKENS, (token) => ({ token })],
    ['platform', bad.BAD_PLATFORMS, (platform) => ({ platform })],
    ...refused,
  ]
  test.each(wrongs.map(([field, values, wrong]) => [field, values, wrong] as const))(
    '400, and nothing changes: %s',
    async (field, values, wrong) => {
      const caller = newCaller(service)
      const before = await caller.register({ ...DEVICE, ...LABELS })
      clock.advance(1000)
      await expectInvalid((value) => caller.put(path, { ...DEVICE, ...change, ...wrong(value) }), field, values)
      expect(await caller.devices()).toEqual([before])
    },
  )

  test('409, and nothing changes: a field is missing, which is said before another one is wrong', async () => {
    const caller = newCaller(service)
    const before = await caller.register({ ...DEVICE, ...LABELS })
    const send = (more: object) => caller.put(path, { ...DEVICE, ...change, ...more })
    await expectRequired((platform) => send({ platform, token: 5 }), 'platform is required.')
    for (const [field, needed, missing] of required) {
      // An empty list is there, and so no more than wrong.
      const wrong = (value: unknown) => (Array.isArray(value) ? {} : { platform: '7' })
      await expectRequired((value) => send({ ...wrong(value), [field]: value }), needed, missing)
    }
    const unnamed = (value: unknown) => send({ token: value, ...(alias !== null && { [alias]: value }) })
    await expectRequired(unnamed, `token is required${alias === null ? '' : `, or ${alias}`}.`)
    expect(await caller.put(path, undefined)).toMatchObject({ status: 409, body: { code: 'MissingParameter' } })
    expect(await caller.devices()).toEqual([before])
  })
})
