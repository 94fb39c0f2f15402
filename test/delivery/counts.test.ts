import { beforeEach, describe, expect, test } from 'bun:test'
import type { Reply } from '../../src/gateway/simulator/http2/reply.ts'
import { fileSending } from '../support/file-sending.ts'
import { inTurn } from '../support/in-turn.ts'
import { acceptedPush, registerDevices, startSending } from '../support/sending.ts'
import { until } from '../support/until.ts'
import { finishedEvents, storeFinishedEvents } from './finished-events.ts'

const answer = (status: number, reason = '', afterMs = 0): Reply => ({
  kind: 'answer',
  answer: { status, headers: {}, body: status === 200 ? '' : JSON.stringify({ reason }) },
  afterMs,
})
const TAKEN = answer(200)
const FAILURE = answer(500, 'InternalServerError')

/** Longer than a page waits and than the time to live; shorter than a request's deadline. */
const SLOW_MS = 5500

const use = await fileSending()
const { clock, service, simulator, analytics, arrivals, get, logged, post, push, put } = use
beforeEach(() => storeFinishedEvents(service, use.application))

const tokensOf = (count: number) => Array.from({ length: count }, (_, n) => n.toString(16).padStart(8, '0').repeat(8))
const register = (count: number) => use.registerAll(0, tokensOf(count))

async function unregister(token: string): Promise<void> {
  expect((await put('/deviceToken/del', { token, platform: 0 })).status).toBe(200)
}

const told = (id: string) => finishedEvents(service, use.application).filter((event) => event.id === id)

/** The counts of a push add up, and agree everywhere. */
async function audit(id: string): Promise<any> {
  // Read first: the push may finish a moment later.
  const events = told(id)
  const { body } = await get(`/push/${id}`)
  const { t, s, failed, waiting, platforms } = body
  expect(body).toMatchObject({ t: s + failed.total + waiting })
  auditLanguages(body)
  const one = platforms['0']
  expect([one.t, one.s, one.failed, one.waiting]).toEqual([t, s, failed.total, waiting])
  expect(one.retrying).toBeWithin(0, waiting + 1)
  const reasons = Object.values<number>(failed.reasons).reduce((sum, count) => sum + count, 0)
  if (body.finished_at === null) expect(reasons).toBeLessThanOrEqual(failed.total)
  else expect(reasons).toBe(failed.total)
  const [listed] = (await get('/pushes?limit=1')).body
  expect(listed.t).toBe(listed.s + listed.failed.total + listed.waiting)
  const [admin] = ((await (await fetch(`${service.adminUrl}/pushes/${id}`)).json()) as any).deliveries
  expect(admin.t).toBe(admin.s + admin.failed + admin.waiting)
  const all = await analytics()
  expect(all.s).toBeLessThanOrEqual(all.t)
  expect(all.s).toBeGreaterThanOrEqual(s)
  for (const numbers of events) expect(numbers).toEqual({ id, t, s, failed: failed.total })
  return body
}

/** Every accepted device has a language, and so has every failed one that was sent to. */
function auditLanguages({ s, failed, languages, language_unknown: unknown, finished_at: over }: any): void {
  if (languages === undefined) return
  const sum = (name: string) => languages.reduce((total: number, one: any) => total + one[name], 0)
  expect([sum('s'), unknown.s]).toEqual([s, 0])
  expect([sum('failed') + unknown.failed, unknown.failed >= 0]).toEqual([failed.total, true])
  const { expired = 0, cancelled = 0, DeviceRemoved: removed = 0 } = failed.reasons
  // Only devices that were not sent to have no language.
  if (over !== null) expect(unknown.failed).toBeLessThanOrEqual(expired + cancelled + removed)
}

function speakGerman(on = service): void {
  on.database.statement(`UPDATE device SET locale = 'de-AT'`).run()
}

function failedIn({ languages, language_unknown: unknown }: any): number[] {
  return [...languages, unknown].map(({ failed }: any) => failed)
}

async function pass(
  id: string,
  done: (status: any) => boolean,
  { each = async () => {}, stepMs = 250 }: { each?: () => Promise<void>; stepMs?: number } = {},
) {
  for (;;) {
    await Bun.sleep(5)
    await each()
    const status = await audit(id)
    if (done(status)) return status
    clock.advance(stepMs)
  }
}

async function inFlight(): Promise<number> {
  const text = await (await fetch(`${service.adminUrl}/metrics`)).text()
  const line = new RegExp(`^bellhop_gateway_in_flight\\{application="${use.name}",platform="ios"[^}]*\\} (\\d+)$`, 'm')
  return Number(line.exec(text)?.[1] ?? Number.NaN)
}

function putClockBack(): void {
  clock.set(clock.now() - 3_600_000)
}

function replaceCredential(): void {
  service.equip(use.application, simulator, ['apns'])
}

async function answered(outcome: string, count: number): Promise<void> {
  const line = new RegExp(`application="${use.name}",[^}]*outcome="${outcome}"[^}]*} ${count}$`, 'm')
  await until(async () => line.test(await (await fetch(`${service.adminUrl}/metrics`)).text()))
}

const isOver = (status: any) => status.finished_at !== null

/** Also: nothing changes afterwards. */
async function ended(id: string): Promise<any> {
  const status = await pass(id, isOver)
  for (let second = 0; second < 90; second++) {
    clock.advance(1000)
    await Bun.sleep(1)
  }
  const after = await audit(id)
  expect(after).toEqual({ ...status, rate: after.rate })
  expect(status).toMatchObject({ t: status.s + status.failed.total, waiting: 0 })
  expect(told(id)).toEqual([{ id, t: status.t, s: status.s, failed: status.failed.total }])
  expect(await analytics()).toEqual({ t: status.t, s: status.s, o: 0 })
  return status
}

describe('a disk that refuses the count of an audience', () => {
  test('has what was sent wait for it, so that the end of the push finds it', async () => {
    await register(3)
    // Invalid JSON is a passing error, like a full disk; a constraint would be a defect.
    service.database
      .statement(
        `CREATE TRIGGER refuse_count BEFORE UPDATE OF addressed ON delivery WHEN NEW.settled = 0 BEGIN SELECT json('{'); END`,
      )
      .run()
    const id = await push()
    await until(() => arrivals().length === 3)
    await logged(({ event }) => event === 'delivery results could not be stored; trying again')
    for (let n = 0; n < 20; n++) await register(1)
    service.database.statement('DROP TRIGGER refuse_count').run()
    expect(await ended(id)).toMatchObject({ t: 3, s: 3 })
  })
})

describe('the end of the time to live, while an answer is on its way', () => {
  test('waits for those who are slower than their page: taken, they count as taken', async () => {
    await register(20)
    const asked = new Set<string>()
    simulator.answerWith(({ token }) => (asked.add(token).size > 16 ? answer(200, '', SLOW_MS) : TAKEN))
    const id = await push({ ttl: 5 })
    while (asked.size < 20) await Bun.sleep(1)
    expect(await ended(id)).toMatchObject({ t: 20, s: 20, failed: { total: 0 } })
  })

  test.each([
    ['a failure', FAILURE, answer(500, 'InternalServerError', SLOW_MS), { t: 20, s: 10, failed: { total: 10 } }],
    ['taken', FAILURE, answer(200, '', SLOW_MS), { t: 20, s: 20, failed: { total: 0 } }],
  ])('waits for those who are sent to again: %s', async (_, first, second, expected) => {
    await register(20)
    const asked = new Map<string, number>()
    simulator.answerWith(({ token }) => {
      const times = (asked.get(token) ?? 0) + 1
      asked.set(token, times)
      // These open the window for the others.
      if (asked.size <= 10) return TAKEN
      return times === 1 ? first : second
    })
    const id = await push({ ttl: 5 })
    // Time moves only when all have failed, so that the second answer is outstanding at the end.
    while (asked.size < 20 || (await inFlight()) > 0) await Bun.sleep(1)
    expect(await ended(id)).toMatchObject(expected)
  })

  test('ends at once where none is', async () => {
    await register(20)
    simulator.answerWith(() => answer(429, 'TooManyRequests'))
    const began = clock.now()
    const id = await push({ ttl: 10 })
    const status = await ended(id)
    expect(status).toMatchObject({ t: 20, s: 0, failed: { total: 20 } })
    expect(Date.parse(status.finished_at) - began).toBeWithin(0, 15_000)
  })

  test('tells of who is held back by a pause that the time was over', async () => {
    await register(3)
    speakGerman()
    simulator.answerWith(() => answer(429, 'TooManyProviderTokenUpdates'))
    const id = await push({ ttl: 5, languages: { de: { msg: 'Hallo' } } })
    const status = await ended(id)
    expect(status.failed).toEqual({ total: 3, reasons: { TooManyProviderTokenUpdates: 3 } })
    expect(failedIn(status)).toEqual([0, 3, 0])
    const failures = (await get(`/push/${id}/failures`)).body
    const reason = 'TooManyProviderTokenUpdates'
    expect(failures).toMatchObject(Array.from({ length: 3 }, () => ({ state: 'expired', reason })))
  })
})

describe('who is written down as one who waits, and not sent to again, has failed in the language of the send', () => {
  const GERMAN = { languages: { de: { msg: 'Hallo' } } }

  test('where the app has left the phone, as the answer to another push says', async () => {
    await register(1)
    speakGerman()
    const body = JSON.stringify({ reason: 'Unregistered', timestamp: clock.now() })
    const gone: Reply = { kind: 'answer', answer: { status: 410, headers: {}, body }, afterMs: 0 }
    simulator.answerWith(({ body }) => (JSON.stringify(body).includes('Hallo') ? answer(429, 'TooManyRequests') : gone))
    const id = await push(GERMAN)
    await pass(id, ({ platforms }) => platforms['0'].retrying === 1)
    await pass(await push(), isOver, { stepMs: 2000 })
    const status = await pass(id, isOver, { stepMs: 2000 })
    expect(status.failed).toEqual({ total: 1, reasons: { DeviceRemoved: 1 } })
    expect(failedIn(status)).toEqual([0, 1, 0])
  })

  test('where the gateway refuses the push for all others', async () => {
    const tokens = await register(105)
    const waiting = new Set(tokens.slice(0, 5))
    speakGerman()
    simulator.answerWith(({ token }) =>
      waiting.has(token) ? answer(429, 'TooManyRequests') : answer(413, 'PayloadTooLarge'),
    )
    const status = await ended(await push(GERMAN))
    expect(status.failed).toEqual({ total: 105, reasons: { PayloadTooLarge: 105 } })
    expect(failedIn(status)).toEqual([0, 105, 0])
  })

  const LATE = answer(200, '', SLOW_MS)

  test.each([
    ['the clock is put back', 'its page is open', putClockBack, LATE],
    ['the clock is put back', 'it waits', putClockBack, TAKEN],
    ['the credential is replaced', 'its page is open', replaceCredential, LATE],
    ['the credential is replaced', 'it waits', replaceCredential, TAKEN],
  ])('where %s while %s', async (_, _where, happen, last) => {
    const tokens = await register(8)
    speakGerman()
    const others = new Map([
      [tokens.at(0), TAKEN],
      [tokens.at(-1), last],
    ])
    const asked = new Set<string>()
    simulator.answerWith(({ token }) => (asked.add(token), others.get(token) ?? answer(429, 'TooManyRequests')))
    const id = await push({ ttl: 3, ...GERMAN })
    await answered('deferred', 6)
    await until(() => asked.size === 8)
    if (last === TAKEN) await pass(id, ({ platforms }) => platforms['0'].retrying === 6)
    // The next attempt holds up the others until they expire.
    simulator.answerWith(() => answer(429, 'TooManyProviderTokenUpdates'))
    happen()
    const status = await ended(id)
    expect(status).toMatchObject({ s: 2, failed: { total: 6 } })
    expect(failedIn(status)).toEqual([0, 6, 0])
  })
})

describe('a stop while an answer is on its way', () => {
  test('leaves who is too late after the next start counted in the language of the send', async () => {
    const { clock, service, simulator } = await startSending({ config: { drainSeconds: 0 } })
    await registerDevices(service, 0, tokensOf(3))
    speakGerman(service)
    const asked = new Set<string>()
    simulator.answerWith(({ token }) => (asked.add(token), { kind: 'silent' }))
    const id = await acceptedPush(service, '/push/all', { ttl: 5, languages: { de: { msg: 'Hallo' } } })
    while (asked.size === 0) await Bun.sleep(1)
    clock.advance(10_000)
    const restarting = service.restart()
    // The stop waits for time, which only this loop moves.
    while ((await Promise.race([restarting, Bun.sleep(5)])) === undefined) clock.advance(250)
    await using again = await restarting
    const status = async () => (await again.get(`/push/${id}`)).body
    while (!isOver(await status())) {
      clock.advance(250)
      await Bun.sleep(5)
    }
    const over = await status()
    expect(over).toMatchObject({ t: 3, s: 0, failed: { total: 3 } })
    const sent = over.failed.reasons['no answer yet']
    expect(sent).toBePositive()
    expect(failedIn(over)).toEqual([0, sent, 3 - sent])
  })
})

describe('a device that is removed', () => {
  test('between the count and its page is a failure with a reason of its own', async () => {
    const tokens = await register(1200)
    // The first request goes alone until it is accepted.
    simulator.answerWith(() => answer(200, '', 1000))
    const id = await push()
    await pass(id, ({ t }) => t === 1200)
    for (const token of tokens.slice(1100)) await unregister(token)
    simulator.answerWith(null)
    const status = await ended(id)
    expect(status).toMatchObject({ t: 1200, s: 1100, failed: { total: 100, reasons: { DeviceRemoved: 100 } } })
    expect((await get(`/push/${id}/failures`)).body).toEqual([])
  })

  test('while it waits for another attempt is one too, when that comes due and not at the end of the time', async () => {
    const [first = '', second = ''] = await register(2)
    simulator.answerWith(() => answer(429, 'TooManyRequests'))
    const began = clock.now()
    const id = await push()
    await pass(id, ({ platforms }) => platforms['0'].retrying === 2)
    await unregister(first)
    await unregister(second)
    const status = await ended(id)
    expect(status).toMatchObject({ t: 2, s: 0, failed: { total: 2, reasons: { DeviceRemoved: 2 } } })
    expect(Date.parse(status.finished_at) - began).toBeLessThan(60_000)
  })

  test('while its answer is on its way counts as what the answer says', async () => {
    const [token = ''] = await register(1)
    let asked = 0
    simulator.answerWith(() => (++asked === 1 ? FAILURE : answer(200, '', SLOW_MS)))
    const id = await push({ ttl: 30 })
    await pass(id, () => asked === 2)
    await unregister(token)
    expect(await ended(id)).toMatchObject({ t: 1, s: 1, failed: { total: 0 } })
  })
})

test('what a cancelled push did not send to counts as failed', async () => {
  await register(1200)
  simulator.answerWith(() => answer(200, '', 1000))
  const id = await push()
  await pass(id, ({ t }) => t === 1200)
  expect((await post(`/push/${id}/cancel`, {})).status).toBe(200)
  const status = await ended(id)
  expect(status).toMatchObject({ t: 1200, state: 'cancelled' })
  expect(status.failed.reasons).toEqual({ cancelled: 1200 - status.s })
})

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

describe('whatever the order of answers, retries, expiry, cancel and removals', () => {
  test.each(inTurn([1, 2, 3, 4, 5, 6, 7, 8]))(
    'each device is counted once, and every sum is right at every moment: %d',
    async (seed) => {
      const random = randomOf(seed)
      const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
      const tokens = await register(180)
      const taken = new Map<string, number>()
      const takenIn = new Map<string, string>()
      const sentIn = new Map<string, string>()
      service.database.statement(`UPDATE device SET locale = 'de-AT' WHERE id % 3 = 0`).run()
      const setLocale = service.database.statement<never, [string | null, string]>(
        'UPDATE device SET locale = ? WHERE hex(token) = upper(?)',
      )
      simulator.answerWith(({ token, body }) => {
        const afterMs = pick([0, 0, 0, 500, 3000, SLOW_MS])
        const status = pick([200, 200, 200, 500, 500, 429, 413, 410])
        const { alert } = (body as { aps: { alert: string } }).aps
        sentIn.set(token, alert)
        if (status === 200) {
          taken.set(token, (taken.get(token) ?? 0) + 1)
          takenIn.set(token, alert)
        }
        if (status === 410) return answer(410, 'Unregistered', afterMs)
        return answer(status, status === 413 ? 'PayloadTooLarge' : 'InternalServerError', afterMs)
      })
      const id = await push({ ttl: pick([5, 10, 30]), languages: { de: { msg: 'Hallo' }, fr: { msg: 'Salut' } } })
      const cancelAt = random() < 0.3 ? clock.now() + random() * 10_000 : Infinity
      let cancelled = false
      const each = async () => {
        if (random() < 0.3) await unregister(pick(tokens))
        if (random() < 0.5) setLocale.run(pick([null, 'de', 'fr-CA']), pick(tokens))
        if (!cancelled && clock.now() >= cancelAt) {
          cancelled = true
          await post(`/push/${id}/cancel`, {})
        }
      }
      await pass(id, isOver, { each })
      const status = await ended(id)
      expect([...taken].filter(([, times]) => times > 1)).toEqual([])
      expect(status.s).toBe(taken.size)
      const inEach = (texts: readonly string[]) =>
        ['Hello', 'Hallo', 'Salut'].map((text) => texts.filter((one) => one === text).length)
      const { languages } = status
      expect(languages.map(({ language }: any) => language)).toEqual([null, 'de', 'fr'])
      expect(languages.map(({ s }: any) => s)).toEqual(inEach([...takenIn.values()]))
      const failures: { token: string | null }[] = (await get(`/push/${id}/failures`)).body
      expect(failures.filter(({ token }) => token !== null && taken.has(token))).toEqual([])
      const named = failures.flatMap(({ token }) => token ?? [])
      expect(new Set(named).size).toBe(named.length)
      // The last language of an erased device is unknown.
      const erased = status.failed.total - named.length
      const failedIn = inEach(named.flatMap((token) => sentIn.get(token) ?? []))
      for (const [at, { failed }] of languages.entries()) expect(failed - (failedIn[at] ?? 0)).toBeWithin(0, erased + 1)
      const unsent = named.filter((token) => !sentIn.has(token)).length
      expect(status.language_unknown.failed - unsent).toBeWithin(0, erased + 1)
    },
    60_000,
  )
})
