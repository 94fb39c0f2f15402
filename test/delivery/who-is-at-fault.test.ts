import { expect, test } from 'bun:test'
import type { Script } from '../../src/gateway/simulator/http2/reply.ts'
import { fileSending } from '../support/file-sending.ts'
import { refusal, tokenOf, tokensOf } from '../support/sending.ts'
import { until } from '../support/until.ts'

/* The table of the manual's page on faults, one test a row. For this machine's row see `open/unwritten.test.ts`. */
const DEVICES = 200

const MINUTE_MS = 60_000

const use = await fileSending()
const { clock, service, simulator, get, logged, pass, paused, post, ready, status } = use

const register = (platform: 0 | 1, count = DEVICES) => use.registerAll(platform, tokensOf(platform, count))
const push = (platform: 0 | 1) => use.push({ platform })

async function reached(id: string, s = DEVICES): Promise<void> {
  await until(async () => (await status(id)).s >= s)
}

async function explained(id: string, token: string): Promise<string> {
  return (await get(`/push/${id}/device`, { headers: { token } })).body.explanation
}

const only = (gateway: string, status: number, reason: string): Script => {
  const answer = refusal(status, reason)
  return (attempt) => (attempt.gateway.startsWith(gateway) ? answer : null)
}

test('a device: its notification waits, everybody else has theirs at once, and explain tells', async () => {
  await register(0)
  const bad = only('apns', 403, 'Forbidden')
  simulator.answerWith((attempt) => (attempt.token === tokenOf(0, 0) ? bad(attempt) : null))
  const id = await push(0)
  await reached(id, DEVICES - 1)
  expect(await status(id)).toMatchObject({ state: 'sending', reason: null, s: DEVICES - 1, waiting: 1 })
  expect(await explained(id, tokenOf(0, 0))).toStartWith('APNs did not take it (Forbidden); the next attempt is due at')
  expect(paused()).toEqual([])
  expect((await ready()).status).toBe(200)
  simulator.answerWith(null)
  await pass(reached(id))
})

test('a device that is asked last: it alone is at fault, since all others have just been taken', async () => {
  await register(0)
  const last = tokenOf(0, DEVICES - 1)
  const answer = refusal(403, 'InvalidProviderToken')
  simulator.answerWith(({ token }) => (token === last ? { ...answer, afterMs: 500 } : null))
  const id = await push(0)
  await pass(reached(id, DEVICES - 1))
  const since = clock.now()
  await pass(
    until(() => clock.now() >= since + 2 * MINUTE_MS),
    2000,
  )
  expect(await status(id)).toMatchObject({ state: 'sending', reason: null, s: DEVICES - 1, waiting: 1 })
  expect(await explained(id, last)).toStartWith(
    'APNs did not take it (InvalidProviderToken); the next attempt is due at',
  )
  expect(paused()).toEqual([])
  expect((await ready()).status).toBe(200)
})

test('a push: the rest of its audience has failed, all other pushes go on, and its status tells', async () => {
  await register(0)
  const bad = only('apns', 413, 'PayloadTooLarge')
  let refused = ''
  simulator.answerWith((attempt) => (attempt.headers['apns-collapse-id'] === refused ? bad(attempt) : null))
  const when = new Date(clock.now() + 5000).toISOString()
  const { body } = await post('/push/all', { platform: 0, msg: 'Long', sound: '', badge: '', send_at: when })
  refused = body.id
  await pass(logged(({ event }) => event === 'push refused'))
  await reached(await push(0))
  expect(await status(refused)).toMatchObject({ state: 'finished', reason: 'PayloadTooLarge', t: DEVICES, s: 0 })
  expect(paused()).toEqual([])
  expect((await ready()).status).toBe(200)
})

test('a credential: what is sent with it waits, the other platform goes on, and readiness tells, until it is taken', async () => {
  await register(0)
  await register(1)
  simulator.answerWith(only('apns', 403, 'InvalidProviderToken'))
  const waits = await push(0)
  await logged(({ event }) => event === 'sending paused')
  await reached(await push(1))
  const reason = 'InvalidProviderToken for 10 of 10 devices'
  expect(paused()).toMatchObject([{ state: 'misconfigured', reason }])
  expect(await status(waits)).toMatchObject({ state: 'paused', reason, s: 0, failed: { total: 0 } })
  expect(await ready()).toMatchObject({
    status: 503,
    body: { reasons: [`${use.name}: APNs refuses the credential (${reason}); pushes are waiting.`] },
  })
  simulator.answerWith(null)
  await pass(reached(waits))
  expect((await ready()).status).toBe(200)
})

test('a credential that is replaced: who was refused with the one before is sent to at once', async () => {
  await register(0, 30)
  const bad = only('apns', 403, 'InvalidProviderToken')
  let wrong = true
  simulator.answerWith((attempt) => (wrong ? bad(attempt) : null))
  const id = await push(0)
  // The page of the ten refused is open: most of it is unsent.
  await logged(({ event }) => event === 'sending paused')
  wrong = false
  service.equip(use.application, simulator, ['apns'])
  const since = clock.now()
  await pass(reached(id, 30))
  // The pause was 22.5 s; nobody was due before.
  expect(clock.now() - since).toBeLessThan(20_000)
})

const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo'

test('a credential that pauses in the middle of a page: who has theirs is counted, and nobody is sent to twice', async () => {
  await register(1, 30)
  await reached(await push(1), 30)
  const error = {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    details: [{ '@type': ERROR_INFO, reason: 'RATE_LIMIT_EXCEEDED' }],
  }
  const answer = { status: 429, headers: { 'retry-after': '1200' }, body: JSON.stringify({ error }) }
  let strict = true
  simulator.answerWith((attempt) => (strict && attempt.token === tokenOf(1, 7) ? { kind: 'answer', answer } : null))
  let arrived = 0
  simulator.onArrival(({ status: answered }) => (arrived += answered === 200 ? 1 : 0))
  const id = await push(1)
  const since = clock.now()
  await pass(reached(id, 29))
  // The pause takes 20 minutes.
  expect(clock.now() - since).toBeLessThan(MINUTE_MS)
  const reason = 'RESOURCE_EXHAUSTED'
  expect(await status(id)).toMatchObject({ state: 'paused', reason, t: 30, s: 29, waiting: 1, failed: { total: 0 } })
  expect(await explained(id, tokenOf(1, 7))).toContain(`sending is paused: ${reason}`)
  strict = false
  clock.advance(20 * MINUTE_MS)
  await pass(reached(id, 30))
  expect(arrived).toBe(30)
})

test('a gateway: what is sent there waits, the other one goes on, and readiness warns, until it takes something', async () => {
  await register(0)
  await register(1)
  simulator.answerWith(only('apns', 503, 'ServiceUnavailable'))
  const waits = await push(0)
  await logged(({ event }) => event === 'sending paused')
  await reached(await push(1))
  const reason = 'ServiceUnavailable for 10 of 10 devices'
  expect(paused()).toMatchObject([{ state: 'unreachable', reason }])
  expect(await status(waits)).toMatchObject({ state: 'paused', reason, s: 0, failed: { total: 0 } })
  expect(await ready()).toMatchObject({
    status: 200,
    body: { warnings: [`${use.name}: APNs accepts nothing now (${reason}); pushes are waiting.`] },
  })
  simulator.answerWith(null)
  await pass(reached(waits))
  expect((await ready()).body.warnings).toEqual([])
})
