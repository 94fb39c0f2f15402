import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { startAlertSender } from '../../src/alert/alert-sender.ts'
import type { AlertSender } from '../../src/alert/alert-sender.ts'
import { createAlertStore } from '../../src/alert/alert-store.ts'
import { readAlertUrl } from '../../src/alert/alert.ts'
import type { Alert, AlertCondition } from '../../src/alert/alert.ts'
import { createSendAlert } from '../../src/alert/send-alert.ts'
import type { Clock } from '../../src/clock.ts'
import { createLog } from '../../src/log.ts'
import type { PostOutcome } from '../../src/webhook/post.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'

const KEY = new Uint8Array(32)
const SECRET = Buffer.alloc(32, 7)
const LOOK_MS = 15_000
const MINUTE_MS = 60_000
const START = '2026-11-20 12:00'

const DISK: AlertCondition = {
  kind: 'disk',
  isFailure: true,
  about: 'disk/',
  what: 'The data disk is nearly full: 41 MiB of 1000 MiB are free.',
  next: 'free space on the data disk; bellhop doctor',
}
const refused = (application: number): AlertCondition => ({
  kind: 'credential',
  isFailure: true,
  about: `credentials/${application}/0`,
  what: `Shop ${application}: APNs refuses the credential (InvalidProviderToken); pushes are waiting.`,
  next: 'bellhop doctor, and bellhop manual credentials',
})

interface Sent {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

let file: ReturnType<typeof temporaryDatabase>
let clock: ReturnType<typeof createFakeClock>
let scheduled: PromiseWithResolvers<void>
let holding: readonly AlertCondition[]
let looks: number
let sent: Sent[]
let answer: PostOutcome
let isFull: boolean
let log: string[]
let sender: AlertSender

const status = (code: number, retryAfter: string | null = null): PostOutcome => ({
  kind: 'answered',
  status: code,
  retryAfter,
})

beforeEach(() => {
  file = temporaryDatabase()
  clock = createFakeClock()
  scheduled = Promise.withResolvers()
  holding = []
  looks = 0
  sent = []
  answer = status(204)
  isFull = false
  log = []
  sender = start()
})
afterEach(async () => {
  await sender.stop()
  file[Symbol.dispose]()
})

const alerts = () => createAlertStore({ database: file.database, clock, key: KEY })

function start(): AlertSender {
  const { database } = file
  const watched: Clock = {
    ...clock,
    after(delayMs, callback) {
      if (delayMs === LOOK_MS) scheduled.resolve()
      return clock.after(delayMs, callback)
    },
  }
  return startAlertSender({
    clock: watched,
    log: createLog('debug', clock.now, (line) => void log.push(line)),
    commit: async (operation) => {
      if (isFull) throw new Error('database or disk is full')
      return database.transact(operation)
    },
    alerts: alerts(),
    send: createSendAlert(
      async (url, headers, body) => {
        sent.push({ url, headers, body })
        return answer
      },
      async () => null,
    ),
    look: async () => {
      looks++
      return holding
    },
    instance: 'push.example.com',
  })
}

async function restart(): Promise<void> {
  await sender.stop()
  sender = start()
}

function add(
  channel: Alert['channel'] = 'webhook',
  kinds: Alert['kinds'] = ['disk', 'credential'],
  url = 'https://ops.test/alerts',
): void {
  const place = readAlertUrl(channel, url)
  if ('expected' in place) throw new Error(place.expected)
  const secret = channel === 'webhook' ? `whsec_${SECRET.toBase64()}` : 'tk_secret'
  file.database.transact(() => alerts().add({ name: channel, channel, place: place.place, kinds }, { url, secret }))
}

/** Lets time pass, and waits for all messages of each look. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += LOOK_MS) {
    scheduled = Promise.withResolvers()
    clock.advance(LOOK_MS)
    await scheduled.promise
  }
}

const told = () => sent.splice(0).map(({ body }) => JSON.parse(body).data)
const state = () => alerts().list()[0]

describe('an alert is told', () => {
  test('once when a condition begins and once when it ends, whatever happens in between', async () => {
    add()
    holding = [DISK]
    await pass(2 * MINUTE_MS)
    expect(told()).toEqual([
      {
        alert: 'disk',
        state: 'begun',
        instance: 'push.example.com',
        since: '2026-11-20T12:00:15.000Z',
        conditions: [{ what: DISK.what, since: '2026-11-20T12:00:15.000Z', ended: null, next: DISK.next }],
      },
    ])
    holding = [{ ...DISK, what: 'The data disk is nearly full: 40 MiB of 1000 MiB are free.' }]
    await pass(60 * MINUTE_MS)
    holding = []
    await pass(4 * MINUTE_MS)
    holding = [DISK]
    await pass(MINUTE_MS)
    expect(told()).toEqual([])
    holding = []
    await pass(6 * MINUTE_MS)
    expect(told()).toMatchObject([{ alert: 'disk', state: 'ended', conditions: [{ what: DISK.what, next: null }] }])
    await pass(60 * MINUTE_MS)
    expect(told()).toEqual([])
    expect(alerts().knowledge()).toEqual([])
  })

  test('of all that began together in one message, of what begins later in another', async () => {
    add()
    holding = [refused(1), refused(2), DISK]
    await pass(2 * MINUTE_MS)
    expect(told()).toMatchObject([
      { alert: 'credential', conditions: [{ what: refused(1).what }, { what: refused(2).what }] },
      { alert: 'disk', conditions: [{ what: DISK.what }] },
    ])
    holding = [...holding, refused(3)]
    await pass(2 * MINUTE_MS)
    expect(told()).toMatchObject([{ alert: 'credential', state: 'begun', conditions: [{ what: refused(3).what }] }])
  })

  test('of what holds already when it is added', async () => {
    add('ntfy', ['disk'], 'https://ntfy.test/topic')
    holding = [DISK]
    await pass(2 * MINUTE_MS)
    add('webhook')
    sent = []
    await pass(LOOK_MS)
    expect(sent.map(({ url }) => url)).toEqual(['https://ops.test/alerts'])
  })

  test('also while nothing can be written, and once', async () => {
    add()
    isFull = true
    holding = [DISK]
    await pass(10 * MINUTE_MS)
    expect(told()).toHaveLength(1)
    isFull = false
    await pass(MINUTE_MS)
    await restart()
    await pass(MINUTE_MS)
    expect(told()).toEqual([])
    expect(alerts().knowledge()).toMatchObject([{ about: 'disk/', told: true }])
  })
})

test('without an alert nothing is looked at', async () => {
  await pass(MINUTE_MS)
  expect(looks).toBe(0)
})

describe('a restart', () => {
  test('repeats nothing, and the end is told', async () => {
    add()
    holding = [DISK]
    await pass(2 * MINUTE_MS)
    expect(told()).toHaveLength(1)
    await restart()
    await pass(10 * MINUTE_MS)
    expect(told()).toEqual([])
    await restart()
    holding = []
    await pass(6 * MINUTE_MS)
    expect(told()).toMatchObject([{ state: 'ended' }])
  })

  test('loses nothing that is still to be told', async () => {
    add()
    answer = status(500)
    holding = [DISK]
    await pass(2 * MINUTE_MS)
    expect(sent).not.toEqual([])
    await restart()
    sent = []
    answer = status(204)
    await pass(LOOK_MS)
    expect(told()).toMatchObject([{ alert: 'disk', state: 'begun', since: '2026-11-20T12:00:15.000Z' }])
  })

  test('after the end was told, before that was written, repeats it by the same id', async () => {
    add()
    holding = [DISK]
    await pass(MINUTE_MS)
    isFull = true
    await pass(MINUTE_MS)
    await restart()
    isFull = false
    await pass(2 * MINUTE_MS)
    const ids = sent.map(({ headers }) => headers['webhook-id'])
    // Its first beginning was not stored.
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(2)
    holding = []
    await pass(3 * MINUTE_MS)
    sent = []
    answer = status(500)
    await pass(3 * MINUTE_MS)
    answer = status(204)
    await pass(2 * MINUTE_MS)
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(sent.length).toBeGreaterThan(1)
  })
})

describe('a URL that answers 500 for a day', () => {
  test('is tried 30 times, and then gets one message that says what holds', async () => {
    add()
    answer = status(500)
    holding = [DISK, refused(1)]
    await pass(60 * MINUTE_MS)
    holding = [DISK]
    await pass(23 * 60 * MINUTE_MS)
    expect(sent).toHaveLength(30)
    expect(state()).toMatchObject({ problem: 'HTTP 500', toldAt: null })
    sent = []
    answer = status(204)
    await pass(61 * MINUTE_MS)
    const [since, ended] = [expect.any(String), expect.any(String)]
    expect(told()).toMatchObject([
      { alert: 'disk', state: 'begun' },
      { alert: 'credential', state: 'ended', conditions: [{ what: refused(1).what, since, ended }] },
    ])
    expect(state()).toMatchObject({ problem: null, toldAt: expect.any(Number) })
  })

  test('hears nothing of a condition that ended and began again while it was away', async () => {
    add()
    holding = [DISK]
    await pass(2 * MINUTE_MS)
    sent = []
    answer = status(500)
    holding = []
    await pass(7 * MINUTE_MS)
    expect(new Set(told().map((one) => one.state))).toEqual(new Set(['ended']))
    expect(alerts().knowledge()).toMatchObject([{ told: true, endedAt: expect.any(Number) }])
    holding = [DISK]
    await pass(2 * MINUTE_MS)
    sent = []
    answer = status(204)
    await pass(2 * 60 * MINUTE_MS)
    expect(told()).toEqual([])
    expect(alerts().knowledge()).toMatchObject([{ told: true, endedAt: null }])
  })

  test('is tried again soon when it is away anew', async () => {
    add()
    answer = status(500)
    holding = [DISK]
    await pass(60 * MINUTE_MS)
    answer = status(204)
    await pass(60 * MINUTE_MS)
    answer = status(500)
    holding = []
    await pass(6 * MINUTE_MS)
    sent = []
    answer = status(204)
    await pass(2 * MINUTE_MS)
    expect(told()).toMatchObject([{ state: 'ended' }])
  })

  test('is given the time it asks for, up to an hour', async () => {
    add()
    answer = status(503, '1200')
    holding = [DISK]
    await pass(2 * MINUTE_MS)
    expect(sent).toHaveLength(1)
    await pass(18 * MINUTE_MS)
    expect(sent).toHaveLength(1)
    await pass(2 * MINUTE_MS)
    expect(sent).toHaveLength(2)
  })

  test('does not hold up another alert', async () => {
    add('webhook')
    add('ntfy', ['disk'], 'https://ntfy.test/topic')
    answer = status(500)
    holding = [DISK]
    await pass(60 * MINUTE_MS)
    sent = []
    answer = status(200)
    file.database.transact(() => alerts().remove({ number: 1 }))
    await pass(60 * MINUTE_MS)
    expect(sent.map(({ url }) => url)).toEqual(['https://ntfy.test/topic'])
  })
})

describe('a message', () => {
  test('to a webhook is signed as events are', async () => {
    add()
    holding = [DISK]
    await pass(2 * MINUTE_MS)
    const { headers = {}, body = '' } = sent[0] ?? {}
    const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': signature } = headers
    expect(id).toMatch(/^alr_[0-9a-f]{32}$/)
    expect(signature).toBe(`v1,${createHmac('sha256', SECRET).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    expect(JSON.parse(body)).toMatchObject({ type: 'alert', timestamp: expect.stringMatching(/^2026-11-20T12:01/) })
  })

  test('to ntfy has a title, a priority and tags, and the token', async () => {
    add('ntfy', ['disk'], 'https://ntfy.test/topic')
    holding = [DISK]
    await pass(2 * MINUTE_MS)
    holding = []
    await pass(6 * MINUTE_MS)
    expect(sent).toEqual([
      {
        url: 'https://ntfy.test/topic',
        headers: {
          'user-agent': 'Bellhop',
          title: 'Bellhop push.example.com: disk nearly full',
          priority: 'high',
          tags: 'warning',
          authorization: 'Bearer tk_secret',
        },
        body: `${DISK.what}\nSince ${START}:15 UTC. Next: ${DISK.next}\n`,
      },
      expect.objectContaining({
        headers: expect.objectContaining({
          title: 'Bellhop push.example.com: disk nearly full (ended)',
          priority: 'default',
          tags: 'white_check_mark',
        }),
        body: expect.stringMatching(/^The data disk is nearly full: .*\nFrom 2026-11-20 12:00:15 UTC to .* UTC\.\n$/),
      }),
    ])
  })

  test('of more than 20 conditions says how many more there are', async () => {
    add('ntfy', ['credential'], 'https://ntfy.test/topic')
    holding = Array.from({ length: 23 }, (_, at) => refused(at + 1))
    await pass(2 * MINUTE_MS)
    expect(sent).toHaveLength(1)
    expect(sent[0]?.body).toEndWith('\nAnd 3 more.\n')
  })

  test('is not quoted in the log, nor is the URL', async () => {
    add('ntfy', ['disk'], 'https://ntfy.test/secret-topic')
    answer = status(500)
    holding = [DISK]
    await pass(2 * MINUTE_MS)
    expect(log.join('')).toContain('an alert could not be sent; trying again')
    expect(log.join('')).not.toMatch(/secret|ntfy\.test/)
  })
})

describe('a test', () => {
  const [alert] = [{ name: 'webhook' }]

  test('says that nothing is wrong, and what came of it', async () => {
    add()
    const [added] = alerts().list()
    if (added === undefined) throw new Error('no alert')
    expect(await sender.test(added)).toBeNull()
    expect(told()).toMatchObject([{ alert: 'test', state: 'begun', conditions: [] }])
    answer = status(403)
    expect(await sender.test(added)).toBe('HTTP 403')
    answer = { kind: 'failed', reason: 'private address' }
    expect(await sender.test(added)).toBe('private address')
    expect(state()).toMatchObject({ ...alert, problem: 'private address' })
  })

  test('that is taken ends the wait of what could not be told', async () => {
    add()
    answer = status(500)
    holding = [DISK]
    await pass(60 * MINUTE_MS)
    answer = status(204)
    const [added] = alerts().list()
    if (added === undefined) throw new Error('no alert')
    await sender.test(added)
    sent = []
    await pass(LOOK_MS)
    expect(told()).toMatchObject([{ alert: 'disk', state: 'begun' }])
  })

  test('of one whose URL does not open with the key says so', async () => {
    add()
    const [added] = alerts().list()
    if (added === undefined) throw new Error('no alert')
    file.database.statement("UPDATE alert SET sealed = x'00'").run()
    expect(await sender.test(added)).toBe('its URL does not open: it was sealed with another key')
    expect(sent).toEqual([])
  })
})
