import { describe, expect, test } from 'bun:test'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { depart, TOKEN_OF } from '../../support/departure.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { connectTo, headOf } from '../../support/raw-connection.ts'
import { expectFailure } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import type { Answer } from '../../support/service.ts'

const PATH = '/deviceToken/one'

const clock = createFakeClock()
const service = await fileService({ clock })

function one({ application }: Caller, headers: Record<string, string>): Promise<Answer> {
  return service.get(PATH, { application, as: 'device', headers })
}

function expectNone(answer: Answer): void {
  expectFailure(answer, 404, 'ResourceNotFound', 'No device found')
}

describe('GET /deviceToken/one', () => {
  test('is the record of the device whose token is in the token header; no secret is needed', async () => {
    const caller = newCaller(service)
    const place = { lat: '-33.9', lng: '18.4' }
    const full = { token: 'APA91b:x_-', platform: '1', ...place, active: ['news'], tag: ['a', 'b'], alias: 'user-17' }
    await caller.register({ token: 'other', platform: '1' })
    const created = new Date(clock.now()).toISOString()
    await caller.register(full)
    clock.advance(1500)
    await caller.put('/badge', { token: full.token, platform: '1', setbadgecount: 4 })
    const updated = new Date(clock.now()).toISOString()
    const answer = await one(caller, { token: full.token })
    const record = { ...full, badge: 4, created_at: created, updated_at: updated }
    expect([answer.status, answer.body]).toEqual([200, record])
    expect(answer.headers.get('content-type')).toStartWith('application/json')
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    const asBackend = await service.get(PATH, { application: caller.application, headers: { Token: full.token } })
    expect(asBackend.body).toEqual(record)
  })

  test('is the element of the list', async () => {
    const caller = newCaller(service)
    for (const token of ['00ff', '00FF', 'x'.repeat(4096)]) {
      await caller.register({ token, platform: '0', tag: ['a'] })
      expect((await one(caller, { token })).body).toEqual((await caller.devices()).at(-1))
    }
  })

  test('409: the token header is missing or empty; a token in the query or a body is not read', async () => {
    const caller = newCaller(service)
    await caller.register({ token: 'a', platform: '0' })
    const message = 'token header is required.'
    for (const headers of [{}, { token: '' }, { token: ' ' }]) {
      expectFailure(await one(caller, headers), 409, 'MissingParameter', message)
    }
    expectFailure(await caller.get(`${PATH}?token=a`), 409, 'MissingParameter', message)
    using connection = await connectTo(service.url)
    await connection.write(`${headOf(`GET ${PATH}`, caller.application, 'Content-Length: 13')}{"token":"a"}`)
    expect(await connection.answer()).toMatchObject({ status: 409 })
  })

  test('404: no such device, of whatever form its token is', async () => {
    const caller = newCaller(service)
    await caller.register({ token: 'abcd', platform: '0' })
    for (const token of ['abc', 'ABCD', 'abcd, abcd', 'a b', '%61bcd', '"', 'é', '__proto__', 'x'.repeat(8000)]) {
      expectNone(await one(caller, { token }))
    }
  })

  test('404: a device of another application', async () => {
    const [caller, other] = [newCaller(service), newCaller(service)]
    await other.register({ token: 'a', platform: '0' })
    expectNone(await one(caller, { token: 'a' }))
  })

  test('404: a device that was unregistered, or that a gateway declared gone or unknown', async () => {
    const caller = newCaller(service)
    await caller.register({ token: 'left', platform: '0' })
    await caller.put('/deviceToken/del', { token: 'left', platform: '0' })
    expectNone(await one(caller, { token: 'left' }))
    for (const state of ['gone', 'quarantined'] as const) {
      const left = newCaller(service)
      const device = { token: TOKEN_OF[state], platform: '0' }
      await left.register(device)
      await depart(left, state)
      expectNone(await one(left, { token: TOKEN_OF[state] }))
      await left.register(device)
      expect((await one(left, { token: TOKEN_OF[state] })).status).toBe(200)
    }
  })

  test('of a token on both platforms it is the device seen last, unless the platform header names one', async () => {
    const caller = newCaller(service)
    const platformOf = async (headers: object) => (await one(caller, { token: 'both', ...headers })).body.platform
    await caller.register({ token: 'both', platform: '1' })
    clock.advance(1)
    await caller.register({ token: 'both', platform: '0' })
    expect(await platformOf({})).toBe('0')
    clock.advance(1)
    await caller.register({ token: 'both', platform: '1' })
    expect(await platformOf({})).toBe('1')
    expect(await platformOf({ platform: '' })).toBe('1')
    expect(await platformOf({ platform: '0' })).toBe('0')
    expect(await platformOf({ platform: '1' })).toBe('1')
    await caller.put('/deviceToken/del', { token: 'both', platform: '1' })
    expect(await platformOf({})).toBe('0')
    expectNone(await one(caller, { token: 'both', platform: '1' }))
  })

  test('400: a platform header that is neither', async () => {
    const caller = newCaller(service)
    for (const platform of ['3', 'ios', '00', '0, 1', '-1']) {
      const answer = await one(caller, { token: 'a', platform })
      expectFailure(
        answer,
        400,
        'InvalidArgument',
        `platform header must be 0, 1 or 2, not ${JSON.stringify(platform)}.`,
      )
    }
  })
})
