import { expect, test } from 'bun:test'
import { createPushStore } from '../../src/push/push-store.ts'
import { createReceiptCounts } from '../../src/stats/receipt-count-store.ts'
import type { Receipt } from '../../src/stats/receipt.ts'
import { createStatsStore } from '../../src/stats/stats-store.ts'
import { createEventStore } from '../../src/webhook/event-store.ts'
import { openRegistry } from '../support/registry.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const PUSH = '019a9f7e-3c1b-7000-8000-000000000000'

function openStats(languages?: Readonly<Record<string, object>>, actions?: readonly { readonly action: string }[]) {
  const registry = openRegistry()
  const { database } = registry
  const insert = database.statement<never, [string, string]>(
    `INSERT INTO push (id, application, notification, audience, ceiling, created_at, expires_at)
     VALUES (?, 1, ?, '{}', 0, 0, 0)`,
  )
  insert.run(PUSH, JSON.stringify({ languages, actions }))
  const tallies = database.statement<unknown, []>(
    'SELECT application, day, platform, t, s, o, received FROM tally ORDER BY 1, 2, 3',
  )
  const stats = createStatsStore({
    database,
    pushes: createPushStore({ database }),
    events: createEventStore({ database }),
  })
  const counts = createReceiptCounts({ database })
  return {
    stats,
    /** At `now`, ms since the Unix epoch; whether it has counted. */
    report: (application: number, platform: 0 | 1, now: number, receipt: Partial<Receipt> = {}) =>
      stats.record(application, platform, { event: 'opened', action: null, push: null, token: null, ...receipt }, now),
    countsOfPush: () => counts.of(1),
    receiptsOf: (device: number) => counts.ofDevice(1, device),
    tallies: () => tallies.all(),
    rows: database.statement<{ device: number }, []>('SELECT device FROM receipt'),
    registerDevice: (token: string, locale = '') => registry.devices.register(1, { platform: 0, token, locale }),
    byLanguage: () => Object.fromEntries(counts.byLanguage(1)),
    addDelivered: database.statement<never, [number, number]>(
      'INSERT INTO tally (application, day, platform, t, s) VALUES (1, ?, 0, ?, 2)',
    ),
    [Symbol.dispose]: () => registry[Symbol.dispose](),
  }
}

test('an application that has pushed nothing counts 0', () => {
  using on = openStats()
  expect(on.stats.analytics(1)).toEqual({ t: 0, o: 0, s: 0 })
})

test('analytics sums days and platforms of the application', () => {
  using on = openStats()
  on.addDelivered.run(20_000, 5)
  on.addDelivered.run(20_001, 7)
  on.report(1, 1, 0)
  on.report(2, 1, 0)
  expect(on.stats.analytics(1)).toEqual({ t: 12, o: 1, s: 4 })
  expect(on.stats.analytics(2)).toEqual({ t: 0, o: 1, s: 0 })
})

test('opens count by UTC day and platform', () => {
  using on = openStats()
  on.report(1, 0, 20_000 * DAY_MS)
  on.report(1, 0, 20_001 * DAY_MS - 1)
  on.report(1, 0, 20_001 * DAY_MS)
  on.report(1, 1, 20_001 * DAY_MS)
  const none = { application: 1, t: 0, s: 0, received: 0 }
  expect(on.tallies()).toEqual([
    { ...none, day: 20_000, platform: 0, o: 2 },
    { ...none, day: 20_001, platform: 0, o: 1 },
    { ...none, day: 20_001, platform: 1, o: 1 },
  ])
})

test('what is received counts by day too, an action does not', () => {
  using on = openStats()
  on.report(1, 0, 20_000 * DAY_MS, { event: 'received' })
  on.report(1, 0, 20_000 * DAY_MS, { event: 'received', push: PUSH })
  on.report(1, 0, 20_000 * DAY_MS, { event: 'action', action: 'reply', push: PUSH })
  expect(on.tallies()).toEqual([{ application: 1, day: 20_000, platform: 0, t: 0, s: 0, o: 0, received: 2 }])
  expect(on.stats.analytics(1)).toEqual({ t: 0, o: 0, s: 0 })
})

test('an open with the id of a push of the application counts for the push too', () => {
  using on = openStats()
  on.report(1, 0, 0, { push: PUSH })
  on.report(1, 0, 0)
  expect(on.countsOfPush()).toEqual({ opened: 1, received: 0, actions: {} })
  expect(on.stats.analytics(1).o).toBe(2)
})

test('an open with an unknown id, or that of another application, counts for the application alone', () => {
  using on = openStats()
  on.report(1, 0, 0, { push: '019a9f7e-3c1b-7000-8000-00000000ffff' })
  on.report(2, 0, 0, { push: PUSH })
  expect(on.countsOfPush().opened).toBe(0)
  expect([on.stats.analytics(1).o, on.stats.analytics(2).o]).toEqual([1, 1])
})

test('a device counts once an event and push, for the push and for the day, and the first time is kept', () => {
  using on = openStats()
  on.registerDevice('token')
  for (const [event, action] of [
    ['received', null],
    ['opened', null],
    ['action', 'reply'],
    ['action', 'later'],
  ] as const) {
    expect(on.report(1, 0, 4000, { event, action, push: PUSH, token: 'token' })).toBe(true)
    expect(on.report(1, 0, 5000, { event, action, push: PUSH, token: 'token' })).toBe(false)
  }
  expect(on.countsOfPush()).toEqual({ opened: 1, received: 1, actions: { later: 1, reply: 1 } })
  expect(on.tallies()).toMatchObject([{ o: 1, received: 1 }])
  expect(on.receiptsOf(1)).toEqual([
    { event: 'opened', action: null, at: 4000 },
    { event: 'received', action: null, at: 4000 },
    { event: 'action', action: 'later', at: 4000 },
    { event: 'action', action: 'reply', at: 4000 },
  ])
})

test('who is no device, or is one of the other platform, counts each time and is not kept', () => {
  using on = openStats()
  on.registerDevice('token')
  for (const now of [1000, 2000]) {
    expect(on.report(1, 0, now, { push: PUSH, token: 'nobody' })).toBe(true)
    expect(on.report(1, 1, now, { push: PUSH, token: 'token' })).toBe(true)
    expect(on.report(1, 0, now, { push: PUSH })).toBe(true)
  }
  expect(on.rows.all()).toEqual([])
  expect(on.countsOfPush().opened).toBe(6)
})

test('an open that names a device of another application, or another application’s push, keeps none', () => {
  using on = openStats()
  on.registerDevice('token')
  on.report(2, 0, 1000, { push: PUSH, token: 'token' })
  on.report(1, 0, 1000, { token: 'token' })
  on.report(1, 0, 1000, { token: 'token' })
  expect(on.rows.all()).toEqual([])
  expect([on.stats.analytics(1).o, on.stats.analytics(2).o]).toEqual([2, 1])
})

test('a report counts by the language that the device gets then, one that names no device by none', () => {
  using on = openStats({ de: {}, 'pt-BR': {} })
  on.registerDevice('one', 'de-AT')
  on.registerDevice('two', 'pt-PT')
  expect(on.report(1, 0, 0, { event: 'received', push: PUSH, token: 'one' })).toBe(true)
  expect(on.report(1, 0, 0, { push: PUSH, token: 'two' })).toBe(true)
  expect(on.report(1, 0, 0, { push: PUSH })).toBe(true)
  // It speaks Portuguese now; what it has said before it does not say again.
  on.registerDevice('one', 'pt-BR')
  expect(on.report(1, 0, 0, { event: 'received', push: PUSH, token: 'one' })).toBe(false)
  expect(on.report(1, 0, 0, { push: PUSH, token: 'one' })).toBe(true)
  expect(on.byLanguage()).toEqual({
    de: { opened: 0, received: 1, actions: {} },
    '*': { opened: 1, received: 0, actions: {} },
    '': { opened: 1, received: 0, actions: {} },
    'pt-BR': { opened: 1, received: 0, actions: {} },
  })
  expect(on.countsOfPush()).toEqual({ opened: 3, received: 1, actions: {} })
})

test('names of actions are as many for a push in many languages', () => {
  using on = openStats({ de: {} })
  on.registerDevice('one', 'de')
  on.registerDevice('two')
  for (let at = 0; at < 21; at++) {
    for (const token of ['one', 'two']) on.report(1, 0, 0, { event: 'action', action: `name ${at}`, push: PUSH, token })
  }
  const { actions } = on.countsOfPush()
  expect(Object.keys(actions)).toHaveLength(21)
  expect(actions).toMatchObject({ 'name 0': 2, 'name 19': 2, other: 2 })
})

test('20 names of actions are counted apart for each push, further ones together', () => {
  using on = openStats()
  on.registerDevice('token')
  const report = (action: string) => on.report(1, 0, 0, { event: 'action', action, push: PUSH, token: 'token' })
  expect(report('other')).toBe(true)
  for (let at = 0; at < 20; at++) expect(report(`name ${at}`)).toBe(true)
  // The device has said `other` before.
  for (let at = 20; at < 30; at++) expect(report(`name ${at}`)).toBe(false)
  on.report(1, 0, 0, { event: 'action', action: 'name 31', push: PUSH })
  on.report(1, 0, 0, { event: 'action', action: 'name 7', push: PUSH })
  const { actions } = on.countsOfPush()
  expect(Object.keys(actions)).toHaveLength(21)
  expect(actions).toMatchObject({ other: 2, 'name 7': 2, 'name 19': 1 })
  expect(on.receiptsOf(1)).toHaveLength(21)
})

test('names of buttons that the push has itself count always, whatever else was reported before', () => {
  using on = openStats(undefined, [{ action: 'reply' }, { action: 'later' }])
  on.registerDevice('token')
  const report = (action: string, token: string | null = null) =>
    on.report(1, 0, 0, { event: 'action', action, push: PUSH, token })
  report('reply')
  for (let at = 0; at < 25; at++) report(`junk ${at}`)
  for (const action of ['later', 'reply']) expect(report(action, 'token')).toBe(true)
  const { actions } = on.countsOfPush()
  expect(actions).toMatchObject({ reply: 2, later: 1, 'junk 19': 1, other: 5 })
  expect(Object.keys(actions)).toHaveLength(23)
})
