import { describe, expect, test } from 'bun:test'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { fileService } from '../../support/file-service.ts'

const PATH = '/tag/del'
const DEVICE = { token: '3f8a'.repeat(16), platform: '0' }
const OTHER = { token: 'other', platform: '0' }
const LABELS = { tag: ['a', 'b', 'c'], active: ['a', 'n'] }

const clock = createFakeClock()
const service = await fileService({ clock })

async function expectUntagged(caller: Caller, body: object): Promise<void> {
  const answer = await caller.put(PATH, body)
  expect([answer.status, answer.body]).toEqual([200, { message: 'Untagged' }])
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
})
