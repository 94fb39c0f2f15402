import { describe, expect, test } from 'bun:test'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { BAD_NAMES, expectFailure, expectInvalid } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'

const PHONE = { token: 'ab'.repeat(32), platform: '0' }
const TABLET = { token: 'phone:1', platform: '1' }
const OTHER = { token: 'cd'.repeat(32), platform: '0' }

const service = await fileService()

const one = async (caller: Caller, { token }: { readonly token: string }) =>
  (await service.get('/deviceToken/one', { application: caller.application, headers: { token } })).body
const tokensOf = (body: readonly { readonly token: string }[]) => body.map(({ token }) => token)

describe('the user of a device', () => {
  test('is in its record, stays where a registration does not speak of it, and goes with ""', async () => {
    const caller = newCaller(service)
    expect(await caller.register({ ...PHONE, user: 'ann' })).toMatchObject({ user: 'ann' })
    expect(await one(caller, PHONE)).toMatchObject({ user: 'ann' })
    for (const same of [{}, { user: null }]) {
      expect(await caller.register({ ...PHONE, ...same })).toMatchObject({ user: 'ann' })
    }
    expect(await caller.register({ ...PHONE, user: 'bob' })).toMatchObject({ user: 'bob' })
    expect(await caller.register({ ...PHONE, user: '' })).not.toHaveProperty('user')
    expect(await one(caller, PHONE)).not.toHaveProperty('user')
  })

  test('is not unique', async () => {
    const caller = newCaller(service)
    for (const device of [PHONE, TABLET]) {
      const { warnings, user } = { warnings: [], ...(await caller.register({ ...device, user: 'ann' })) }
      expect([user, warnings]).toEqual(['ann', []])
    }
  })

  test('is what was sent, to the code point: forms that look alike are two users', async () => {
    const caller = newCaller(service)
    const [composed, decomposed] = ['\u00e9', 'e\u0301']
    await caller.register({ ...PHONE, user: composed })
    await caller.register({ ...TABLET, user: decomposed })
    for (const [user, device] of [
      [composed, PHONE],
      [decomposed, TABLET],
    ] as const) {
      const { body } = await caller.get(`/deviceToken/all?user=${encodeURIComponent(user)}`)
      expect(body).toMatchObject([{ ...device, user }])
      expect(body).toHaveLength(1)
    }
  })

  test('is refused where it is no name, and nothing is changed', async () => {
    const caller = newCaller(service)
    const before = await caller.register({ ...PHONE, user: 'ann' })
    await expectInvalid((user) => caller.put('/deviceToken', { ...PHONE, tag: 'x', user }), 'user', BAD_NAMES)
    expect(await one(caller, PHONE)).toEqual(before)
  })

  test('stays with the device under a new token; where both are registered the newer word counts', async () => {
    const caller = newCaller(service)
    await caller.register({ ...PHONE, user: 'ann' })
    expect(await caller.register({ ...OTHER, replaces: PHONE.token })).toMatchObject({ user: 'ann' })
    await caller.register({ ...PHONE, user: 'bob' })
    expect(await caller.register({ ...PHONE, replaces: OTHER.token })).toMatchObject({ user: 'bob' })
  })
})

describe('GET /deviceToken/all?user=', () => {
  test('lists the registered devices of one user on both platforms, in pages too', async () => {
    const caller = newCaller(service)
    const named = 'ann & <bob>=+%'
    const devices = Array.from({ length: 5 }, (_, n) => ({ token: `t${n}`, platform: String(n % 2) }))
    for (const device of devices) {
      await caller.register({ ...device, user: named })
      await caller.register({ token: `${device.token}x`, platform: '1', user: 'eve' })
    }
    const query = `?user=${encodeURIComponent(named)}`
    expect(tokensOf((await caller.get(`/deviceToken/all${query}`)).body)).toEqual(['t0', 't1', 't2', 't3', 't4'])
    const pages: string[][] = []
    for (let at: string | undefined = `${query}&limit=2`; at !== undefined;) {
      const { body, headers } = await caller.get(`/deviceToken/all${at}`)
      pages.push(tokensOf(body))
      at = /^<([^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    }
    expect(pages).toEqual([['t0', 't1'], ['t2', 't3'], ['t4']])
    expect((await caller.get('/deviceToken/all?user=nobody')).body).toEqual([])
  })

  test('of nobody in particular is refused: it must not be the list of all', async () => {
    const answer = await newCaller(service).get('/deviceToken/all?user=')
    expectFailure(answer, 400, 'InvalidArgument', 'user must be 1 to 256 characters, not empty.')
  })
})
