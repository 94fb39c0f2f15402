import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startBusyService, SECRETS } from './busy-service.ts'
import type { BusyService } from './busy-service.ts'
import { valueOf } from './read-exposition.ts'
import type { ReadFamily } from './read-exposition.ts'

let busy: BusyService
let text: string
let families: ReadonlyMap<string, ReadFamily>

beforeAll(async () => {
  busy = await startBusyService()
  ;({ text, families } = await busy.scrape())
})
afterAll(() => busy[Symbol.asyncDispose]())

const of = (name: string, labels: Record<string, string> = {}) => valueOf(families, name, labels)
const SHOP = { application: 'test' }
const PAUSED = { application: 'a "quoted" name' }

test('/metrics is on the admin listener only, as text of version 0.0.4', async () => {
  const { service } = busy
  const response = await fetch(`${service.adminUrl}/metrics`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect((await service.get('/metrics')).status).toBe(404)
})

test('nothing that is secret, or somebody’s, is in /metrics or /readyz', async () => {
  const { service, paused } = busy
  const ready = await (await fetch(`${service.adminUrl}/readyz`)).text()
  const told = [text, ready].join('\n')
  for (const secret of [...Object.values(SECRETS), service.application.secret, paused.secret, 'nowhere', 'whsec']) {
    expect(told).not.toContain(secret)
  }
})

test('what runs is told', () => {
  const [build] = families.get('bellhop_build_info')?.series ?? []
  expect(build?.labels).toMatchObject({ bun: Bun.version, version: expect.stringMatching(/^\d+\.\d+\.\d+$/) })
  expect(build?.labels['sqlite']).toMatch(/^3\./)
})

test('what can be counted of an application is there from the start, as zero', () => {
  for (const [name, label, kinds] of [
    ['bellhop_rate_limited_total', 'reason', ['rate', 'quota', 'rows', 'labels', 'devices', 'disk']],
    ['bellhop_receipts_total', 'event', ['received', 'opened', 'action']],
    ['bellhop_webhook_deliveries_total', 'outcome', ['delivered', 'failed', 'given-up']],
  ] as const) {
    for (const kind of kinds) {
      expect({ name, kind, value: of(name, { ...PAUSED, [label]: kind }) }).toEqual({ name, kind, value: 0 })
    }
  }
})

describe('calls', () => {
  test('are counted by route, method and status', () => {
    const calls = (route: string, method: string, code: string) =>
      of('bellhop_http_requests_total', { route, method, code })
    expect(calls('/deviceToken', 'PUT', '201')).toBe(6)
    expect(calls('/deviceToken', 'PUT', '400')).toBe(1)
    expect(calls('/push/all', 'POST', '200')).toBe(3)
    expect(calls('/push/all', 'PATCH', '405')).toBe(1)
    expect(calls('/push/:id', 'GET', '200')).toBe(2)
    expect(calls('unknown', 'GET', '404')).toBe(1)
    expect(calls('/analytics', 'GET', '401')).toBe(1)
    expect(of('bellhop_http_request_duration_seconds_count', { route: '/deviceToken', method: 'PUT' })).toBe(7)
  })

  test('that are refused are counted by what refused them', () => {
    expect(of('bellhop_wrong_credentials_total')).toBe(1)
    expect(of('bellhop_rate_limited_total', { application: 'limited', reason: 'rate' })).toBe(1)
    expect(of('bellhop_rate_limited_total', { application: 'limited', reason: 'quota' })).toBe(0)
    expect(of('bellhop_quota_used_calls', { application: 'limited' })).toBe(3)
    expect(of('bellhop_quota_limit_calls', { application: 'limited' })).toBe(4)
  })
})

test('commits are counted with what they took', () => {
  const transactions = of('bellhop_commit_operations_count')
  expect(transactions).toBeGreaterThan(9)
  expect(of('bellhop_commit_operations_sum')).toBeGreaterThanOrEqual(transactions ?? 0)
  expect(of('bellhop_commit_duration_seconds_count', { stage: 'transaction' })).toBe(transactions)
  expect(of('bellhop_commit_duration_seconds_count', { stage: 'sync' })).toBeGreaterThan(0)
  expect(of('bellhop_commit_failures_total')).toBe(0)
})

describe('what goes out', () => {
  test('is counted by what the gateway answered', () => {
    const answers = (platform: string, outcome: string) =>
      of('bellhop_push_notifications_total', { ...SHOP, platform, outcome })
    // The broadcast, the single push, and the retry of the throttled one.
    expect(answers('ios', 'accepted')).toBe(3)
    expect(answers('ios', 'gone')).toBe(1)
    expect(answers('ios', 'rejected')).toBe(1)
    expect(answers('ios', 'deferred')).toBe(1)
    expect(answers('ios', 'misconfigured')).toBe(0)
    expect(answers('android', 'accepted')).toBe(1)
    expect(of('bellhop_gateway_request_duration_seconds_count', { platform: 'ios' })).toBe(6)
    expect(of('bellhop_gateway_request_duration_seconds_count', { platform: 'android' })).toBe(1)
    expect(of('bellhop_push_expired_total', { ...SHOP, platform: 'ios' })).toBe(0)
  })

  test('was accepted now or for later', () => {
    expect(of('bellhop_pushes_accepted_total', { ...SHOP, sent: 'now' })).toBe(2)
    expect(of('bellhop_pushes_accepted_total', { ...SHOP, sent: 'later' })).toBe(1)
    expect(of('bellhop_scheduled_pushes')).toBe(1)
  })

  test('is counted by what apps report of it, a device once', () => {
    const receipts = (event: string) => of('bellhop_receipts_total', { ...SHOP, event })
    expect([receipts('received'), receipts('opened'), receipts('action')]).toEqual([1, 1, 0])
  })

  test('shows where it is paused, and what waits there', () => {
    const platform = 'android'
    const pause = (state: string, name = PAUSED) => of('bellhop_sender_paused', { ...name, platform, state })
    expect(pause('no-credential')).toBe(1)
    expect([pause('misconfigured'), pause('unreachable'), pause('no-credential', SHOP)]).toEqual([0, 0, 0])
    expect(of('bellhop_queue_open_pushes', { ...PAUSED, platform })).toBe(1)
    expect(of('bellhop_queue_open_pushes', { ...SHOP, platform })).toBe(0)
    // Paused pushes are not late for lack of speed, so they have no age.
    expect(of('bellhop_queue_oldest_age_seconds', { ...PAUSED, platform })).toBe(0)
    expect(of('bellhop_ready')).toBe(0)
    expect(of('bellhop_check_ok', { check: 'credentials' })).toBe(0)
    expect(of('bellhop_check_ok', { check: 'database' })).toBe(1)
  })

  test('goes to so many devices', () => {
    // One is gone, one quarantined.
    expect(of('bellhop_devices', { ...SHOP, platform: 'ios' })).toBe(2)
    expect(of('bellhop_devices', { ...SHOP, platform: 'android' })).toBe(1)
    expect(of('bellhop_devices', { ...PAUSED, platform: 'android' })).toBe(1)
  })
})

test('webhooks and certificates are watched', () => {
  const tries = (outcome: string) => of('bellhop_webhook_deliveries_total', { ...SHOP, outcome })
  expect(tries('failed')).toBeGreaterThan(0)
  expect([tries('delivered'), tries('given-up')]).toEqual([0, 0])
  expect(of('bellhop_webhook_events_waiting', SHOP)).toBeGreaterThan(0)
  expect(of('bellhop_webhook_disabled', SHOP)).toBe(0)
  expect(of('bellhop_certificate_expiry_timestamp_seconds', SHOP)).toBe(busy.certificateExpiresAt / 1000)
})

test('the disk and the process are watched', () => {
  expect(of('bellhop_database_bytes', { file: 'db' })).toBeGreaterThan(0)
  expect(of('bellhop_database_bytes', { file: 'wal' })).toBeGreaterThan(0)
  expect(of('bellhop_disk_free_bytes')).toBeGreaterThan(0)
  expect(of('bellhop_disk_size_bytes')).toBeGreaterThan(of('bellhop_disk_free_bytes') ?? 0)
  expect(of('bellhop_event_loop_delay_seconds_count')).toBeGreaterThan(0)
  expect(of('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
  expect(of('process_cpu_seconds_total')).toBeGreaterThan(0)
  expect(of('process_start_time_seconds')).toBeGreaterThan(1_700_000_000)
})

test('counters only rise, and a deleted application leaves no series', async () => {
  const { service, paused, clock } = busy
  await service.put('/deviceToken', { token: 'c3'.repeat(32), platform: 0 })
  service.remove(paused)
  clock.advance(600_000)
  const later = (await busy.scrape()).families
  for (const [name, { type, series }] of families) {
    if (type !== 'counter') continue
    for (const { labels, value } of series) {
      if (labels['application'] === PAUSED.application) continue
      expect([name, labels, (valueOf(later, name, labels) ?? -1) >= value]).toEqual([name, labels, true])
    }
  }
  expect(valueOf(later, 'bellhop_http_requests_total', { route: '/deviceToken', code: '201' })).toBe(7)
  expect(valueOf(later, 'bellhop_devices', { ...SHOP, platform: 'ios' })).toBe(3)
  const named = [...later.values()].flatMap(({ series }) => series.map(({ labels }) => labels['application']))
  expect(named).not.toContain(PAUSED.application)
  expect(valueOf(later, 'bellhop_ready')).toBe(1)
})
