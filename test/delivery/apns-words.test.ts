import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Simulator } from '../../src/gateway/simulator/simulator.ts'
import { arrivalsAt } from '../support/arrivals.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { passing } from '../support/passing.ts'
import {
  acceptedPush,
  pausesIn,
  pushSent,
  refusal,
  registerDevice,
  registerDevices,
  startSending,
  tokensOf,
} from '../support/sending.ts'
import type { Service } from '../support/service.ts'

/* What becomes of pushes where APNs says what few senders expect (see the manual's page on what Apple answers). */

let clock: FakeClock
let service: Service
let simulator: Simulator
beforeEach(async () => {
  ;({ clock, service, simulator } = await startSending())
})
afterEach(() => service[Symbol.asyncDispose]())

const sent = (id: string) => pushSent(service, id, 0)
const analytics = async () => (await service.get('/analytics')).body as { t: number; s: number; o: number }
const push = () => acceptedPush(service, '/push/all')

describe('a GOAWAY that says why', () => {
  test('names the credential in the log and on /readyz, connects once a pause, loses nothing, and heals', async () => {
    await registerDevices(service, 0, tokensOf(0, 50))
    let refusing = true
    simulator.answerWith(() => (refusing ? { kind: 'parting', word: 'BadCertificate' } : null))
    const id = await push()
    const paused = await service.logged(({ event }) => event === 'sending paused')
    expect(paused).toMatchObject({ state: 'misconfigured', reason: 'BadCertificate' })
    const ready = await fetch(`${service.adminUrl}/readyz`)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({ paused: [{ state: 'misconfigured', reason: 'BadCertificate' }] })
    expect(simulator.counts().apns.sessions).toBe(1)

    refusing = false
    await passing(service, clock, sent(id))
    expect(await analytics()).toEqual({ t: 50, s: 50, o: 0 })
    expect((await fetch(`${service.adminUrl}/readyz`)).status).toBe(200)
  })
})

describe('429 TooManyProviderTokenUpdates', () => {
  test('of one in fifty is its own device’s: nobody else waits, and none is lost', async () => {
    await registerDevices(service, 0, tokensOf(0, 500))
    const told = new Set<string>()
    let nth = 0
    simulator.answerWith(({ token }) => {
      if (++nth % 50 !== 0 || told.has(token)) return null
      told.add(token)
      return refusal(429, 'TooManyProviderTokenUpdates')
    })
    const id = await push()
    await arrivalsAt(simulator, 500)
    expect(told.size).toBe(10)
    await passing(service, clock, sent(id))
    expect(await analytics()).toEqual({ t: 500, s: 500, o: 0 })
    expect(pausesIn(service)).toEqual([])
  })
})

describe('403 Forbidden', () => {
  test('of one device ends after three tries, and the device stays', async () => {
    const forbidden = 'bad40330'.padEnd(64, '0')
    await registerDevice(service, { token: forbidden, platform: '0' })
    await registerDevices(service, 0, tokensOf(0, 3))
    await passing(service, clock, sent(await push()))
    expect(simulator.arrivals().filter(({ token }) => token === forbidden)).toHaveLength(3)
    expect(await analytics()).toEqual({ t: 4, s: 3, o: 0 })
    const { body } = await service.get('/deviceToken/all')
    expect(body).toHaveLength(4)
  })
})
