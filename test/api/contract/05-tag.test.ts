import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { depart, TOKEN_OF } from '../../support/departure.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import * as bad from '../../support/refusals.ts'
import { expectFailure, expectInvalid, expectRequired } from '../../support/refusals.ts'
import { startService } from '../../support/service.ts'
import type { Answer, Service } from '../../support/service.ts'

const PATH = '/tag'
const DEVICE = { token: '3f8a'.repeat(16), platform: '0' }
const OTHER = { token: 'other', platform: '0' }

const clock = createFakeClock()
let service: Service
beforeAll(async () => {
  service = await startService({ clock })
})
afterAll(() => service[Symbol.asyncDispose]())

async function expectTagged(caller: Caller, body: object): Promise<void> {
  const answer = await caller.put(PATH, body)
  expect([answer.status, answer.body]).toEqual([201, { message: 'Tagged' }])
}

function expectUnknown(answer: Answer): void {
  expectFailure(answer, 404, 'ResourceNotFound', 'No device found')
}

describe('PUT /tag', () => {
  test('adds one tag to the device that token names, and changes nothing else', async () => {
    const caller = newCaller(service)
    const before = await caller.register({ ...DEVICE, tag: ['m'], active: ['n'], alias: 'a', lat: 1, lng: 2 })
    const other = await caller.register(OTHER)
    clock.advance(1000)
    await expectTagged(caller, { ...DEVICE, tag: 'x' })
    await expectTagged(caller, { ...DEVICE, tag: 'b' })
    const after = { ...before, tag: ['b', 'm', 'x'], updated_at: new Date(clock.now()).toISOString() }
    expect(await caller.devices()).toEqual([after, other])
  })

  test('names the device by Alias or alias too; token counts where both are given', async () => {
    const caller = newCaller(service)
    await caller.register({ ...DEVICE, alias: 'user-17' })
    await caller.register(OTHER)
    await expectTagged(caller, { platform: '0', Alias: 'user-17', tag: 'a' })
    await expectTagged(caller, { platform: '0', alias: 'user-17', Alias: 'nobody', tag: 'b' })
    await expectTagged(caller, { platform: '0', alias: '', token: null, Alias: 'user-17', tag: 'c' })
    await expectTagged(caller, { ...OTHER, Alias: 'user-17', tag: 'd' })
    expect(await caller.devices()).toMatchObject([{ tag: ['a', 'b', 'c'] }, { tag: ['d'] }])
  })

  test('a tag the device has already is 201, and there once', async () => {
    const caller = newCaller(service)
    await caller.register({ ...DEVICE, active: ['x'] })
    const answers = await Promise.all(Array.from({ length: 5 }, () => caller.put(PATH, { ...DEVICE, tag: 'x' })))
    for (const { status } of answers) expect(status).toBe(201)
    expect(await caller.devices()).toMatchObject([{ tag: ['x'], active: ['x'] }])
  })

  test('reads an array of tags, tags where tag is absent, platform as a number; ignores unknown fields', async () => {
    const caller = newCaller(service)
    await caller.register(DEVICE)
    await expectTagged(caller, { ...DEVICE, tag: ['b', 'a', 'b'] })
    await expectTagged(caller, { ...DEVICE, platform: 0, tags: 'c', active: ['no'], lat: 'x' })
    expect(await caller.devices()).toMatchObject([{ tag: ['a', 'b', 'c'], active: [], lat: null }])
  })

  test('takes any 256 characters of 512 bytes, and tells letter cases and spaces apart', async () => {
    const caller = newCaller(service)
    await caller.register(DEVICE)
    const tags = [' ', 'A', 'a', 'a ', 'é'.repeat(256), '😀'.repeat(128)]
    for (const tag of tags) await expectTagged(caller, { ...DEVICE, tag })
    expect((await caller.devices())[0]?.tag.toSorted()).toEqual(tags.toSorted())
  })

  test('gives a device 100 tags and no more: of an array that goes beyond, none is added', async () => {
    const caller = newCaller(service)
    const names = Array.from({ length: 99 }, (_, index) => String(index).padStart(3, '0'))
    const before = await caller.register({ ...DEVICE, tag: names })
    const beyond = await caller.put(PATH, { ...DEVICE, tag: ['x', 'y'] })
    expectFailure(beyond, 400, 'InvalidArgument', 'tag: a device can have at most 100 tags.')
    expect(await caller.devices()).toEqual([before])
    await expectTagged(caller, { ...DEVICE, tag: ['x', '000'] })
    await expectTagged(caller, { ...DEVICE, tag: 'x' })
    const full = await caller.put(PATH, { ...DEVICE, tag: 'y' })
    expectFailure(full, 400, 'InvalidArgument', 'tag: a device can have at most 100 tags.')
    expect(await caller.devices()).toMatchObject([{ tag: [...names, 'x'] }])
  })

  test('an unknown device is 404: never seen, of the other platform, or of another application', async () => {
    const [caller, other] = [newCaller(service), newCaller(service)]
    const before = await caller.register({ ...DEVICE, alias: 'user-17' })
    expectUnknown(await caller.put(PATH, { ...OTHER, tag: 'x' }))
    expectUnknown(await caller.put(PATH, { ...OTHER, Alias: 'user-17', tag: 'x' }))
    expectUnknown(await caller.put(PATH, { ...DEVICE, platform: '1', tag: 'x' }))
    expectUnknown(await caller.put(PATH, { platform: '0', Alias: 'nobody', tag: 'x' }))
    expectUnknown(await caller.put(PATH, { platform: '1', Alias: 'user-17', tag: 'x' }))
    expectUnknown(await other.put(PATH, { ...DEVICE, tag: 'x' }))
    expectUnknown(await other.put(PATH, { platform: '0', Alias: 'user-17', tag: 'x' }))
    expect(await caller.devices()).toEqual([before])
    expect(await other.devices()).toEqual([])
  })

  test.each(['gone', 'quarantined'] as const)('a device that is %s is unknown', async (state) => {
    const caller = newCaller(service)
    const device = { token: TOKEN_OF[state], platform: '0' }
    await caller.register({ ...device, alias: 'user-17', tag: ['a'] })
    await depart(caller, state)
    expectUnknown(await caller.put(PATH, { ...device, tag: 'x' }))
    expectUnknown(await caller.put(PATH, { platform: '0', Alias: 'user-17', tag: 'x' }))
    expect((await caller.register(device)).tag).not.toContain('x')
  })

  test('by Alias alone needs the secret, whether or not anybody has the alias', async () => {
    const caller = newCaller(service)
    const before = await caller.register({ ...DEVICE, alias: 'user-17', tag: ['a'] })
    clock.advance(1000)
    for (const alias of ['user-17', 'nobody']) {
      for (const named of [{ Alias: alias }, { alias }, { Alias: alias, token: '' }, { alias, token: null }]) {
        const answer = await caller.put(PATH, { platform: '0', ...named, tag: 'b' }, 'device')
        const message = 'Alias without token needs X-SERVICE-SECRET, the secret of the application.'
        expectFailure(answer, 400, 'InvalidHeader', message)
      }
    }
    expect(await caller.devices()).toEqual([before])
    const both = await caller.put(PATH, { ...DEVICE, Alias: 'nobody', tag: 'b' }, 'device')
    expect(both.body).toEqual({ message: 'Tagged' })
  })

  test('needs no secret, but an application', async () => {
    const caller = newCaller(service)
    await caller.register(DEVICE)
    const answer = await caller.put(PATH, { ...DEVICE, tag: 'a' }, 'nobody')
    expectFailure(answer, 400, 'InvalidHeader', 'Authentication headers not found.')
    expect(await caller.put(PATH, { ...DEVICE, tag: 'b' }, 'device')).toMatchObject({ status: 201 })
    expect(await caller.devices()).toMatchObject([{ tag: ['b'] }])
  })
})

describe('bad input to PUT /tag changes nothing', () => {
  test.each([
    ['token', bad.BAD_TOKENS, (token: unknown) => ({ token })],
    ['platform', bad.BAD_PLATFORMS, (platform: unknown) => ({ platform })],
    ['alias', bad.BAD_NAMES, (alias: unknown) => ({ alias })],
    ['Alias', bad.BAD_NAMES, (Alias: unknown) => ({ Alias })],
    ['tag', bad.BAD_LISTS, (tag: unknown) => ({ tag })],
    ['tags', bad.BAD_LISTS, (tags: unknown) => ({ tags, tag: null })],
    ['tag[1]', bad.BAD_MEMBERS, (tag: unknown) => ({ tag: ['new', tag] })],
  ] as const)('400: %s', async (field, values, change) => {
    const caller = newCaller(service)
    const before = await caller.register({ ...DEVICE, tag: ['kept'] })
    clock.advance(1000)
    await expectInvalid((value) => caller.put(PATH, { ...DEVICE, tag: 'new', ...change(value) }), field, values)
    expect(await caller.devices()).toEqual([before])
  })

  test('409: platform, tag, or both of token and Alias are missing', async () => {
    const caller = newCaller(service)
    const before = await caller.register({ ...DEVICE, tag: ['kept'] })
    const send = (more: object) => caller.put(PATH, { ...DEVICE, tag: 'new', ...more })
    await expectRequired((platform) => send({ platform, token: 5 }), 'platform is required.')
    await expectRequired((tag) => send({ tag, token: 5 }), 'tag is required.')
    await expectRequired((tag) => send({ tag }), 'tag is required.', [[]])
    await expectRequired((value) => send({ token: value, Alias: value }), 'token is required, or Alias.')
    expectFailure(await caller.put(PATH, undefined), 409, 'MissingParameter', 'platform is required.')
    expect(await caller.devices()).toEqual([before])
  })
})
