import { describe, expect, test } from 'bun:test'
import { fileSending } from '../support/file-sending.ts'
import { refusal, tokensOf } from '../support/sending.ts'
import { until } from '../support/until.ts'

/* Answers of APNs that few senders expect (see the manual's page on what Apple answers). */
const { simulator, analytics, arrivals, get, logged, pass, paused, push, ready, register, registerAll, sent } =
  await fileSending()

describe('a GOAWAY that says why', () => {
  test('names the credential in the log and on /readyz, connects once a pause, loses nothing, and heals', async () => {
    await registerAll(0, tokensOf(0, 50))
    let refusing = true
    const before = simulator.counts().apns.sessions
    simulator.answerWith(() => (refusing ? { kind: 'parting', word: 'BadCertificate' } : null))
    const id = await push()
    expect(await logged(({ event }) => event === 'sending paused')).toMatchObject({
      state: 'misconfigured',
      reason: 'BadCertificate',
    })
    expect(await ready()).toMatchObject({
      status: 503,
      body: { paused: [{ state: 'misconfigured', reason: 'BadCertificate' }] },
    })
    expect(simulator.counts().apns.sessions - before).toBe(1)

    refusing = false
    await pass(sent(id))
    expect(await analytics()).toEqual({ t: 50, s: 50, o: 0 })
    expect((await ready()).status).toBe(200)
  })
})

describe('429 TooManyProviderTokenUpdates', () => {
  test('of one in fifty is its own device’s: nobody else waits, and none is lost', async () => {
    await registerAll(0, tokensOf(0, 500))
    const told = new Set<string>()
    let nth = 0
    simulator.answerWith(({ token }) => {
      if (++nth % 50 !== 0 || told.has(token)) return null
      told.add(token)
      return refusal(429, 'TooManyProviderTokenUpdates')
    })
    const id = await push()
    await until(() => arrivals().length >= 500)
    expect(told.size).toBe(10)
    await pass(sent(id))
    expect(await analytics()).toEqual({ t: 500, s: 500, o: 0 })
    expect(paused()).toEqual([])
  })
})

describe('403 Forbidden', () => {
  test('of one device ends after three tries, and the device stays', async () => {
    const forbidden = 'bad40330'.padEnd(64, '0')
    await register({ token: forbidden, platform: '0' })
    await registerAll(0, tokensOf(0, 3))
    await pass(sent(await push()))
    expect(arrivals().filter(({ token }) => token === forbidden)).toHaveLength(3)
    expect(await analytics()).toEqual({ t: 4, s: 3, o: 0 })
    expect((await get('/deviceToken/all')).body).toHaveLength(4)
  })
})
