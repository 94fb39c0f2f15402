import { describe, expect, test } from 'bun:test'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { expectFailure } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'

const PATH = '/tag'
const DEVICE = { token: '3f8a'.repeat(16), platform: '0' }
const OTHER = { token: 'other', platform: '0' }

const clock = createFakeClock()
const service = await fileService({ clock })

async function expectTagged(caller: Caller, body: object): Promise<void> {
  const answer = await caller.put(PATH, body)
  expect([answer.status, answer.body]).toEqual([201, { message: 'Tagged' }])
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
})
