import { describe, expect, test } from 'bun:test'
import { EXAMPLE_SUBSCRIPTION } from '../../src/gateway/simulator/webpush/message-opening.ts'
import { fileSending } from '../support/file-sending.ts'
import { within } from '../support/passing.ts'
import { refusal } from '../support/sending.ts'
import { until } from '../support/until.ts'

const { clock, service, simulator, arrivals, logged, pass, push, register, status } = await fileSending()

const finished = (id: string) => pass(until(async () => (await status(id)).state === 'finished'))

/**
 * Pushes to one device until the push has finished. Returns each request's status and ms since the first.
 * `againWithinMs`: limit for the second.
 */
async function tried(device: object, ttl: number, againWithinMs?: number) {
  await register({ badge: 0, ...device })
  const id = await push({ platform: [0, 1, 2], ttl })
  // The first request waits for its connection, with the clock still.
  await until(() => arrivals().length > 0)
  if (againWithinMs !== undefined) {
    await within(service, clock, againWithinMs, () => until(() => arrivals().length > 1))
  }
  await finished(id)
  const [first] = arrivals()
  return arrivals().map(({ status, at }) => ({ status, after: at - (first?.at ?? 0) }))
}

describe('a time to live is used to its end', () => {
  test.each([
    ['an iPhone', { platform: '0', token: 'bad50001'.padEnd(64, '0') }, 500],
    // Google asks for 10 s.
    ['an Android phone', { platform: '1', token: 'internal-1:phone' }, 10_000],
    ['an iPhone behind FCM', { platform: '1', token: 'iphonebusy-1:phone', fcm_platform: 'ios' }, 500],
    [
      'a browser',
      { platform: '2', token: 'https://simulator.invalid/google/internal-1:1', keys: EXAMPLE_SUBSCRIPTION },
      1000,
    ],
  ])('%s with 12 s to live is not lost to one failure of its gateway', async (_, device, leastMs) => {
    const requests = await tried(device, 12)
    expect(requests).toHaveLength(2)
    expect([200, 201]).toContain(requests[1]?.status ?? 0)
    expect(requests[1]?.after).toBeWithin(leastMs, 12_000)
  })

  test.each([
    ['apple/throttled', 429],
    ['microsoft/channelthrottled', 201],
  ])('a lone browser is tried again after one to two seconds: %s', async (order, status) => {
    const token = `https://simulator.invalid/${order}-1:1`
    // Plus a tick of a quarter of a second.
    const requests = await tried({ platform: '2', token, keys: EXAMPLE_SUBSCRIPTION }, 3600, 2500)
    expect(requests.map((request) => request.status)).toEqual([status, 201])
    expect(requests[1]?.after).toBeGreaterThanOrEqual(1000)
  })

  test.each(['0', '1', 'Wed, 21 Oct 2015 07:28:00 GMT'])(
    'a Retry-After of %s does not shorten the backoff: seven requests in a minute',
    async (after) => {
      const busy = refusal(503, 'ServiceUnavailable', { 'retry-after': after })
      await register({ platform: '0', token: 'a2'.padEnd(64, '0') })
      simulator.answerWith(() => busy)
      const since = clock.now()
      await push({ ttl: 3600 })
      await pass(
        until(() => clock.now() >= since + 60_000),
        1000,
      )
      expect(arrivals().length).toBeWithin(6, 8)
    },
  )

  test('a refusal after the end is told by the word of the gateway', async () => {
    const token = 'a3'.padEnd(64, '0')
    await register({ platform: '0', token })
    await finished(await push())
    const busy = refusal(503, 'ServiceUnavailable')
    simulator.answerWith(() => ({ ...busy, afterMs: 7000 }))
    const id = await push({ ttl: 5 })
    await finished(id)
    expect(await status(id)).toMatchObject({ failed: { total: 1, reasons: { ServiceUnavailable: 1 } } })
  })

  test('an iPhone for which Apple asks for time beyond the end is not tried again', async () => {
    const asked = refusal(429, 'TooManyRequests', { 'retry-after': '60' })
    simulator.answerWith(() => asked)
    const requests = await tried({ platform: '0', token: 'a1'.padEnd(64, '0') }, 30)
    expect(requests.map(({ status }) => status)).toEqual([429])
  })

  test('nor an Android phone, where the whole project is waiting for less when its answer comes', async () => {
    for (const token of ['warm', 'one', 'good', 'quota-1:all']) await register({ platform: '1', token })
    await push({ platform: 1, token: 'warm' }, '/push/one')
    await until(() => arrivals().length === 1)
    const asked = { status: 503, headers: { 'retry-after': '60' }, body: '{"error":{"status":"UNAVAILABLE"}}' }
    simulator.answerWith(({ token }) => (token === 'one' ? { kind: 'answer', answer: asked, afterMs: 500 } : null))
    const id = await push({ platform: 1, ttl: 20 })
    await logged(({ event }) => event === 'sending paused')
    await finished(id)
    const statuses = (token: string) => arrivals().flatMap((one) => (one.token === token ? [one.status] : []))
    expect(statuses('quota-1:all')).toEqual([429, 200])
    expect(statuses('one')).toEqual([503])
    expect(await status(id)).toMatchObject({ t: 4, s: 3, failed: { total: 1, reasons: { UNAVAILABLE: 1 } } })
  })
})
