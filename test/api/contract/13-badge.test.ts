import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { depart, TOKEN_OF } from '../../support/departure.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import * as bad from '../../support/refusals.ts'
import { expectFailure, expectInvalid, expectRequired } from '../../support/refusals.ts'
import { startService } from '../../support/service.ts'
import type { Answer, Service } from '../../support/service.ts'

const PATH = '/badge'
const DEVICE = { token: '3f8a'.repeat(16), platform: '0' }

const clock = createFakeClock()
let service: Service
beforeAll(async () => {
  service = await startService({ clock })
})
afterAll(() => service[Symbol.asyncDispose]())

async function expectSet(caller: Caller, setbadgecount: unknown): Promise<void> {
  const answer = await caller.put(PATH, { ...DEVICE, setbadgecount })
  expect([answer.status, answer.body]).toEqual([200, { message: 'Badge set' }])
}

function expectUnknown(answer: Answer): void {
  expectFailure(answer, 404, 'ResourceNotFound', 'No device found')
}

describe('PUT /badge', () => {
  test('sets the badge count of the device, and changes nothing else', async () => {
    const caller = newCaller(service)
    const before = await caller.register({ ...DEVICE, tag: ['a'], active: ['n'], alias: 'user-17', lat: 1, lng: 2 })
    const other = await caller.register({ token: 'other', platform: '0' })
    for (const badge of [5, 0, 2_147_483_647]) {
      clock.advance(1000)
      await expectSet(caller, badge)
      const updated = new Date(clock.now()).toISOString()
      expect(await caller.devices()).toEqual([{ ...before, badge, updated_at: updated }, other])
    }
  })

  test('reads the count in digits too, and platform as a number; ignores unknown fields', async () => {
    const caller = newCaller(service)
    await caller.register(DEVICE)
    for (const [given, badge] of [
      ['7', 7],
      ['007', 7],
      ['0', 0],
      [-0, 0],
      ['2147483647', 2_147_483_647],
    ] as const) {
      await expectSet(caller, given)
      expect(await caller.devices()).toMatchObject([{ badge }])
    }
    const loose = await caller.put(PATH, { ...DEVICE, platform: 0, setbadgecount: 3, badge: 9, tag: ['x'] })
    expect(loose.status).toBe(200)
    expect(await caller.devices()).toMatchObject([{ badge: 3, tag: [] }])
  })

  test('the count is what a relative badge of a push counts from', async () => {
    const caller = newCaller(service)
    await caller.register(DEVICE)
    await expectSet(caller, 5)
    expect(await caller.post('/push/one', { ...DEVICE, msg: 'Hello', sound: '', badge: '+2' })).toMatchObject({
      status: 200,
    })
    let badge = 5
    // The badge is written down when the gateway has taken the push.
    while (badge !== 7) {
      badge = Number((await caller.devices())[0]?.badge)
      expect([5, 7]).toContain(badge)
    }
  })

  test('an unknown device is 404: never seen, of the other platform, or of another application', async () => {
    const [caller, other] = [newCaller(service), newCaller(service)]
    const before = await caller.register(DEVICE)
    expectUnknown(await caller.put(PATH, { token: 'unknown', platform: '0', setbadgecount: 1 }))
    expectUnknown(await caller.put(PATH, { ...DEVICE, platform: '1', setbadgecount: 1 }))
    expectUnknown(await other.put(PATH, { ...DEVICE, setbadgecount: 1 }))
    expect(await caller.devices()).toEqual([before])
    expect(await other.devices()).toEqual([])
  })

  test.each(['gone', 'quarantined'] as const)('a device that is %s is unknown', async (state) => {
    const caller = newCaller(service)
    const device = { token: TOKEN_OF[state], platform: '0' }
    await caller.register(device)
    await depart(caller, state)
    expectUnknown(await caller.put(PATH, { ...device, setbadgecount: 1 }))
    expect(await caller.register(device)).toMatchObject({ badge: 0 })
  })

  test('needs no secret, but an application', async () => {
    const caller = newCaller(service)
    await caller.register(DEVICE)
    const answer = await caller.put(PATH, { ...DEVICE, setbadgecount: 1 }, 'nobody')
    expectFailure(answer, 400, 'InvalidHeader', 'Authentication headers not found.')
    expect(await caller.devices()).toMatchObject([{ badge: 0 }])
    expect(await caller.put(PATH, { ...DEVICE, setbadgecount: 2 }, 'device')).toMatchObject({ status: 200 })
    expect(await caller.devices()).toMatchObject([{ badge: 2 }])
  })
})

describe('bad input to PUT /badge changes nothing', () => {
  const shown: readonly (readonly [value: unknown, shown: string])[] = [
    [-1, '-1'],
    [2_147_483_648, '2147483648'],
    [1.5, '1.5'],
    [true, 'true'],
    [[1], 'an array'],
    [{}, 'an object'],
    ...['-1', '+1', '1.0', '1e3', '0x1', ' 1', '1 ', 'x', '2147483648'].map((text) => [text, `"${text}"`] as const),
    ['1\u0000', '"1\\u0000"'],
    ['\ud83d', '"\\ud83d"'],
    ['9'.repeat(5000), 'a string of 5000 characters'],
  ]
  const badCounts = shown.map(
    ([value, text]) => [value, `must be a whole number from 0 to 2147483647, not ${text}`] as const,
  )

  test.each([
    ['token', bad.BAD_TOKENS],
    ['platform', bad.BAD_PLATFORMS],
    ['setbadgecount', badCounts],
  ] as const)('400: %s', async (field, values) => {
    const caller = newCaller(service)
    await caller.register(DEVICE)
    await expectSet(caller, 3)
    const before = await caller.devices()
    clock.advance(1000)
    await expectInvalid((value) => caller.put(PATH, { ...DEVICE, setbadgecount: 9, [field]: value }), field, values)
    expect(await caller.devices()).toEqual(before)
  })

  test('400: a number beyond all numbers', async () => {
    const caller = newCaller(service)
    const before = await caller.register(DEVICE)
    const answer = await caller.put(PATH, `{"token":"${DEVICE.token}","platform":0,"setbadgecount":1e400}`)
    const message = 'setbadgecount must be a whole number from 0 to 2147483647, not Infinity.'
    expectFailure(answer, 400, 'InvalidArgument', message)
    expect(await caller.devices()).toEqual([before])
  })

  test('409: token, platform or setbadgecount is missing, which is said before anything else', async () => {
    const caller = newCaller(service)
    const before = await caller.register(DEVICE)
    for (const field of ['token', 'platform', 'setbadgecount']) {
      const wrong = { token: 5, platform: 5, setbadgecount: -1 }
      await expectRequired((value) => caller.put(PATH, { ...wrong, [field]: value }), `${field} is required.`)
    }
    expectFailure(await caller.put(PATH, undefined), 409, 'MissingParameter', 'token is required.')
    expect(await caller.devices()).toEqual([before])
  })
})
