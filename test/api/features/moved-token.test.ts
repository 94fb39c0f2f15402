import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { newTenant } from '../../support/caller.ts'
import { fileSending } from '../../support/file-service.ts'
import { arrivalsAt, arrivalsOf } from '../../support/arrivals.ts'
import { passing } from '../../support/passing.ts'
import { expectFailure } from '../../support/refusals.ts'
import { acceptedPush, registerDevice } from '../../support/sending.ts'
import type { Service } from '../../support/service.ts'

const OLD = 'ab'.repeat(32)
const NEW = 'cd'.repeat(32)
const OTHER = 'ef'.repeat(32)

const { clock, service: shared, simulator } = await fileSending()
let service: Service
beforeEach(async () => {
  service = newTenant(shared)
  for (const token of [OLD, OTHER]) await registerDevice(service, { token, platform: '0', tag: ['x'] })
})
afterEach(() => simulator.answerWith(null))

const move = () => service.put('/deviceToken', { token: NEW, platform: '0', replaces: OLD }, { as: 'device' })
const tokensOf = async (push: string) => (await arrivalsOf(service, push)).map(({ token }) => token)
const LATE = { kind: 'answer', answer: { status: 200, headers: {}, body: '' }, afterMs: 1000 } as const
const refusal = (status: number, reason: string) => {
  const body = JSON.stringify({ reason, ...(status === 410 && { timestamp: clock.now() + 60_000 }) })
  return { kind: 'answer', answer: { status, headers: {}, body } } as const
}

async function over(id: string) {
  const status = async () => (await service.get(`/push/${id}`)).body
  const done = (async () => {
    for (;;) {
      const body = await status()
      if (body.finished_at !== null) return body
      await Bun.sleep(5)
    }
  })()
  return passing(service, clock, done)
}

describe('PUT /deviceToken with `replaces`', () => {
  test('needs no secret, and answers with the device as it goes on', async () => {
    const { status, body } = await move()
    expect(status).toBe(200)
    expect(body).toMatchObject({ token: NEW, platform: '0', tag: ['x'] })
    const { body: all } = await service.get('/deviceToken/all')
    expect(all.map(({ token }: { token: string }) => token)).toEqual([NEW, OTHER])
  })

  test.each([
    ['number', 5, 'replaces must be a string, not 5.'],
    ['blank', 'a b', 'replaces must not contain white space or control characters.'],
    ['surrogate', '\u{d800}', 'replaces must be well-formed Unicode, without lone surrogates.'],
    ['long', 'x'.repeat(4097), 'replaces must be at most 4096 bytes.'],
  ])('refuses what is no token: a %s', async (_, replaces, message) => {
    expectFailure(
      await service.put('/deviceToken', { token: NEW, platform: '0', replaces }),
      400,
      'InvalidArgument',
      message,
    )
    expect(await service.get('/deviceToken/one', { headers: { token: NEW } })).toMatchObject({ status: 404 })
  })

  test.each(['', null])('takes %p for absent', async (replaces) => {
    expect(await service.put('/deviceToken', { token: NEW, platform: '0', replaces })).toMatchObject({ status: 201 })
  })
})

describe('a push that is on its way while a token moves', () => {
  test.each([
    ['410', 410, 'Unregistered'],
    ['400', 400, 'BadDeviceToken'],
  ])(
    'reaches the device by its new token where the old one is refused with %s, which says nothing of the device',
    async (_, status, reason) => {
      const asked = Promise.withResolvers<void>()
      simulator.answerWith(({ token }) => {
        if (token !== OLD) return null
        asked.resolve()
        return { ...refusal(status, reason), afterMs: 1000 }
      })
      const id = await acceptedPush(service, '/push/all')
      await asked.promise
      expect(await move()).toMatchObject({ status: 200 })
      expect(await over(id)).toMatchObject({ t: 2, s: 2, failed: { total: 0 } })
      expect((await tokensOf(id)).filter((token) => token === NEW)).toHaveLength(1)
      expect((await service.get('/feedback')).body).toEqual([])
      expect(await service.get('/deviceToken/one', { headers: { token: NEW } })).toMatchObject({ status: 200 })
    },
  )

  test('reaches who waits for another attempt by the new token', async () => {
    simulator.answerWith(({ token }) => (token === OLD ? refusal(429, 'TooManyRequests') : null))
    const id = await acceptedPush(service, '/push/all')
    await arrivalsAt(simulator, 2, ({ collapse }) => collapse === id)
    expect(await move()).toMatchObject({ status: 200 })
    expect(await over(id)).toMatchObject({ t: 2, s: 2 })
    expect((await tokensOf(id)).filter((token) => token === NEW)).toHaveLength(1)
  })

  test('reaches nobody a second time', async () => {
    simulator.answerWith(({ token }) => (token === OTHER ? LATE : null))
    const id = await acceptedPush(service, '/push/all')
    await arrivalsAt(simulator, 2, ({ collapse }) => collapse === id)
    expect(await move()).toMatchObject({ status: 200 })
    expect(await over(id)).toMatchObject({ t: 2, s: 2 })
    expect((await tokensOf(id)).toSorted()).toEqual([OLD, OTHER])
  })
})
