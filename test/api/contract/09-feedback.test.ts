import { describe, expect, test } from 'bun:test'
import { createDeviceStore } from '../../../src/device/device-store.ts'
import { arrivalsOf } from '../../support/arrivals.ts'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { REASON_OF, TOKEN_OF } from '../../support/departure.ts'
import type { Departure } from '../../support/departure.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { expectFailure } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import { startService } from '../../support/service.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

const IOS = { token: 'ab'.repeat(32), platform: '0' }
const ANDROID = { token: 'fcm:android', platform: '1' }
/** Ends as the built-in FCM does for it: UNREGISTERED. */
const ANDROID_GONE = { token: 'unregistered:android', platform: '1' }

const clock = createFakeClock()
const service = await fileService({ clock })

/** Registers the devices, pushes to all of the application, and waits for the end of that. */
async function pushTo(caller: Caller, devices: readonly { token: string; platform: string }[], to = service) {
  for (const device of devices) await caller.register(device)
  const push = await caller.post('/push/all', { platform: [0, 1], msg: 'Hello', sound: '', badge: '' })
  expect(push.status).toBe(200)
  await arrivalsOf(to, push.body.id)
}

async function feedbackOf(caller: Caller, query = ''): Promise<unknown[]> {
  const answer = await caller.get(`/feedback${query}`)
  expect(answer.status).toBe(200)
  return answer.body
}

/** ISO 8601, UTC. */
const time = () => new Date(clock.now()).toISOString()

describe('GET /feedback', () => {
  test('is an empty JSON array while no gateway has declared a token gone', async () => {
    const caller = newCaller(service)
    await pushTo(caller, [IOS, ANDROID])
    await caller.put('/deviceToken/del', IOS)
    const answer = await caller.get('/feedback')
    expect([answer.status, answer.body]).toEqual([200, []])
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('lists tokens the gateways declared gone or unknown, with the reason and the time, newest first', async () => {
    const caller = newCaller(service)
    const expected: unknown[] = []
    for (const state of ['gone', 'quarantined'] as const satisfies Departure[]) {
      await pushTo(caller, [IOS, { token: TOKEN_OF[state], platform: '0' }])
      expected.unshift({ token: TOKEN_OF[state], platform: '0', reason: REASON_OF[state], at: time() })
      clock.advance(1000)
    }
    await pushTo(caller, [ANDROID, ANDROID_GONE])
    expected.unshift({ ...ANDROID_GONE, reason: 'UNREGISTERED', at: time() })
    const listed = await feedbackOf(caller)
    expect(listed).toEqual(expected)
    expect(Object.keys(listed[0] ?? {})).toEqual(['token', 'platform', 'reason', 'at'])
  })

  test('lists a token once, with what was said of it last', async () => {
    const caller = newCaller(service)
    await pushTo(caller, [ANDROID, ANDROID_GONE])
    clock.advance(5000)
    await pushTo(caller, [ANDROID_GONE])
    expect(await feedbackOf(caller)).toEqual([{ ...ANDROID_GONE, reason: 'UNREGISTERED', at: time() }])
  })

  test('does not list a token of which a gateway says that it was gone before its last registration', async () => {
    const caller = newCaller(service)
    const again = { token: 'bad41010'.padEnd(64, '0'), platform: '0' }
    await pushTo(caller, [IOS, again])
    expect(await feedbackOf(caller)).toEqual([])
    expect(await caller.devices()).toHaveLength(2)
  })

  test('has the tokens of its own application', async () => {
    const [caller, other] = [newCaller(service), newCaller(service)]
    await pushTo(caller, [ANDROID, ANDROID_GONE])
    await pushTo(other, [ANDROID])
    expect(await feedbackOf(caller)).toHaveLength(1)
    expect(await feedbackOf(other)).toEqual([])
  })

  test('since leaves out what was said before it, as an ISO 8601 time or as milliseconds', async () => {
    const caller = newCaller(service)
    await pushTo(caller, [ANDROID, ANDROID_GONE])
    const at = clock.now()
    clock.advance(1000)
    const iso = (ms: number) => new Date(ms).toISOString()
    for (const since of ['', '0', at, iso(at), iso(at - DAY_MS).slice(0, 10), iso(at).replace('Z', '%2B00:00')]) {
      expect([since, (await feedbackOf(caller, `?since=${since}`)).length]).toEqual([since, 1])
    }
    for (const since of [at + 1, iso(at + 1), iso(at + DAY_MS).slice(0, 10)]) {
      expect([since, await feedbackOf(caller, `?since=${since}`)]).toEqual([since, []])
    }
  })

  test('400: since that is no time', async () => {
    const caller = newCaller(service)
    const dates = ['yesterday', '1 Jan 2020', '2026-13-01', '2026-11-20T25:00:00Z', '2026-11-20T10:00']
    for (const since of [...dates, '-5', '1.5', '1\u0000', '9'.repeat(20)]) {
      const answer = await caller.get(`/feedback?since=${encodeURIComponent(since)}`)
      const message = `since must be an ISO 8601 time or milliseconds since 1970, not ${JSON.stringify(since)}.`
      expectFailure(answer, 400, 'InvalidArgument', message)
    }
  })

  test('lists all of them, however many', async () => {
    const caller = newCaller(service)
    const { database } = service
    const sql = 'SELECT number FROM application WHERE id = ?'
    const number = database.statement<{ number: number }, [string]>(sql).get(caller.application.id)?.number ?? 0
    const devices = createDeviceStore({ database, clock })
    database.transact(() => {
      for (let index = 0; index < 1200; index++) {
        const made = devices.register(number, { token: `device-${index}`, platform: 1 })
        devices.markGone(made.device.id, { since: clock.now(), now: clock.now() + index, reason: 'UNREGISTERED' })
      }
    })
    const listed = (await feedbackOf(caller)) as { token: string }[]
    expect(listed.map(({ token }) => token)).toEqual(
      Array.from({ length: 1200 }, (_, index) => `device-${1199 - index}`),
    )
  })

  test('keeps them for 90 days', async () => {
    const own = createFakeClock()
    await using service = await startService({ clock: own })
    const caller = newCaller(service)
    await pushTo(caller, [ANDROID, ANDROID_GONE], service)
    own.set(own.now() + 90 * DAY_MS - HOUR_MS)
    const nextHour = async () => {
      own.standStill(HOUR_MS)
      own.advance(0)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await nextHour()
    expect(await feedbackOf(caller)).toHaveLength(1)
    await nextHour()
    // What is over its time is erased in steps, with a pause between them.
    while ((await feedbackOf(caller)).length > 0) await nextHour()
  })
})
