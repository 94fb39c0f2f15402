import { describe, expect, test } from 'bun:test'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { expectFailure } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'

const PATH = '/badge'
const DEVICE = { token: '3f8a'.repeat(16), platform: '0' }

const clock = createFakeClock()
const service = await fileService({ clock })

async function expectSet(caller: Caller, setbadgecount: unknown): Promise<void> {
  const answer = await caller.put(PATH, { ...DEVICE, setbadgecount })
  expect([answer.status, answer.body]).toEqual([200, { message: 'Badge set' }])
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
})

test('PUT /badge refuses a number beyond all numbers', async () => {
  const caller = newCaller(service)
  const before = await caller.register(DEVICE)
  const answer = await caller.put(PATH, `{"token":"${DEVICE.token}","platform":0,"setbadgecount":1e400}`)
  const message = 'setbadgecount must be a whole number from 0 to 2147483647, not Infinity.'
  expectFailure(answer, 400, 'InvalidArgument', message)
  expect(await caller.devices()).toEqual([before])
})
