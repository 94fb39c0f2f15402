import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createApplicationStore } from '../../src/application/application-store.ts'
import type { Application } from '../../src/application/application.ts'
import type { Commit } from '../../src/database/group-commit.ts'
import { createLog } from '../../src/log.ts'
import { startServiceClock } from '../../src/time/service-clock.ts'
import type { ServiceClock } from '../../src/time/service-clock.ts'
import { createEventStore } from '../../src/webhook/event-store.ts'
import type { Post, PostOutcome } from '../../src/webhook/post.ts'
import { startWebhookSender } from '../../src/webhook/webhook-sender.ts'
import type { WebhookSender } from '../../src/webhook/webhook-sender.ts'
import { createWebhookStore } from '../../src/webhook/webhook-store.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import type { LogLine } from '../support/service.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'

const SECRET_BYTES = Buffer.alloc(24, 7)
const SECRET = `whsec_${SECRET_BYTES.toString('base64')}`
const KEY = new Uint8Array(32)
const MAX_WAITING = 20

interface Sent {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly at: number
  answer(outcome: PostOutcome): void
}

const status = (code: number, retryAfter: string | null = null): PostOutcome => ({
  kind: 'answered',
  status: code,
  retryAfter,
})

let file: ReturnType<typeof temporaryDatabase>
let clock: ReturnType<typeof createFakeClock>
let events: ReturnType<typeof createEventStore>
let webhooks: ReturnType<typeof createWebhookStore>
let shop: Application
let log: LogLine[]
let sent: Sent[]
let sender: WebhookSender
/** Writes fail. */
let full: boolean
/** Awaited by commits, if set. */
let sync: Promise<void> | null
/** Rows changed by the largest transaction. */
let mostChanges: number
/** Delay (ms) and outcome of an answer; `null`: the test answers. */
let respond: ((one: Omit<Sent, 'answer'>) => { readonly afterMs: number; readonly outcome: PostOutcome }) | null

beforeEach(() => {
  file = temporaryDatabase()
  clock = createFakeClock()
  const { database } = file
  events = createEventStore({ database, maxWaiting: MAX_WAITING })
  webhooks = createWebhookStore({ database, clock, key: KEY })
  log = []
  sent = []
  full = false
  sync = null
  respond = null
  mostChanges = 0
  shop = addApplication('Shop')
  sender = start()
})
afterEach(() => {
  sender.close()
  file[Symbol.dispose]()
})

function start(time: ServiceClock = clock): WebhookSender {
  const { database } = file
  const changes = database.statement<{ count: number }, []>('SELECT total_changes() AS count')
  const commit: Commit = async (operation) => {
    if (full) throw new Error('database or disk is full')
    const before = changes.get()?.count ?? 0
    const result = database.transact(operation)
    mostChanges = Math.max(mostChanges, (changes.get()?.count ?? 0) - before)
    await sync
    return result
  }
  const post: Post = (url, headers, body) =>
    new Promise((answer) => {
      const one = { url, headers, body, at: clock.now() }
      sent.push({ ...one, answer })
      const response = respond?.(one)
      if (response !== undefined) clock.after(response.afterMs, () => answer(response.outcome))
    })
  const lines = createLog('debug', clock.now, (line) => void log.push(JSON.parse(line)))
  return startWebhookSender({ clock: time, log: lines, random: () => 0, commit, events, webhooks, post })
}

function addApplication(name: string): Application {
  const made = createApplicationStore({ database: file.database, clock }).create(name)
  if (made.kind !== 'created') throw new Error(made.kind)
  const url = `https://${name.toLowerCase()}.test/hooks`
  webhooks.put(made.application, { url, events: ['credential.paused', 'credential.resumed'], secret: SECRET })
  return made.application
}

/** Stores an event for each reason. */
function happen(application: Application, ...reasons: readonly string[]): void {
  file.database.transact(() => {
    for (const reason of reasons) {
      events.credentialPaused(application.number, 0, reason, clock.now())
      file.database.statement('DELETE FROM paused_credential').run()
    }
  })
}

const reasonOf = ({ body }: Sent): string => JSON.parse(body).data.reason
const waiting = (): number =>
  file.database.statement<{ count: number }, []>('SELECT count(*) AS count FROM event').get()?.count ?? 0

/** Processes all answers so far. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

async function pass(ms: number): Promise<void> {
  clock.advance(ms)
  await settle()
}

async function answer(at: number, outcome: PostOutcome): Promise<void> {
  sent[at]?.answer(outcome)
  await settle()
}

describe('an event', () => {
  test('is sent within a quarter of a second, signed, and erased when it is answered with 2xx', async () => {
    happen(shop, 'ExpiredProviderToken')
    await pass(250)
    const [one] = sent
    const data = { provider: 'apns', state: 'misconfigured', reason: 'ExpiredProviderToken' }
    expect(one?.url).toBe('https://shop.test/hooks')
    expect(JSON.parse(one?.body ?? '')).toEqual({
      type: 'credential.paused',
      timestamp: '2026-11-20T12:00:00.000Z',
      data,
    })
    expect(one?.headers['content-type']).toBe('application/json')
    expect(one?.headers['webhook-id']).toMatch(/^evt_[\w-]+$/)
    expect(one?.headers['webhook-timestamp']).toBe(String(Date.UTC(2026, 10, 20, 12) / 1000))
    const content = `${one?.headers['webhook-id']}.${one?.headers['webhook-timestamp']}.${one?.body}`
    const digest = new Bun.CryptoHasher('sha256', SECRET_BYTES).update(content).digest('base64')
    expect(one?.headers['webhook-signature']).toBe(`v1,${digest}`)
    await answer(0, status(202))
    expect(waiting()).toBe(0)
    await pass(60_000)
    expect(sent).toHaveLength(1)
  })

  test('is tried ten times over three days, with the same id and body and a signature of its own each', async () => {
    happen(shop, 'x')
    const begun = clock.now()
    const tries: number[] = []
    while (waiting() > 0) {
      await pass(250)
      if (sent.length === tries.length) continue
      tries.push(Math.floor((clock.now() - begun) / 1000))
      await answer(tries.length - 1, status(500))
      // The rest of the wait, at once.
      const due = file.database.statement<{ due_at: number }, []>('SELECT due_at FROM event').get()?.due_at
      if (due !== undefined) clock.set(due)
    }
    // Standard Webhooks' column "Time since start", in seconds; ticks add a few.
    const published = [0, 5, 305, 2105, 9305, 27_305, 63_305, 113_705, 185_705, 272_105]
    expect(tries).toHaveLength(10)
    for (const [at, seconds] of tries.entries()) {
      expect(Math.abs(seconds - (published[at] ?? 0))).toBeLessThanOrEqual(3)
    }
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1)
    expect(new Set(sent.map(({ headers }) => headers['webhook-signature'])).size).toBe(10)
    const last = log.find(({ event }) => event === 'gave up on a webhook event')
    expect(last).toMatchObject({ level: 'error', application: shop.id, attempt: 10, reason: '500' })
    expect(JSON.stringify(log)).not.toContain('misconfigured')
    expect(JSON.stringify(log)).not.toContain('whsec_')
  })

  for (const [what, outcome, reason] of [
    ['a redirect', status(302), '302'],
    ['a refusal', status(404), '404'],
    ['no answer', { kind: 'failed', reason: 'no answer in time' }, 'no answer in time'],
  ] as const) {
    test(`is tried again after ${what}`, async () => {
      happen(shop, 'x')
      await pass(250)
      await answer(0, outcome)
      expect(log.at(-1)).toMatchObject({ event: 'webhook event not delivered', reason, attempt: 1, waitMs: 5000 })
      await pass(4750)
      expect(sent).toHaveLength(1)
      await pass(250)
      expect(sent).toHaveLength(2)
    })
  }

  test('waits as long as the receiver asks, and so do the others of its application', async () => {
    happen(shop, 'x')
    await pass(250)
    await answer(0, status(429, '60'))
    happen(shop, 'y')
    await pass(59_750)
    expect(sent).toHaveLength(1)
    await pass(500)
    expect(sent.map(reasonOf)).toEqual(['x', 'y', 'x'])
  })

  test('is sent again by the next process when this one ended before the answer', async () => {
    happen(shop, 'x')
    await pass(250)
    sender.close()
    await answer(0, status(204))
    expect(waiting()).toBe(1)
    sender = start()
    await pass(250)
    expect(sent).toHaveLength(2)
    expect(sent[1]?.headers['webhook-id']).toBe(sent[0]?.headers['webhook-id'])
  })

  test('is not sent again because the disk would not take the answer for a while', async () => {
    happen(shop, 'x')
    await pass(250)
    full = true
    await answer(0, status(204))
    await pass(10_000)
    expect(sent).toHaveLength(1)
    full = false
    await pass(1000)
    expect(waiting()).toBe(0)
  })

  test('waits no longer because the clock is put back', async () => {
    sender.close()
    const time = startServiceClock({ clock, log: { warn: () => {} }, last: null, followsJumps: false })
    clock.after(5000, () => void time.look())
    sender = start(time)
    happen(shop, 'x')
    await pass(250)
    await answer(0, status(500))
    clock.set(clock.now() - 3_600_000)
    await pass(5250)
    expect(sent).toHaveLength(2)
    expect(Number(sent[1]?.headers['webhook-timestamp'])).toBe(Math.floor(clock.now() / 1000))
  })
})

describe('the events of an application', () => {
  test('go out in the order of their times, four at once at first', async () => {
    happen(shop, 'a', 'b', 'c')
    await pass(1)
    happen(shop, 'd', 'e', 'f')
    await pass(250)
    expect(sent.map(reasonOf)).toEqual(['a', 'b', 'c', 'd'])
    await answer(1, status(200))
    expect(sent.map(reasonOf)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
    for (const at of [0, 2, 3, 4, 5]) await answer(at, status(200))
    expect(waiting()).toBe(0)
  })

  test('are one more at once with each that is taken, up to 32', async () => {
    events = createEventStore({ database: file.database })
    sender.close()
    sender = start()
    happen(shop, ...Array.from({ length: 100 }, (_, at) => `r${at}`))
    await pass(250)
    expect(sent).toHaveLength(4)
    const onTheirWay = []
    for (let at = 0; at < 40; at++) {
      await answer(at, status(200))
      onTheirWay.push(sent.length - at - 1)
    }
    expect(onTheirWay.slice(0, 28)).toEqual(Array.from({ length: 28 }, (_, at) => at + 5))
    expect(onTheirWay.slice(28)).toEqual(Array.from({ length: 12 }, () => 32))
    await answer(40, status(500))
    expect(sent).toHaveLength(41 + 31)
  })

  test('go one at a time, with a pause, while its receiver takes none', async () => {
    happen(shop, ...Array.from({ length: 18 }, (_, at) => `r${at}`))
    await pass(250)
    for (let at = 0; at < 10; at++) await answer(at, status(502))
    // Ten in a row have failed; before that each waited on its own.
    expect(sent).toHaveLength(10)
    expect(log.at(-2)).toMatchObject({
      level: 'warn',
      event: 'a webhook receiver accepts nothing: one event at a time is tried, every 5 s',
      application: shop.id,
      failures: 10,
    })
    await pass(4750)
    expect(sent).toHaveLength(10)
    await pass(250)
    expect(sent.map(reasonOf).slice(10)).toEqual(['r10'])
    await answer(10, status(502))
    await pass(5000)
    expect(sent.map(reasonOf).slice(11)).toEqual(['r11'])
    await answer(11, status(200))
    expect(log.at(-2)).toMatchObject({
      level: 'info',
      event: 'a webhook receiver accepts events again',
      application: shop.id,
    })
    expect(sent.length).toBeGreaterThan(12)
  })

  test('wait by themselves where one call in ten fails: the others go on', async () => {
    // Times matter here, not the disk, which would take most of the test.
    file.database.statement('PRAGMA synchronous = OFF').run()
    events = createEventStore({ database: file.database })
    sender.close()
    sender = start()
    respond = () => ({ afterMs: 20, outcome: status(sent.length % 10 === 0 ? 500 : 200) })
    const begun = clock.now()
    let delivered = 0
    for (let second = 0; second < 10; second++) {
      happen(shop, ...Array.from({ length: 200 }, (_, at) => `${second} ${at}`))
      for (let ms = 0; ms < 1000; ms += 10) await pass(10)
      delivered = (second + 1) * 200 - waiting()
    }
    expect(clock.now() - begun).toBe(10_000)
    // Failures of the last 5 s wait for a second try, and a hundredth of all for 5 minutes.
    expect(delivered).toBeGreaterThan(2000 * 0.99 - 5 * 200 * 0.1 - 20)
    const tries = Map.groupBy(sent, ({ headers }) => headers['webhook-id'])
    const gaps = [...tries.values()].filter((each) => each.length === 2).map(([one, two]) => two!.at - one!.at)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5000)
    expect(Math.max(...gaps)).toBeLessThan(5500)
    // Single failures stop nothing.
    expect(log.filter(({ event }) => String(event).includes('takes nothing'))).toEqual([])
  })

  test('are at most 256 on their way, of all applications; one has always its place', async () => {
    const others = Array.from({ length: 80 }, (_, at) => addApplication(`Other${at}`))
    for (const each of others) happen(each, 'a', 'b', 'c', 'd', 'e')
    happen(shop, 'z')
    await pass(250)
    expect(sent).toHaveLength(256 + 16)
    const late = addApplication('Late')
    happen(late, 'a', 'b')
    await pass(250)
    expect(sent.slice(-1).map(({ url }) => url)).toEqual(['https://late.test/hooks'])
    await answer(1, status(200))
    expect(sent).toHaveLength(256 + 17)
  })

  test('are told of once they are on disk, not before', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    sync = promise
    happen(shop, 'a')
    await pass(250)
    expect(sent).toEqual([])
    resolve()
    await pass(0)
    expect(sent.map(reasonOf)).toEqual(['a'])
  })

  test('of a receiver that rests for all do not wait where it speaks of one', async () => {
    happen(shop, 'a', 'b', 'c', 'd', 'e')
    await pass(250)
    await answer(0, status(500, '600'))
    await answer(1, status(200))
    expect(sent.map(reasonOf)).toEqual(['a', 'b', 'c', 'd', 'e'])
    await answer(2, status(503, '600'))
    for (const at of [3, 4]) await answer(at, status(200))
    happen(shop, 'f')
    await pass(599_000)
    expect(sent).toHaveLength(5)
    await pass(2000)
    expect(sent.slice(5).map(reasonOf)).toContain('f')
  })

  test('do not wait for those of another one whose receiver hangs', async () => {
    happen(shop, 'a', 'b', 'c', 'd', 'e')
    const other = addApplication('Other')
    happen(other, 'z')
    await pass(250)
    expect(sent.map(({ url }) => url).filter((url) => url.includes('other'))).toHaveLength(1)
    expect(sent).toHaveLength(5)
  })

  test('are never more than the limit: the oldest are erased, and the log says so', async () => {
    const reasons = Array.from({ length: MAX_WAITING + 5 }, (_, at) => `r${at}`)
    happen(shop, ...reasons)
    expect(waiting()).toBe(MAX_WAITING)
    await pass(250)
    expect(log).toMatchObject([
      { event: 'webhook events dropped: too many are waiting', application: shop.id, events: 5 },
    ])
    expect(sent.map(reasonOf)).toEqual(['r5', 'r6', 'r7', 'r8'])
    for (let at = 0; at < MAX_WAITING; at++) await answer(at, status(200))
    expect(waiting()).toBe(0)
    // Delivered events make room.
    happen(shop, ...reasons.slice(0, MAX_WAITING))
    expect(waiting()).toBe(MAX_WAITING)
    await pass(250)
    expect(log.filter(({ event }) => event === 'webhook events dropped: too many are waiting')).toHaveLength(1)
  })

  test('of what apps report leave half of the room to the others', async () => {
    const { number } = shop
    webhooks.put(shop, { url: 'https://shop.test/hooks', events: ['push.opened', 'credential.paused'], secret: SECRET })
    const opens = (count: number) =>
      file.database.transact(() => {
        for (let at = 0; at < count; at++) {
          events.pushOpened(number, { id: `${at}`, event: 'opened', platform: '0' }, clock.now())
        }
      })
    opens(MAX_WAITING)
    expect(waiting()).toBe(MAX_WAITING / 2)
    happen(shop, ...Array.from({ length: MAX_WAITING / 2 }, (_, at) => `r${at}`))
    opens(1)
    expect(waiting()).toBe(MAX_WAITING)
    await pass(250)
    expect(log).toMatchObject([{ event: 'webhook events dropped: too many are waiting', events: MAX_WAITING / 2 + 1 }])
    expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({ type: 'push.opened', data: { id: '0' } })
  })

  test('end with 410: the webhook is disabled, and what waits is erased', async () => {
    happen(shop, 'a', 'b')
    await pass(250)
    await answer(0, status(410))
    expect(log.at(-1)).toMatchObject({ level: 'warn', application: shop.id })
    expect(log.at(-1)?.['event']).toBe('webhook disabled: its receiver answered 410')
    expect(waiting()).toBe(0)
    await answer(1, status(500))
    happen(shop, 'c')
    expect(waiting()).toBe(0)
    await pass(60_000)
    expect(sent).toHaveLength(2)
  })

  test('are erased in small steps when the receiver wants no more', async () => {
    events = createEventStore({ database: file.database })
    sender.close()
    sender = start()
    const many = file.database.statement<never, [number]>(
      `INSERT INTO event (id, application, type, body, due_at, created_at)
       WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 2300)
       SELECT 'evt_' || value, 1, 'credential.paused', '{}', ?, 0 FROM n`,
    )
    many.run(clock.now() + 60_000)
    await pass(60_000)
    await answer(0, status(410))
    await settle()
    expect(waiting()).toBe(0)
    // Each row, and the count of waiting events.
    expect(mostChanges).toBe(400)
  })

  test('go to the new address at once when the webhook is changed, without the types it no longer wants', async () => {
    happen(shop, 'a')
    events.credentialPaused(shop.number, 1, 'b', clock.now())
    events.credentialResumed(shop.number, 1, clock.now())
    await pass(250)
    for (const at of [0, 1, 2]) await answer(at, status(500))
    await pass(5000)
    webhooks.put(shop, { url: 'https://new.test/', events: ['credential.resumed'], secret: null })
    await pass(250)
    expect(sent.at(-1)).toMatchObject({ url: 'https://new.test/' })
    expect(waiting()).toBe(1)
  })

  test('are not stored when no webhook wants them, and are erased with it', async () => {
    events.deviceGone(1, 'x', clock.now())
    happen(shop, 'a')
    expect(waiting()).toBe(1)
    expect(webhooks.remove(shop)).toBe(true)
    happen(shop, 'b')
    expect(waiting()).toBe(0)
    await pass(250)
    expect(sent).toEqual([])
  })

  test('wait while the secret does not open', async () => {
    file.database.statement('UPDATE webhook SET sealed = zeroblob(60)').run()
    happen(shop, 'a')
    await pass(250)
    expect(sent).toEqual([])
    expect(log.at(-1)).toMatchObject({ level: 'error', application: shop.id })
    webhooks.put(shop, { url: 'https://shop.test/', events: ['credential.paused'], secret: SECRET })
    await pass(5000)
    expect(sent).toHaveLength(1)
  })
})

test('a stop sends nothing more, and waits for what is on its way to be answered and written down', async () => {
  happen(shop, 'a', 'b', 'c', 'd', 'e')
  await pass(250)
  let stopped = false
  const stop = sender.stop().then(() => (stopped = true))
  for (const at of [0, 1, 2]) await answer(at, status(200))
  expect(stopped).toBe(false)
  await answer(3, status(200))
  await stop
  await pass(10_000)
  expect(sent).toHaveLength(4)
  expect(waiting()).toBe(1)
})

test('a stop does not wait for a receiver that hangs', async () => {
  happen(shop, 'a')
  await pass(250)
  const stop = sender.stop()
  clock.advance(2000)
  await stop
  expect(waiting()).toBe(1)
})

test('a paused credential is told of once, and once that it is good again, over restarts', () => {
  const types = () =>
    file.database
      .statement<{ type: string }, []>('SELECT type FROM event ORDER BY number')
      .all()
      .map(({ type }) => type)
  events.credentialResumed(shop.number, 0, clock.now())
  expect(types()).toEqual([])
  events.credentialPaused(shop.number, 0, 'x', clock.now())
  const next = createEventStore({ database: file.database })
  next.credentialPaused(shop.number, 0, 'y', clock.now())
  expect(types()).toEqual(['credential.paused'])
  next.credentialResumed(shop.number, 0, clock.now())
  next.credentialResumed(shop.number, 0, clock.now())
  expect(types()).toEqual(['credential.paused', 'credential.resumed'])
})
