import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Simulator } from '../../src/gateway/simulator/simulator.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { passing } from '../support/passing.ts'
import { acceptedPush, pushSent, refusal, registerDevice, startSending, tokensOf } from '../support/sending.ts'
import type { Service } from '../support/service.ts'

/** Recipients wait in memory while their devices change. */
let clock: FakeClock
let service: Service
let simulator: Simulator

beforeEach(async () => {
  ;({ clock, service, simulator } = await startSending())
})
afterEach(() => service[Symbol.asyncDispose]())

const REFUSED_KEY = refusal(403, 'InvalidProviderToken')

/** More than go out before the first answer, so that the last are only read when the credential pauses. */
const TOKENS = tokensOf(0, 30)
const LAST = TOKENS[29] ?? ''

const register = (token: string) => registerDevice(service, { token, platform: '0' })
const unregister = (token: string) => service.put('/deviceToken/del', { token, platform: '0' })
const statusOf = async (id: string) => (await service.get(`/push/${id}`)).body
const taken = () =>
  simulator
    .arrivals()
    .filter(({ status }) => status === 200)
    .map(({ token }) => token)
    .toSorted()

async function pushHeldBack(): Promise<string> {
  for (const token of TOKENS) await register(token)
  simulator.answerWith(() => REFUSED_KEY)
  const id = await acceptedPush(service, '/push/all', { badge: '+1' })
  await service.logged(({ event }) => event === 'sending paused')
  simulator.answerWith(null)
  return id
}

async function over(id: string): Promise<void> {
  await passing(service, clock, pushSent(service, id), 1000)
}

describe('who is read, and held back by a pause', () => {
  test('and has left meanwhile gets nothing', async () => {
    const id = await pushHeldBack()
    const left = TOKENS.filter((_, n) => n % 2 === 1)
    for (const token of left) expect(await unregister(token)).toMatchObject({ status: 200 })
    await over(id)
    expect(taken()).toEqual(TOKENS.filter((_, n) => n % 2 === 0))
    expect(await statusOf(id)).toMatchObject({ t: 30, s: 15, failed: { total: 15, reasons: { DeviceRemoved: 15 } } })
  })

  test('and has left meanwhile, and is back as another device, gets nothing, and its badge is as stored', async () => {
    const id = await pushHeldBack()
    await unregister(LAST)
    await register(LAST)
    await over(id)
    expect(taken()).toEqual(TOKENS.slice(0, 29))
    expect(await statusOf(id)).toMatchObject({ t: 30, s: 29, failed: { total: 1, reasons: { DeviceRemoved: 1 } } })
    const { body } = await service.get('/deviceToken/one', { headers: { token: LAST } })
    expect(body).toMatchObject({ token: LAST, badge: 0 })
  })

  test('and has another token meanwhile gets it by that one', async () => {
    const id = await pushHeldBack()
    const renewed = 'f1'.repeat(32)
    const renewal = { token: renewed, platform: '0', replaces: LAST }
    expect(await service.put('/deviceToken', renewal)).toMatchObject({ status: 200 })
    await over(id)
    expect(taken()).toEqual([...TOKENS.slice(0, 29), renewed])
    expect(await statusOf(id)).toMatchObject({ t: 30, s: 30 })
    expect(simulator.arrivals().filter(({ token }) => token === LAST)).toEqual([])
  })
})
