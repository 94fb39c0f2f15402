import { beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Reply } from '../../src/gateway/simulator/http2/reply.ts'
import type { ReceivedPush } from '../../src/gateway/simulator/received-pushes.ts'
import { fileSending } from '../support/file-sending.ts'
import { until } from '../support/until.ts'

/** Tokens that choose an answer: src/gateway/simulator/apns/apns-magic-tokens.ts. */
const GOOD = 'a1'.repeat(32)
const SLOW = 'bad00000'.padEnd(64, '0')

const use = await fileSending({ outside: true })
const { clock, simulator, arrivals, get, logged, pass, put, sent } = use
beforeEach(async () => {
  use.service.equip(use.application, simulator)
  clock.advance(1000)
  // The first push goes alone until it is taken; then several are on their way at a time.
  await register('b2'.repeat(32))
  await sent(await one('b2'.repeat(32), ''))
})

const register = (token: string) => use.register({ token, platform: '0' })
const one = (token: string, badge: string, more: object = {}) => use.push({ token, badge, ...more }, '/push/one')

async function stored(token: string): Promise<number> {
  return (await get('/deviceToken/one', { headers: { token } })).body.badge
}

const shown = ({ body }: ReceivedPush) => (body as { aps: { badge?: number } }).aps.badge
const shownOn = (token: string) =>
  arrivals()
    .filter((arrival) => arrival.token === token)
    .map(shown)

describe('the stored badge', () => {
  test('is one more after each "+1", and what each shows', async () => {
    await register(GOOD)
    for (const count of [1, 2, 3]) {
      await sent(await one(GOOD, '+1'))
      expect(await stored(GOOD)).toBe(count)
    }
    expect(shownOn(GOOD)).toEqual([1, 2, 3])
  })

  test('has every "+1" of those that were on their way at the same time, before any is answered', async () => {
    await register(SLOW)
    const pushes = await Promise.all(Array.from({ length: 5 }, () => one(SLOW, '+1')))
    await until(() => shownOn(SLOW).length >= 2)
    expect(await stored(SLOW)).toBe(5)
    await pass(Promise.all(pushes.map((id) => sent(id))))
    expect(shownOn(SLOW).at(-1)).toBe(5)
    expect(await stored(SLOW)).toBe(5)
  })
})

const ACCEPT = { status: 200, headers: {}, body: '' }
const LATE: Reply = { kind: 'answer', answer: ACCEPT, afterMs: 1500 }
const LATER: Reply = { kind: 'answer', answer: ACCEPT, afterMs: 3500 }
const refused = (status: number, reason: string, afterMs = 0): Reply => ({
  kind: 'answer',
  answer: { status, headers: {}, body: JSON.stringify({ reason }) },
  afterMs,
})

const TOO_LARGE = refused(413, 'PayloadTooLarge')

describe('what is sent last is what is stored', () => {
  let number = 0

  /**
   * A device with the stored badge `badge`. `answers`: by message, one per attempt. All other pushes are accepted.
   */
  async function phone(badge: number, answers: Readonly<Record<string, Reply | readonly Reply[]>>) {
    const token = (++number).toString(16).padStart(64, 'e')
    await register(token)
    // An idle connection is tried with one request. While the clock stands, the others wait for its answer.
    await sent(await one('b2'.repeat(32), ''))
    const times = new Map<string, number>()
    /** The last badge at the gateway, or set since. */
    let last = badge
    simulator.answerWith((attempt) => {
      if (attempt.token !== token) return null
      const { aps } = attempt.body as { aps: { alert: string; badge: number } }
      const time = times.get(aps.alert) ?? 0
      times.set(aps.alert, time + 1)
      const mine = [answers[aps.alert] ?? []].flat()
      last = aps.badge
      return mine[time] ?? mine.at(-1) ?? null
    })
    const pushes: string[] = []
    await set(badge)

    async function set(count: number): Promise<void> {
      const { status } = await put('/badge', { token, platform: '0', setbadgecount: count })
      expect(status).toBe(200)
      last = count
    }

    return {
      pushes,
      set,
      now: () => stored(token),
      last: () => last,
      send: async (msg: string, change: string): Promise<void> => {
        // An arrival is listed only once it is answered.
        pushes.push(await one(token, change, { msg }))
        while (!times.has(msg)) await new Promise((resolve) => setImmediate(resolve))
      },
      /** Sorted badges of all attempts, once every push has finished. */
      all: async (): Promise<readonly number[]> => {
        await pass(Promise.all(pushes.map((id) => sent(id))))
        return shownOn(token)
          .map((badge) => badge ?? Number.NaN)
          .sort((a, b) => a - b)
      },
    }
  }

  /** A step: a push that changes the badge, a badge that is set, or (`null`) the end of the last push. */
  test.each<[string, number, Parameters<typeof phone>[1], (string | number | null)[], number[], number]>([
    ['"+1" counts from an absolute one that is on its way', 1, { a: LATE }, ['7', '+1'], [7, 8], 8],
    ['and another "+1" from that', 1, { a: LATER, b: LATE }, ['7', '+1', '+1'], [7, 8, 9], 9],
    ['an absolute one stays, though a "+1" before it is answered after it', 1, { a: LATE }, ['+1', '7'], [2, 7], 7],
    ['so does one that is stored already', 5, { a: LATE }, ['+1', '5'], [5, 6], 5],
    ['PUT /badge stays, though a "+1" before it is answered after it', 4, { a: LATE }, ['+1', 0, '+1'], [1, 5], 1],
    ['PUT /badge stays, though an absolute one before it is', 4, { a: LATE }, ['9', 0], [9], 0],
    ['one of several is refused', 0, { a: TOO_LARGE, c: LATE }, ['+1', '+1', '+1'], [1, 2, 3], 3],
    ['the last is refused', 0, { a: LATER, b: TOO_LARGE, c: LATE }, ['+1', '+1', null, '+1'], [1, 2, 3], 3],
    [
      'one is sent again after another has counted from it',
      0,
      { a: [refused(429, 'TooManyRequests', 500), LATE] },
      ['+1', '+1'],
      [1, 2, 2],
      2,
    ],
  ])('%s', async (_, badge, answers, steps, all, last) => {
    const its = await phone(badge, answers)
    for (const step of steps) {
      if (step === null) await sent(its.pushes.at(-1) ?? '')
      else if (typeof step === 'number') await its.set(step)
      else await its.send('abc'.charAt(its.pushes.length), step)
    }
    expect(await its.all()).toEqual(all)
    expect(await its.now()).toBe(last)
  })

  test('a push that is sent again shows what PUT /badge has set meanwhile, and counts no more', async () => {
    const pause = refused(503, 'ServiceUnavailable')
    const { send, set, all, now } = await phone(4, { a: [pause, LATE] })
    await send('a', '+1')
    await logged(({ event }) => event === 'sending paused' || event === 'to be sent again')
    await set(0)
    expect(await all()).toEqual([0, 5])
    expect(await now()).toBe(0)
  })

  test('a push that others have counted from counts once, though the process ended before it was sent again', async () => {
    const { send, pushes } = await phone(0, { a: refused(429, 'TooManyRequests', 500), b: LATE })
    await send('a', '+1')
    await send('b', '+1')
    await pass(sent(pushes[1] ?? ''))
    const token = number.toString(16).padStart(64, 'e')
    expect(await stored(token)).toBe(2)
    // On a busy machine the push may be out again, and a stop waits for its answer.
    const restarting = use.restart().then(() => true)
    while ((await Promise.race([restarting, Bun.sleep(5)])) !== true) clock.advance(250)
    const before = shownOn(token).length
    simulator.answerWith(null)
    await pass(sent(pushes[0] ?? ''))
    expect(shownOn(token).slice(before)).toEqual([2])
    expect(await stored(token)).toBe(2)
  })

  test('where a broadcast has read a device before another push to it changed its badge', async () => {
    const tokens = Array.from({ length: 20 }, (_, n) => n.toString(16).padStart(64, 'd'))
    for (const token of tokens) await register(token)
    const [first = '', last = ''] = [tokens[0], tokens.at(-1)]
    simulator.answerWith(({ token, body }) => {
      if ((body as { aps: { alert: string } }).aps.alert === 'one') return null
      return token === first ? LATE : LATER
    })
    // Four are in flight; the page has the rest.
    const broadcast = await use.push({ badge: '+1' })
    const single = await one(last, '+1', { msg: 'one' })
    await pass(Promise.all([sent(broadcast), sent(single)]))
    expect(shownOn(last)).toEqual([2, 2])
    expect(await stored(last)).toBe(2)
    expect(await stored(first)).toBe(1)
  })

  test('whatever is pushed and set, and however the gateway answers', async () => {
    // Each accepted push widens the window.
    for (let n = 0; n < 3; n++) await sent(await one('b2'.repeat(32), ''))
    const answer = fc.constantFrom(LATE, LATER, ...[200, 200, 413, 429].map((status) => refused(status, 'reason', 500)))
    const step = fc.record({
      change: fc.constantFrom('+1', '+1', '-1', '3', '7'),
      answers: fc.array(answer, { maxLength: 2 }),
      set: fc.option(fc.integer({ min: 0, max: 9 }), { freq: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
        const conducts = steps.map(({ answers }, at) => [`push ${at}`, [...answers, LATE]] as const)
        const { send, set, all, now, last } = await phone(5, Object.fromEntries(conducts))
        for (const [at, { change, set: count }] of steps.entries()) {
          await send(`push ${at}`, change)
          if (count !== null) await set(count)
        }
        await all()
        expect(await now()).toBe(last())
      }),
      { numRuns: 10 },
    )
  })
})
