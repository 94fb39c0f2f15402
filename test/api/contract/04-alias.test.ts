import { describe, expect, test } from 'bun:test'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { depart, TOKEN_OF } from '../../support/departure.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { expectFailure, statusesOf } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import type { Answer } from '../../support/service.ts'

const PATH = '/alias'
const DEVICE = { token: '3f8a'.repeat(16), platform: '0' }
const OTHER = { token: 'other', platform: '0' }

const clock = createFakeClock()
const service = await fileService({ clock })

async function expectDone(caller: Caller, body: object, message = 'Alias set'): Promise<void> {
  const answer = await caller.put(PATH, body)
  expect([answer.status, answer.body]).toEqual([200, { message }])
}

function expectUnknown(answer: Answer): void {
  expectFailure(answer, 404, 'ResourceNotFound', 'No device found')
}

function expectTaken(answer: Answer): void {
  expectFailure(answer, 409, 'ConflictError', 'alias belongs to another device of the application.')
}

describe('PUT /alias', () => {
  test('sets and replaces the alias of the device that token names, and nothing else', async () => {
    const caller = newCaller(service)
    const before = await caller.register({ ...DEVICE, tag: ['a'], active: ['n'], lat: 1, lng: 2 })
    for (const alias of ['user-17', 'user-18', '😀'.repeat(128), ' ', 'é']) {
      clock.advance(1000)
      await expectDone(caller, { ...DEVICE, alias })
      expect(await caller.devices()).toEqual([{ ...before, alias, updated_at: new Date(clock.now()).toISOString() }])
    }
  })

  test('with current_alias renames the device that holds it', async () => {
    const caller = newCaller(service)
    await caller.register({ ...DEVICE, alias: 'old' })
    await caller.register({ ...OTHER, alias: 'else' })
    await expectDone(caller, { platform: '0', current_alias: 'old', alias: 'new' })
    expect(await caller.devices()).toMatchObject([{ alias: 'new' }, { alias: 'else' }])
    expectUnknown(await caller.put(PATH, { platform: '0', current_alias: 'old', alias: 'newer' }))
  })

  test('with token and current_alias needs both to name the same device', async () => {
    const caller = newCaller(service)
    await caller.register({ ...DEVICE, alias: 'old' })
    await caller.register({ ...OTHER, alias: 'else' })
    await expectDone(caller, { ...DEVICE, current_alias: 'old', alias: 'new' })
    const mismatch = await caller.put(PATH, { ...DEVICE, current_alias: 'else', alias: 'newer' })
    expectFailure(mismatch, 409, 'ConflictError', 'token and current_alias name different devices.')
    expectUnknown(await caller.put(PATH, { ...DEVICE, current_alias: 'nobody', alias: 'newer' }))
    expectUnknown(await caller.put(PATH, { token: 'unknown', platform: '0', current_alias: 'new', alias: 'newer' }))
    expect(await caller.devices()).toMatchObject([{ alias: 'new' }, { alias: 'else' }])
  })

  test('alias "" removes the alias, which is then free; also where there is none', async () => {
    const caller = newCaller(service)
    await caller.register({ ...DEVICE, alias: 'user-17' })
    await caller.register(OTHER)
    await expectDone(caller, { platform: '0', current_alias: 'user-17', alias: '' }, 'Alias removed')
    await expectDone(caller, { ...DEVICE, alias: '' }, 'Alias removed')
    await expectDone(caller, { ...OTHER, alias: 'user-17' })
    expect(await caller.devices()).toMatchObject([{ alias: null }, { alias: 'user-17' }])
  })

  test('taking the alias of another device, on either platform, is 409 and changes nothing', async () => {
    const caller = newCaller(service)
    const held = [
      { ...DEVICE, alias: 'a' },
      { ...OTHER, alias: 'b' },
      { token: 'c', platform: '1', alias: 'c' },
    ]
    for (const device of held) await caller.register(device)
    const before = await caller.devices()
    clock.advance(1000)
    expectTaken(await caller.put(PATH, { ...OTHER, alias: 'a' }))
    expectTaken(await caller.put(PATH, { platform: '1', token: 'c', alias: 'a' }))
    expectTaken(await caller.put(PATH, { platform: '0', current_alias: 'b', alias: 'c' }))
    expect(await caller.devices()).toEqual(before)
  })

  test('an alias is free to its own device, to other applications, and in another letter case', async () => {
    const [caller, other] = [newCaller(service), newCaller(service)]
    await caller.register({ ...DEVICE, alias: 'user-17' })
    await caller.register(OTHER)
    await other.register(OTHER)
    await expectDone(caller, { ...DEVICE, alias: 'user-17' })
    await expectDone(caller, { ...DEVICE, current_alias: 'user-17', alias: 'user-17' })
    await expectDone(caller, { ...OTHER, alias: 'USER-17' })
    await expectDone(other, { ...OTHER, alias: 'user-17' })
    expect(await caller.devices()).toMatchObject([{ alias: 'user-17' }, { alias: 'USER-17' }])
    expect(await other.devices()).toMatchObject([{ alias: 'user-17' }])
  })

  test('gives an alias to one device, however many ask at the same time', async () => {
    const caller = newCaller(service)
    const tokens = Array.from({ length: 10 }, (_, index) => `t${index}`)
    await caller.put('/deviceToken/batch', { tokens, platform: '1' })
    const answers = await Promise.all(tokens.map((token) => caller.put(PATH, { token, platform: 1, alias: 'one' })))
    expect(statusesOf(answers)).toEqual({ 200: 1, 409: 9 })
    expect((await caller.devices()).filter(({ alias }) => alias === 'one')).toHaveLength(1)
  })

  test.each(['gone', 'quarantined'] as const)('a device that is %s is unknown, and its alias free', async (state) => {
    const caller = newCaller(service)
    const device = { token: TOKEN_OF[state], platform: '0' }
    await caller.register({ ...device, alias: 'user-17' })
    await depart(caller, state)
    expectUnknown(await caller.put(PATH, { ...device, alias: 'x' }))
    expectUnknown(await caller.put(PATH, { platform: '0', current_alias: 'user-17', alias: 'x' }))
    await caller.register(OTHER)
    await expectDone(caller, { ...OTHER, alias: 'user-17' })
    expect(await caller.register(device)).toMatchObject({ alias: null })
  })

  test('reads alias and Alias; alias counts where both are given; unknown fields are ignored', async () => {
    const caller = newCaller(service)
    await caller.register(DEVICE)
    const readings: readonly [given: object, alias: string | null][] = [
      [{ Alias: 'a' }, 'a'],
      [{ Alias: 'no', alias: 'b' }, 'b'],
      [{ Alias: 'c', alias: null, platform: 0, current_alias: '', tag: 5 }, 'c'],
      [{ Alias: 'no', alias: '' }, null],
    ]
    for (const [given, alias] of readings) {
      expect(await caller.put(PATH, { ...DEVICE, ...given })).toMatchObject({ status: 200 })
      expect(await caller.devices()).toMatchObject([{ alias }])
    }
  })
})

describe('PUT /alias by current_alias alone', () => {
  test('takes no alias of another device, also with the secret', async () => {
    const caller = newCaller(service)
    await caller.register({ ...DEVICE, alias: 'a' })
    await caller.register({ ...OTHER, alias: 'b' })
    const before = await caller.devices()
    for (const named of [{ platform: '0', current_alias: 'b' }, OTHER]) {
      expectTaken(await caller.put(PATH, { ...named, alias: 'a' }, 'backend'))
    }
    expect(await caller.devices()).toEqual(before)
  })
})
