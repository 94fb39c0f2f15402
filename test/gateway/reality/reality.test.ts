import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SECOND_MS } from '../../../src/clock.ts'
import { startOf } from '../../../src/dashboard/client/magic-phones.ts'
import type { ReceivedPush } from '../../../src/gateway/simulator/received-pushes.ts'
import type { Simulator } from '../../../src/gateway/simulator/simulator.ts'
import { EXAMPLE_SUBSCRIPTION } from '../../../src/gateway/simulator/webpush/message-opening.ts'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
import { passing } from '../../support/passing.ts'
import { startSending } from '../../support/sending.ts'
import type { Service } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { REALITY } from './rows.ts'
import type { RealityRow } from './rows.ts'

/* Each row is played for a service of its own application, over TLS. */

/** Devices beside the one that a row is about. Where all are as the row says, enough to pause what they are sent through. */
const OTHERS = 3
const ALL = 12

let clock: FakeClock
let service: Service
let simulator: Simulator
beforeAll(async () => {
  ;({ clock, service, simulator } = await startSending())
})
afterAll(() => service[Symbol.asyncDispose]())

function deviceOf({ order: [platform, order, times] }: RealityRow, isIll: boolean, n: number) {
  const place = order.includes('/') ? order.slice(0, order.indexOf('/') + 1) : ''
  const start =
    isIll && !order.endsWith('/') ? startOf(platform, order, times) : platform === '0' ? 'a1' : `${place}well:`
  const token = platform === '0' ? start.padEnd(60, '0') + String(n).padStart(4, '0') : `${start}${n}`
  if (platform !== '2') return { platform, token }
  return { platform, token: `https://simulator.invalid/${token}`, keys: EXAMPLE_SUBSCRIPTION }
}

async function pushed(caller: Caller, row: RealityRow, hasAsked: (() => boolean) | null) {
  const usual = { platform: row.order[0], msg: 'Hello', sound: '', badge: '' }
  const { status, body } = await caller.post('/push/all', { ...usual, ...row.push })
  expect(status).toBe(200)
  if (row.othersGoOn && hasAsked !== null) {
    await until(hasAsked)
    const { token } = deviceOf(row, false, 0)
    expect((await caller.post('/push/one', { ...usual, token })).status).toBe(200)
  }
  const over = until(async () => (await caller.get(`/push/${body.id}`)).body.state === 'finished')
  // A first request waits for its connection: no time passes meanwhile.
  await passing(service, clock, over, SECOND_MS)
  return (await caller.get(`/push/${body.id}`)).body
}

describe.each(REALITY)('$gateway: $trigger', (row) => {
  test(`${row.answer}: Bellhop ${row.done}`, async () => {
    const caller = newCaller(service)
    const devices = Array.from({ length: row.all ? ALL : 1 + OTHERS }, (_, n) =>
      deviceOf(row, n === OTHERS || row.all === true, n),
    )
    for (const device of devices) await caller.register(device)
    const { token } = devices[OTHERS] ?? { token: '' }
    let seen: ReceivedPush[] = []
    const stop = simulator.onArrival((arrival) => void (arrival.token === token && seen.push(arrival)))
    const from = service.log.length
    const statuses = () => seen.map(({ status }) => status)

    const first = await pushed(caller, row, () => seen.length > 0)
    expect(statuses()).toEqual([...row.asked])
    expect(row.requests?.(seen) ?? true).toBe(true)
    const failed = row.failed === undefined ? {} : { [row.failed]: expect.any(Number) }
    expect(first.failed.reasons).toEqual(failed)
    const paused = service.log.slice(from).filter(({ event }) => event === 'sending paused')
    expect(paused.map(({ reason }) => String(reason).includes(row.paused ?? '/'))).toEqual(
      paused.length > 0 || row.paused === undefined ? paused.map(() => true) : [true],
    )
    const left = row.leaves ? 1 : 0
    expect(await caller.devices()).toHaveLength(devices.length - left)

    seen = []
    const second = await pushed(caller, row, null)
    expect(statuses()).toEqual([...(row.askedAgain ?? row.asked)])
    expect(second.t).toBe(devices.length - left)
    stop()
  })
})
