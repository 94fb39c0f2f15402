import { fullGC } from 'bun:jsc'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { startDeliveryPool } from '../../src/delivery/delivery-pool.ts'
import type { DeliveryPool } from '../../src/delivery/delivery-pool.ts'
import { createDeliveryStore } from '../../src/delivery/store/delivery-store.ts'
import { createDeliveryErasure } from '../../src/delivery/store/delivery-erasure-store.ts'
import type { Outcome, Provider, Recipient } from '../../src/gateway/gateway.ts'
import { PLATFORM } from '../../src/platform.ts'
import type { Notification } from '../../src/notification/notification.ts'
import type { Platform, PlatformTable, ProviderName } from '../../src/platform.ts'
import { createPushStore } from '../../src/push/push-store.ts'
import { EVERYBODY } from '../audience/population.ts'
import { openRegistry } from '../support/registry.ts'
import { until } from '../support/until.ts'

/* A made-up platform, known by its row alone: delivery knows no platform by number. */

const WATCH = 3 as Platform
const WITH_WATCHES: PlatformTable = {
  ...PLATFORM,
  [WATCH]: {
    label: 'watch',
    name: 'Watch',
    device: 'watch',
    article: 'a',
    words: ['watch'],
    isOptional: true,
    tokens: 'opaque',
    madeUpToken: 'watch',
    hasKeys: true,
    provider: 'watchpush',
    gateway: 'Watch Push',
    credential: 'a Watch Push credential',
    isRealWhenSimulated: false,
  },
}
const KEYS = { p256dh: new Uint8Array(65).fill(4), auth: new Uint8Array(16) }

let registry: ReturnType<typeof openRegistry>
beforeEach(() => {
  registry = openRegistry()
})
afterEach(() => registry[Symbol.dispose]())

describe('a fourth platform', () => {
  let pool: DeliveryPool
  const sent: { readonly recipient: Recipient; readonly at: number }[] = []
  /** Answers by token, in order; then it accepts. */
  const answers = new Map<string, Outcome[]>()

  function provider(): Provider {
    return {
      name: 'watchpush' as ProviderName,
      retry: { firstMs: 6000, longestMs: 60_000 },
      originOf: () => 'https://watch.example',
      send(_, recipient, listener) {
        sent.push({ recipient, at: registry.clock.now() })
        listener.onOutcome(answers.get(recipient.token)?.shift() ?? { kind: 'accepted' })
      },
      async [Symbol.asyncDispose]() {},
    }
  }

  beforeEach(() => {
    registry.database.statement('PRAGMA ignore_check_constraints = ON').run()
    const { database, clock, devices } = registry
    const latency = { observe() {} }
    pool = startDeliveryPool({
      clock,
      log: { writes: () => false, debug() {}, info() {}, warn() {}, error() {} },
      random: () => 0.5,
      commit: async (operation) => database.transact(operation),
      store: createDeliveryStore({ database, clock, platforms: WITH_WATCHES }),
      platforms: WITH_WATCHES,
      registry: {
        apply(finding, now) {
          if (finding.kind === 'gone') devices.markGone(finding.device, { ...finding, now })
        },
        giveBack: () => false,
        changeBadges: (changed, change) => devices.changeBadges(changed, change),
      },
      events: { pushFinished() {}, credentialPaused() {}, credentialResumed() {} },
      providerOf: (_, platform) => (platform === WATCH ? provider() : null),
      credentialOf: () => 0,
      maxInFlight: 100,
      collectGarbage: fullGC,
      latency: { 0: latency, 1: latency, 2: latency, [WATCH]: latency },
    })
  })
  afterEach(async () => {
    await pool.stop()
    pool.close()
    sent.length = 0
    answers.clear()
  })

  const register = (token: string, platform: Platform) =>
    registry.database.transact(() => registry.devices.register(1, { token, platform, keys: KEYS }))
  const rows = (sql: string) => registry.database.statement<Record<string, unknown>, []>(sql).all()
  const delivery = () => rows(`SELECT * FROM delivery WHERE platform = ${WATCH}`)[0]

  function push(timeToLiveMs = 60_000, badge: Notification['badge'] = { add: 1 }): void {
    const { database, clock } = registry
    const number = database.transact(() =>
      createPushStore({ database }).accept(1, {
        id: Bun.randomUUIDv7(),
        notification: { msg: 'Hello', sound: null, badge, payload: null },
        audience: { filter: { ...EVERYBODY, platforms: [0, WATCH] } },
        createdAt: clock.now(),
        timeToLiveMs,
        sendAt: null,
        waves: [],
      }),
    )
    pool.wake(1, number)
  }

  async function finished(): Promise<void> {
    await until(() => {
      registry.clock.advance(250)
      return delivery()?.['finished_at'] !== null
    })
  }

  test('is sent to by its own provider, with keys and badges, and counted', async () => {
    register('good', WATCH)
    register('other', WATCH)
    register('a1'.repeat(32), 0)
    push()
    await finished()
    expect(sent.map(({ recipient }) => recipient)).toMatchObject([
      { token: 'good', badge: 1, keys: KEYS },
      { token: 'other', badge: 1, keys: KEYS },
    ])
    expect(delivery()).toMatchObject({ addressed: 2, accepted: 2, failed: 0 })
    expect(rows(`SELECT t, s FROM tally WHERE platform = ${WATCH}`)).toEqual([{ t: 2, s: 2 }])
    // The other platform has no credential, and waits.
    expect(rows('SELECT finished_at FROM delivery WHERE platform = 0')).toEqual([{ finished_at: null }])
  })

  test('is tried again by the waits of its gateway, the last time just before the end', async () => {
    register('busy', WATCH)
    const busy = { kind: 'deferred', afterMs: null, scope: 'device', reason: 'Busy' } as const
    answers.set(
      'busy',
      Array.from({ length: 9 }, () => busy),
    )
    const start = registry.clock.now()
    push(12_000, null)
    await finished()
    // With random 0.5 it waits three quarters of 6 s; twice that would be too late.
    expect(sent.map(({ at }) => (at - start) / 1000)).toEqual([0, 4.5, 9.75])
    expect(rows('SELECT state, reason FROM push_exception')).toEqual([{ state: 'expired', reason: 'Busy' }])
  })

  test('its device that is gone leaves every audience, and is forgotten with its user', async () => {
    register('left', WATCH)
    const device = Number(rows('SELECT id FROM device')[0]?.['id'])
    answers.set('left', [{ kind: 'unregistered', since: null, reason: 'Gone' }])
    push()
    await finished()
    expect(rows('SELECT platform, reason FROM feedback')).toEqual([{ platform: WATCH, reason: 'Gone' }])
    expect(rows('SELECT device FROM push_exception')).toEqual([{ device }])
    createDeliveryErasure(registry).forgetDevices(1, [device], 0, Number.MAX_SAFE_INTEGER)
    expect(rows('SELECT device FROM push_exception')).not.toContainEqual({ device })
  })

  test('a start finds what is open on it', async () => {
    register('good', WATCH)
    push()
    await finished()
    registry.database.statement(`UPDATE delivery SET finished_at = NULL WHERE platform = ${WATCH}`).run()
    const store = createDeliveryStore(registry)
    expect(store.senders()).toContainEqual({ application: 1, platform: WATCH })
  })
})

test('its migration rebuilds the tables whose checks name the platforms, as 0024_web_push.sql has done', () => {
  const tables = registry.database
    .statement<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%CHECK (platform %' ORDER BY name",
    )
    .all()
  // Rebuilding a table of 1,000,000 devices takes seconds and its size again on disk. Nobody pays that before a new
  // platform is there.
  expect(tables.map(({ name }) => name)).toEqual([
    'delivery',
    'delivery_language',
    'device',
    'feedback',
    'paused_credential',
    'push_exception',
    'tally',
  ])
  expect(() => registry.devices.register(1, { token: 'watch', platform: WATCH })).toThrow('CHECK constraint failed')
})
