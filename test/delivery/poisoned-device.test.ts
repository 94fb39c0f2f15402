import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Script } from '../../src/delivery/simulator/conduct.ts'
import type { Simulator } from '../../src/delivery/simulator/simulator.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startOutsideGateways } from '../support/outside-gateways.ts'
import type { OutsideGateways } from '../support/outside-gateways.ts'

import { startService } from '../support/service.ts'
import type { Credentials, Service } from '../support/service.ts'

/* Some devices of an audience are refused, always and before all others: the others are sent to, and at once. */

const DEVICES = 200

let clock: ReturnType<typeof createFakeClock>
let simulator: Simulator
let service: Service
let application: Credentials
let gateways: OutsideGateways

beforeEach(async () => {
  clock = createFakeClock()
  gateways = await startOutsideGateways(clock)
  ;({ simulator } = gateways)
  service = await startService({ clock, random: () => 0.5, simulated: false, config: gateways.config })
  application = service.application
  service.equip(application, simulator)
  clock.advance(1000)
})
afterEach(async () => {
  await service[Symbol.asyncDispose]()
  await gateways[Symbol.asyncDispose]()
})

type Platform = 0 | 1

const tokenOf = (platform: Platform, n: number) =>
  platform === 0 ? `a1${String(n).padStart(62, '0')}` : `phone:${String(n).padStart(5, '0')}`

async function register(platform: Platform, count = DEVICES): Promise<void> {
  const tokens = Array.from({ length: count }, (_, n) => tokenOf(platform, n))
  for (let from = 0; from < count; from += 100) {
    const body = { platform: String(platform), tokens: tokens.slice(from, from + 100) }
    expect((await service.put('/deviceToken/batch', body)).status).toBe(201)
  }
}

const push = async (platform: Platform, of = service): Promise<string> =>
  (await of.post('/push/all', { platform, msg: 'Hello', sound: '', badge: '' })).body.id

const apns = (status: number, reason: string) => ({ status, headers: {}, body: JSON.stringify({ reason }) })

const fcm = (status: number, name: string, ...details: object[]) => ({
  status,
  headers: {},
  body: JSON.stringify({ error: { code: status, message: name, status: name, details } }),
})

const fcmError = (errorCode: string) => ({ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode })

type Refusal = ReturnType<typeof apns>

interface Row {
  readonly what: string
  readonly platform: Platform
  /** How many of them, in front of all. */
  readonly first: number
  readonly refusal: Refusal
}

/** The first so many devices get the refusal, always. */
function poison({ platform, first, refusal }: Omit<Row, 'what'>): Script {
  const bad = new Set(Array.from({ length: first }, (_, n) => tokenOf(platform, n)))
  return ({ token }) => (bad.has(token) ? { kind: 'answer', answer: refusal } : null)
}

interface Progress {
  readonly state: string
  readonly t: number
  readonly s: number
  readonly failed: number
  readonly waiting: number
}

async function progress(id: string, of = service): Promise<Progress> {
  const response = await fetch(`${of.adminUrl}/pushes/${id}`)
  const [delivery] = ((await response.json()) as { deliveries: Progress[] }).deliveries
  if (delivery === undefined) throw new Error('it is not delivered to any platform')
  return delivery
}

/** Resolves when so many are sent, and written down; no time passes. */
async function reached(id: string, s: number, of = service): Promise<Progress> {
  for (;;) {
    const found = await progress(id, of)
    if (found.s >= s) return found
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const paused = (of = service) => of.log.filter(({ event }) => event === 'sending paused')
const ready = async (of = service) => (await fetch(`${of.adminUrl}/readyz`)).status

const ROWS: readonly Row[] = [
  { what: 'of another topic', platform: 0, first: 1, refusal: apns(400, 'DeviceTokenNotForTopic') },
  {
    what: 'of another sender',
    platform: 1,
    first: 1,
    refusal: fcm(403, 'PERMISSION_DENIED', fcmError('SENDER_ID_MISMATCH')),
  },
  { what: 'ten bad tokens', platform: 0, first: 10, refusal: apns(400, 'BadDeviceToken') },
  { what: 'fifty bad tokens', platform: 0, first: 50, refusal: apns(400, 'BadDeviceToken') },
  { what: 'answered 503', platform: 0, first: 1, refusal: apns(503, 'ServiceUnavailable') },
  { what: 'answered 503 by Google', platform: 1, first: 1, refusal: fcm(503, 'UNAVAILABLE', fcmError('UNAVAILABLE')) },
  {
    what: 'without an APNs key in Firebase',
    platform: 1,
    first: 1,
    refusal: fcm(401, 'UNAUTHENTICATED', fcmError('THIRD_PARTY_AUTH_ERROR')),
  },
  {
    what: 'answered 429 without a quota',
    platform: 1,
    first: 1,
    refusal: fcm(429, 'RESOURCE_EXHAUSTED', fcmError('QUOTA_EXCEEDED')),
  },
  { what: 'answered 403', platform: 0, first: 1, refusal: apns(403, 'Forbidden') },
  { what: 'answered 401', platform: 1, first: 1, refusal: fcm(401, 'UNAUTHENTICATED') },
  { what: 'answered 404', platform: 1, first: 1, refusal: fcm(404, 'NOT_FOUND') },
  { what: 'answered 410 without a time', platform: 0, first: 1, refusal: apns(410, 'Unregistered') },
  { what: 'nine of them answered 403', platform: 0, first: 9, refusal: apns(403, 'InvalidProviderToken') },
]

describe('a credential that has proven nothing sends to all others at once, where the first is', () => {
  test.each(ROWS.map((row) => [row.what, row] as const))('%s', async (_, row) => {
    await register(row.platform)
    simulator.answerWith(poison(row))
    const found = await reached(await push(row.platform), DEVICES - row.first)
    expect(found).toMatchObject({ t: DEVICES, s: DEVICES - row.first })
    expect(found.failed + found.waiting).toBe(row.first)
    expect(paused()).toEqual([])
    expect(await ready()).toBe(200)
  })
})

describe('a credential that is proven sends to all others at once after a restart, where the first is', () => {
  test.each(ROWS.map((row) => [row.what, row] as const))('%s', async (_, row) => {
    await register(row.platform)
    await reached(await push(row.platform), DEVICES)
    simulator.answerWith(poison(row))
    await using again = await service.restart()
    const found = await reached(await push(row.platform, again), DEVICES - row.first, again)
    expect(found.failed + found.waiting).toBe(row.first)
    expect(paused(again)).toEqual([])
    expect(await ready(again)).toBe(200)
  })
})
