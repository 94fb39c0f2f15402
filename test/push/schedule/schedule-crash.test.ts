import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../../src/clock.ts'
import { startSimulator } from '../../../src/gateway/simulator/simulator.ts'
import type { Simulator } from '../../../src/gateway/simulator/simulator.ts'
import { arrivalsAt } from '../../support/arrivals.ts'
import { command, serve } from '../../support/service-process.ts'
import type { ServiceProcess } from '../../support/service-process.ts'

const SHIFTED_CLOCK = join(import.meta.dir, '../../faults/stage/shifted-clock.ts')

let simulator: Simulator
let data: string
/** A file with the milliseconds by which the service's clock is ahead. */
let offset: string
let env: Record<string, string>
let headers: Record<string, string>

beforeAll(async () => {
  simulator = await startSimulator({ clock: systemClock })
  data = await mkdtemp(join(tmpdir(), 'bellhop-schedule-'))
  const ca = join(data, 'gateway-ca.pem')
  await Bun.write(ca, simulator.ca)
  offset = join(data, 'clock-offset')
  env = {
    BELLHOP_APNS_URL: simulator.apnsUrl,
    BELLHOP_APNS_SANDBOX_URL: simulator.apnsUrl,
    BELLHOP_GATEWAY_CA: ca,
    BUN_OPTIONS: `--preload=${SHIFTED_CLOCK}`,
    FAULTS_CLOCK_OFFSET: offset,
  }
  const { id, secret } = JSON.parse((await command(['app', 'create', 'later', '--json', '--data', data])).stdout)
  headers = {
    'accept-version': '1',
    'content-type': 'application/json',
    'x-service-appid': id,
    'x-service-secret': secret,
  }
  const { apnsKey } = simulator.issue(id)
  const key = join(data, 'AuthKey.p8')
  await Bun.write(key, apnsKey.p8)
  const { keyId, teamId, topic } = apnsKey
  const flags = [`--key=${key}`, `--key-id=${keyId}`, `--team-id=${teamId}`, `--topic=${topic}`, `--data=${data}`]
  expect(await command(['app', 'apns', id, ...flags])).toMatchObject({ exitCode: 0 })
})
afterAll(async () => {
  await simulator[Symbol.asyncDispose]()
  await rm(data, { recursive: true })
})

async function call(service: ServiceProcess, method: string, path: string, body: object): Promise<any> {
  const response = await fetch(service.url + path, { method, headers, body: JSON.stringify(body) })
  expect([200, 201]).toContain(response.status)
  return response.json()
}

const BROADCAST = { platform: '0', msg: 'Hello', sound: '', badge: '' }

/** Longer than it takes to send anything. */
const QUIET_MS = 1000

describe('a push that waits', () => {
  test('survives kill -9, and arrives once; one that was cancelled right before never does', async () => {
    const first = await serve(data, env)
    await call(first, 'PUT', '/deviceToken', { platform: '0', token: 'a1'.repeat(32) })
    const inTime = await call(first, 'POST', '/push/all', { ...BROADCAST, send_at: 1200 })
    const overdue = await call(first, 'POST', '/push/all', { ...BROADCAST, send_at: 600 })
    const cancelled = await call(first, 'POST', '/push/all', { ...BROADCAST, send_at: 600 })
    await call(first, 'POST', `/push/${cancelled.id}/cancel`, {})
    await first.kill('SIGKILL')
    expect(simulator.arrivals()).toEqual([])

    await putForth(601_000)
    await using second = await serve(data, env)
    await arrivalsAt(simulator, 1)
    await Bun.sleep(QUIET_MS)
    expect(simulator.arrivals().map(({ collapse }) => collapse)).toEqual([overdue.id])

    const dueAt = Date.parse(inTime.send_at)
    const aheadMs = dueAt - Date.now() - 1000
    // A jump ahead of a running service would be believed after a minute only.
    await second.kill('SIGKILL')
    await putForth(aheadMs)
    await using third = await serve(data, env)
    const arrivals = await arrivalsAt(simulator, 2)
    await Bun.sleep(QUIET_MS)
    expect(simulator.arrivals().map(({ collapse }) => collapse)).toEqual([overdue.id, inTime.id])
    expect((arrivals[1]?.at ?? 0) + aheadMs).toBeGreaterThanOrEqual(dueAt)
    expect(third.log()).not.toContain('"error"')
  })
})

/** Sets how far ahead the service's clock is, so that no moment passes before the test is there. */
async function putForth(ms: number): Promise<void> {
  await Bun.write(offset, String(ms))
}
