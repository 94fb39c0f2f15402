import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { depart, TOKEN_OF } from '../../support/departure.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import * as bad from '../../support/refusals.ts'
import { expectFailure, expectInvalid, expectRequired } from '../../support/refusals.ts'
import { startService } from '../../support/service.ts'
import type { Answer, Service } from '../../support/service.ts'

const PATH = '/tag/del'
const DEVICE = { token: '3f8a'.repeat(16), platform: '0' }
const OTHER = { token: 'other', platform: '0' }
const LABELS = { tag: ['a', 'b', 'c'], active: ['a', 'n'] }

const clock = createFakeClock()
let service: Service
beforeAll(async () => {
  service = await startService({ clock })
})
afterAll(() => service[Symbol.asyncDispose]())

async function expectUntagged(caller: Caller, body: object): Promise<void> {
  const answer = await caller.put(PATH, body)
  expect([answer.status, answer.body]).toEqual([200, { message: 'Untagged' }])
}

function expectUnknown(answer: Answer): void {
  expectFailure(answer, 404, 'ResourceNotFound', 'No device found')
}

describe('PUT /tag/del', () => {
  test('removes one tag from the device that token names, and changes nothing else', async () => {
    const caller = newCaller(service)
    const before = await caller.register({ ...DEVICE, ...LABELS, alias: 'x', lat: 1, lng: 2 })
    const other = await caller.register({ ...OTHER, ...LABELS })
    clock.advance(1000)
    await expectUntagged(caller, { ...DEVICE, tag: 'a' })
    const after = { ...before, tag: ['b', 'c'], updated_at: new Date(clock.now()).toISOString() }
    expect(await caller.devices()).toEqual([after, other])
  })

  test('names the device by Alias or alias too; token counts where both are given', async () => {
    const caller = newCaller(service)
    await caller.register({ ...DEVICE, ...LABELS, alias: 'user-17' })
    await caller.register({ ...OTHER, ...LABELS })
    await expectUntagged(caller, { platform: '0', Alias: 'user-17', tag: 'a' })
    await expectUntagged(caller, { platform: '0', alias: 'user-17', Alias: 'nobody', tag: 'b' })
    await expectUntagged(caller, { ...OTHER, Alias: 'user-17', tag: 'c' })
    expect(await caller.devices()).toMatchObject([{ tag: ['c'] }, { tag: ['a', 'b'] }])
  })

  test('is 200 also where the device does not have the tag, or nobody has, and changes nothing', async () => {
    const caller = newCaller(service)
    await caller.register({ ...DEVICE, ...LABELS })
    await caller.register({ ...OTHER, tag: ['x'] })
    const before = await caller.devices()
    clock.advance(1000)
    for (const tag of ['x', 'n', 'A', 'a ', 'never seen']) await expectUntagged(caller, { ...DEVICE, tag })
    expect(await caller.devices()).toEqual(before)
  })

  test('reads an array of tags, tags where tag is absent, platform as a number; ignores unknown fields', async () => {
    const caller = newCaller(service)
    await caller.register({ ...DEVICE, ...LABELS })
    await expectUntagged(caller, { ...DEVICE, tag: ['a', 'x', 'b', 'a'] })
    expect(await caller.devices()).toMatchObject([{ tag: ['c'] }])
    await expectUntagged(caller, { ...DEVICE, platform: 0, tags: 'c', active: ['n'], lat: 'x' })
    expect(await caller.devices()).toMatchObject([{ ...LABELS, tag: [] }])
  })

  test('makes room for another tag where a device has 100', async () => {
    const caller = newCaller(service)
    await caller.register({ ...DEVICE, tag: Array.from({ length: 100 }, (_, index) => `t${index}`) })
    expect(await caller.put('/tag', { ...DEVICE, tag: 'x' })).toMatchObject({ status: 400 })
    await expectUntagged(caller, { ...DEVICE, tag: 't7' })
    expect(await caller.put('/tag', { ...DEVICE, tag: 'x' })).toMatchObject({ status: 201 })
  })

  test('an unknown device is 404: never seen, of the other platform, or of another application', async () => {
    const [caller, other] = [newCaller(service), newCaller(service)]
    const before = await caller.register({ ...DEVICE, ...LABELS, alias: 'user-17' })
    expectUnknown(await caller.put(PATH, { ...OTHER, tag: 'a' }))
    expectUnknown(await caller.put(PATH, { ...DEVICE, platform: '1', tag: 'a' }))
    expectUnknown(await caller.put(PATH, { platform: '0', Alias: 'nobody', tag: 'a' }))
    expectUnknown(await caller.put(PATH, { platform: '1', Alias: 'user-17', tag: 'a' }))
    expectUnknown(await other.put(PATH, { ...DEVICE, tag: 'a' }))
    expectUnknown(await other.put(PATH, { platform: '0', Alias: 'user-17', tag: 'a' }))
    expect(await caller.devices()).toEqual([before])
  })

  test.each(['gone', 'quarantined'] as const)('a device that is %s is unknown', async (state) => {
    const caller = newCaller(service)
    const device = { token: TOKEN_OF[state], platform: '0' }
    await caller.register({ ...device, ...LABELS, alias: 'user-17' })
    await depart(caller, state)
    expectUnknown(await caller.put(PATH, { ...device, tag: 'a' }))
    expectUnknown(await caller.put(PATH, { platform: '0', Alias: 'user-17', tag: 'a' }))
    expect(await caller.register(device)).toMatchObject(state === 'gone' ? { tag: [] } : LABELS)
  })

  test('by Alias alone needs the secret, whether or not anybody has the alias', async () => {
    const caller = newCaller(service)
    const before = await caller.register({ ...DEVICE, alias: 'user-17', tag: ['a'] })
    clock.advance(1000)
    for (const alias of ['user-17', 'nobody']) {
      for (const named of [{ Alias: alias }, { alias }, { Alias: alias, token: '' }, { alias, token: null }]) {
        const answer = await caller.put(PATH, { platform: '0', ...named, tag: 'a' }, 'device')
        const message = 'Alias without token needs X-SERVICE-SECRET, the secret of the application.'
        expectFailure(answer, 400, 'InvalidHeader', message)
      }
    }
    expect(await caller.devices()).toEqual([before])
    const both = await caller.put(PATH, { ...DEVICE, Alias: 'nobody', tag: 'a' }, 'device')
    expect(both.body).toEqual({ message: 'Untagged' })
  })

  test('needs no secret, but an application', async () => {
    const caller = newCaller(service)
    await caller.register({ ...DEVICE, ...LABELS })
    const answer = await caller.put(PATH, { ...DEVICE, tag: 'a' }, 'nobody')
    expectFailure(answer, 400, 'InvalidHeader', 'Authentication headers not found.')
    expect(await caller.put(PATH, { ...DEVICE, tag: 'b' }, 'device')).toMatchObject({ status: 200 })
    expect(await caller.devices()).toMatchObject([{ tag: ['a', 'c'] }])
  })
})

describe('bad input to PUT /tag/del changes nothing', () => {
  test.each([
    ['token', bad.BAD_TOKENS, (token: unknown) => ({ token })],
    ['platform', bad.BAD_PLATFORMS, (platform: unknown) => ({ platform })],
    ['alias', bad.BAD_NAMES, (alias: unknown) => ({ alias })],
    ['Alias', bad.BAD_NAMES, (Alias: unknown) => ({ Alias })],
    ['tag', bad.BAD_LISTS, (tag: unknown) => ({ tag })],
    ['tags', bad.BAD_LISTS, (tags: unknown) => ({ tags, tag: null })],
    ['tag[1]', bad.BAD_MEMBERS, (tag: unknown) => ({ tag: ['a', tag] })],
  ] as const)('400: %s', async (field, values, change) => {
    const caller = newCaller(service)
    const before = await caller.register({ ...DEVICE, ...LABELS })
    clock.advance(1000)
    await expectInvalid((value) => caller.put(PATH, { ...DEVICE, tag: 'a', ...change(value) }), field, values)
    expect(await caller.devices()).toEqual([before])
  })

  test('409: platform, tag, or both of token and Alias are missing', async () => {
    const caller = newCaller(service)
    const before = await caller.register({ ...DEVICE, ...LABELS })
    const send = (more: object) => caller.put(PATH, { ...DEVICE, tag: 'a', ...more })
    await expectRequired((platform) => send({ platform, token: 5 }), 'platform is required.')
    await expectRequired((tag) => send({ tag, token: 5 }), 'tag is required.')
    await expectRequired((tag) => send({ tag }), 'tag is required.', [[]])
    await expectRequired((value) => send({ token: value, Alias: value }), 'token is required, or Alias.')
    expectFailure(await caller.put(PATH, undefined), 409, 'MissingParameter', 'platform is required.')
    expect(await caller.devices()).toEqual([before])
  })
})
