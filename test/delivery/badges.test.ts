import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Reply } from '../../src/gateway/simulator/http2/reply.ts'
import type { ReceivedPush } from '../../src/gateway/simulator/received-pushes.ts'
import { arrivalsAt } from '../support/arrivals.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { passing } from '../support/passing.ts'
import { acceptedPush, pushSent, registerDevice } from '../support/sending.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

/** Tokens that order an answer: see src/gateway/simulator/apns/apns-magic-tokens.ts. */
const GOOD = 'a1'.repeat(32)
const SLOW = 'bad00000'.padEnd(64, '0')

let clock: ReturnType<typeof createFakeClock>
let service: Service
beforeEach(async () => {
  clock = createFakeClock()
  service = await startService({ clock, random: () => 0.5 })
  // The first one goes alone until it is taken: afterwards several are on their way at a time.
  await register('b2'.repeat(32))
  await sent(await one('b2'.repeat(32), ''))
})
afterEach(() => service[Symbol.asyncDispose]())

const register = (token: string) => registerDevice(service, { token, platform: '0' })
const push = (path: '/push/all' | '/push/one', content: object) => acceptedPush(service, path, content)
const one = (token: string, badge: string) => push('/push/one', { token, badge })

const sent = (id: string) => pushSent(service, id, 0)

async function stored(token: string): Promise<number> {
  return (await service.get('/deviceToken/one', { headers: { token } })).body.badge
}

async function arrivalsOf(token: string, count: number): Promise<readonly ReceivedPush[]> {
  return arrivalsAt(await service.server.simulator(), count, (arrival) => arrival.token === token)
}

const shown = ({ body }: ReceivedPush) => (body as { aps: { badge?: number } }).aps.badge

describe('the stored badge', () => {
  test('is one more after each "+1", and what each shows', async () => {
    await register(GOOD)
    for (const count of [1, 2, 3]) {
      await sent(await one(GOOD, '+1'))
      expect(await stored(GOOD)).toBe(count)
    }
    expect((await arrivalsOf(GOOD, 3)).map(shown)).toEqual([1, 2, 3])
  })

  test('has every "+1" of those that were on their way at the same time, before any is answered', async () => {
    await register(SLOW)
    const pushes = await Promise.all(Array.from({ length: 5 }, () => one(SLOW, '+1')))
    // Two may be on their way by now.
    await arrivalsOf(SLOW, 2)
    expect(await stored(SLOW)).toBe(5)
    await passing(service, clock, Promise.all(pushes.map(sent)))
    expect((await arrivalsOf(SLOW, 5)).map(shown).at(-1)).toBe(5)
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
   * A device whose stored badge is `badge`, and pushes to it. `answers`: of the gateway, by their message; of several one
   * for each attempt. All others are taken at once.
   */
  async function phone(badge: number, answers: Readonly<Record<string, Reply | readonly Reply[]>>) {
    const token = (++number).toString(16).padStart(64, 'e')
    await register(token)
    // A connection that has rested is tried with one request, and while the clock stands all others wait for its answer.
    await sent(await one('b2'.repeat(32), ''))
    const simulator = await service.server.simulator()
    const times = new Map<string, number>()
    /** What arrived at the gateway last, or was set after it. */
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
      const { status } = await service.put('/badge', { token, platform: '0', setbadgecount: count })
      expect(status).toBe(200)
      last = count
    }

    return {
      pushes,
      set,
      now: () => stored(token),
      last: () => last,
      send: async (msg: string, change: string): Promise<void> => {
        // Among the arrivals it is once it has been answered.
        pushes.push(await push('/push/one', { token, badge: change, msg }))
        while (!times.has(msg)) await new Promise((resolve) => setImmediate(resolve))
      },
      /** What they showed, each attempt, once all are over; sorted. */
      all: async (): Promise<readonly number[]> => {
        await passing(service, clock, Promise.all(pushes.map(sent)))
        const mine = simulator.arrivals().filter((arrival) => arrival.token === token)
        return mine.map((arrival) => shown(arrival) ?? Number.NaN).sort((a, b) => a - b)
      },
    }
  }

  /** A step is a push that changes the badge, a badge that is set, or (`null`) the end of the last push. */
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
    await service.logged(({ event }) => event === 'sending paused' || event === 'to be sent again')
    await set(0)
    expect(await all()).toEqual([0, 5])
    expect(await now()).toBe(0)
  })

  test('a push that others have counted from counts once, though the process ended before it was sent again', async () => {
    const { send, pushes } = await phone(0, { a: refused(429, 'TooManyRequests', 500), b: LATE })
    await send('a', '+1')
    await send('b', '+1')
    await passing(service, clock, sent(pushes[1] ?? ''))
    const token = number.toString(16).padStart(64, 'e')
    expect(await stored(token)).toBe(2)
    const restarting = service.restart()
    // On a busy machine it may be on its way again: a stop waits for the answer, which takes time.
    while ((await Promise.race([restarting, Bun.sleep(5)])) === undefined) clock.advance(250)
    service = await restarting
    await passing(service, clock, sent(pushes[0] ?? ''))
    expect((await arrivalsOf(token, 1)).map(shown)).toEqual([2])
    expect(await stored(token)).toBe(2)
  })

  test('where a broadcast has read a device before another push to it changed its badge', async () => {
    const tokens = Array.from({ length: 20 }, (_, n) => n.toString(16).padStart(64, 'd'))
    for (const token of tokens) await register(token)
    const [first = '', last = ''] = [tokens[0], tokens.at(-1)]
    const simulator = await service.server.simulator()
    simulator.answerWith(({ token, body }) => {
      if ((body as { aps: { alert: string } }).aps.alert === 'one') return null
      return token === first ? LATE : LATER
    })
    // Four are on their way, and the page has the others.
    const broadcast = await push('/push/all', { badge: '+1' })
    const single = await push('/push/one', { token: last, badge: '+1', msg: 'one' })
    await passing(service, clock, Promise.all([sent(broadcast), sent(single)]))
    expect((await arrivalsOf(last, 2)).map(shown)).toEqual([2, 2])
    expect(await stored(last)).toBe(2)
    expect(await stored(first)).toBe(1)
  })

  test('whatever is pushed and set, and however the gateway answers', async () => {
    // Each that is taken has more of them on their way at a time.
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
