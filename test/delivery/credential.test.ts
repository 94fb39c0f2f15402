import { beforeEach, describe, expect, test } from 'bun:test'
import type { Reply } from '../../src/gateway/simulator/http2/reply.ts'
import { fileSending } from '../support/file-sending.ts'
import { refusal } from '../support/sending.ts'
import { until } from '../support/until.ts'

/* Unlike that of the built-in simulator, a credential has to prove itself here. */
const use = await fileSending({ outside: true })
const { clock, simulator, analytics, arrivals, get, log, logged, pass, paused, put, restart, sent } = use

const equip = (...providers: ('apns' | 'fcm')[]) =>
  use.service.equip(use.application, simulator, providers.length === 0 ? undefined : providers)
beforeEach(() => {
  equip()
  clock.advance(1000)
})

const pushOne = (token: string) => use.push({ token }, '/push/one')
const readiness = async () => (await use.ready()).status

const UNREGISTERED = JSON.stringify({
  error: {
    code: 404,
    status: 'NOT_FOUND',
    details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: 'UNREGISTERED' }],
  },
})

/** Several, since one answer may be chance: see `TooManyProviderTokenUpdates`. */
const FOUR = [1, 3, 4, 5]

const order = (prefix: string, n = 0) => prefix + String(n).padStart(64 - prefix.length, '0')

async function register(platform: 0 | 1, ...tokens: string[]): Promise<void> {
  for (const token of tokens) await use.register({ token, platform })
}

const push = (platform: 0 | 1) => use.push({ platform })

async function deliveriesOf(id: string): Promise<unknown> {
  const response = await fetch(`${use.service.adminUrl}/pushes/${id}`)
  return ((await response.json()) as { deliveries: unknown }).deliveries
}

async function feedback(): Promise<{ token: string; reason: string }[]> {
  return (await get('/feedback')).body
}

describe('a credential that has taken nothing yet', () => {
  test('and whose every token is bad goes through all of them, sets nobody aside, and says so', async () => {
    await register(0, ...Array.from({ length: 30 }, (_, n) => order('bad40000', n)))
    const id = await push(0)
    await sent(id)
    const reason = 'all 30 devices were refused as BadDeviceToken: wrong environment, topic or project?'
    expect(await deliveriesOf(id)).toMatchObject([{ t: 30, s: 0, failed: 30, state: 'finished' }])
    expect(await use.status(id)).toMatchObject({ state: 'finished', reason })
    expect(log()).toContainEqual(expect.objectContaining({ level: 'warn', event: 'push refused', push: id, reason }))
    expect(await feedback()).toEqual([])
    expect((await get('/deviceToken/all')).body).toHaveLength(30)
    expect(paused()).toEqual([])
  })

  test('and whose gateway is busy for its only phone is not paused: that phone waits, and everybody else is sent to', async () => {
    const busy = refusal(503, 'ServiceUnavailable')
    simulator.answerWith(({ token }) => (token === order('b') ? busy : null))
    await register(0, order('b'))
    const id = await pushOne(order('b'))
    expect(await logged(({ event }) => event === 'not accepted yet')).toMatchObject({
      level: 'warn',
      reason: 'ServiceUnavailable for 1 of 1 device',
    })
    expect(await use.status(id)).toMatchObject({ state: 'sending', reason: null, waiting: 1 })
    expect(await use.ready()).toMatchObject({ status: 200, body: { warnings: [] } })
    await register(0, ...FOUR.map((n) => order('a', n)))
    for (const n of FOUR) await sent(await pushOne(order('a', n)))
    expect(paused()).toEqual([])
    expect(log().filter(({ event }) => event === 'sending again')).toEqual([])
    simulator.answerWith(null)
    await pass(sent(id))
  })

  test('and then takes something with the next push: who was refused before that is set aside', async () => {
    await register(0, order('bad40000', 1), order('bad40000', 2))
    await sent(await push(0))
    expect(await feedback()).toEqual([])
    await register(0, order('a', 3))
    await sent(await pushOne(order('a', 3)))
    await until(async () => (await feedback()).length === 2)
    expect((await get('/deviceToken/all')).body).toMatchObject([{ token: order('a', 3) }])
  })

  test('and then takes something for a phone that it was refused for before: the phone stays', async () => {
    const bad = refusal(400, 'DeviceTokenNotForTopic')
    simulator.answerWith(() => bad)
    await register(0, order('a', 1), order('a', 2))
    await sent(await push(0))
    simulator.answerWith(null)
    await sent(await pushOne(order('a', 1)))
    await until(async () => (await feedback()).length === 1)
    expect((await get('/deviceToken/all')).body).toMatchObject([{ token: order('a', 1) }])
  })

  test('sets nobody aside who has registered since, when it takes something', async () => {
    await register(0, order('bad40000', 1))
    await sent(await push(0))
    clock.advance(10)
    expect(await put('/deviceToken', { token: order('bad40000', 1), platform: 0 })).toMatchObject({
      status: 200,
    })
    await register(0, order('a', 3))
    await sent(await pushOne(order('a', 3)))
    await register(0, order('bad40000', 2))
    await sent(await pushOne(order('bad40000', 2)))
    expect((await feedback()).map(({ token }) => token)).toEqual([order('bad40000', 2)])
  })

  test.each([
    [0, order('bad40030'), 'DeviceTokenNotForTopic'],
    [1, 'mismatch:one', 'SENDER_ID_MISMATCH'],
  ] as const)(
    'and refuses the only device of platform %p as %p: that is told, and the token is kept',
    async (platform, token, reason) => {
      await register(platform, token)
      const id = await push(platform)
      await sent(id)
      const wrong = `the only device was refused as ${reason}: wrong environment, topic or project?`
      expect(await use.status(id)).toMatchObject({ reason: wrong })
      expect(await feedback()).toEqual([])
    },
  )

  const ODD = ['abc123', 'ExponentPushToken[x]', 'x'.repeat(4096), '..', '../../v1/x?y#z', 'ctmBeCwtQDuDsClbyr6d3z']

  test('is not asked about what cannot be a token of Apple: that is set aside at once, however much of it', async () => {
    const odd = [...ODD, ...Array.from({ length: 30 }, (_, n) => `device-${n}`)]
    await register(0, ...odd.slice(0, 20), order('a'), ...odd.slice(20))
    const id = await push(0)
    await sent(id)
    expect(arrivals().map(({ token }) => token)).toEqual([order('a')])
    expect(paused()).toEqual([])
    expect(await feedback()).toHaveLength(odd.length)
    expect((await feedback()).every(({ reason }) => reason === 'BadDeviceToken')).toBe(true)
    expect((await get('/deviceToken/all')).body).toMatchObject([{ token: order('a') }])
    const { body } = await get(`/push/${id}/device`, { headers: { token: 'abc123' } })
    expect(body).toMatchObject({ verdict: 'rejected', reason: 'BadDeviceToken', attempts: null, apns_id: null })
    expect(body.explanation).toStartWith('The token is not an APNs device token: it is too short')
  })

  test('and has nobody but those stays unproven, and is not accused', async () => {
    await register(0, ...ODD, ...Array.from({ length: 30 }, (_, n) => `device-${n}`))
    await sent(await push(0))
    expect(arrivals()).toEqual([])
    expect(await readiness()).toBe(200)
  })

  const fid = (prefix: string, n: number) => prefix + String(n).padStart(22 - prefix.length, '0')

  test('of Google goes on after a run of bad installation IDs, which are the devices’ fault', async () => {
    await register(1, ...Array.from({ length: 12 }, (_, n) => fid('f_invalid_', n)), fid('fA', 1))
    await sent(await push(1))
    expect((await feedback()).map(({ reason }) => reason)).toEqual(Array.from({ length: 12 }, () => 'INVALID_ARGUMENT'))
    expect(await analytics()).toEqual({ t: 13, s: 1, o: 0 })
    expect(await readiness()).toBe(200)
  })

  test('of Google believes it of installations that are gone, whatever the status', async () => {
    await register(1, fid('f_unregistered_', 1), fid('f_stale_', 1))
    await sent(await push(1))
    const reason = 'UNREGISTERED_FID: the app was removed, or it has not called register() of Firebase Messaging'
    expect((await feedback()).map(({ reason }) => reason)).toEqual([reason, reason])
    expect((await get('/deviceToken/all')).body).toEqual([])
  })

  test('and then takes one: the tokens before it were bad', async () => {
    await register(0, order('bad40000', 1), order('bad40000', 2), order('a', 3))
    await sent(await push(0))
    await until(async () => (await feedback()).length === 2)
    expect((await feedback()).map(({ token }) => token).toSorted()).toEqual([
      order('bad40000', 1),
      order('bad40000', 2),
    ])
    expect(await analytics()).toEqual({ t: 3, s: 1, o: 0 })
  })
})

async function inFlight(): Promise<number> {
  const metrics = await (await fetch(`${use.service.adminUrl}/metrics`)).text()
  return [
    ...metrics.matchAll(new RegExp(`^bellhop_gateway_in_flight\\{[^}]*application="${use.name}".*\\} (\\d+)$`, 'gm')),
  ].reduce((sum, [, count]) => sum + Number(count), 0)
}

/** Resolves after so many requests, when all but `open` are answered. */
async function answered(count: number, open: number): Promise<void> {
  while (arrivals().length < count || (await inFlight()) !== open) await Bun.sleep(1)
}

describe('a credential that has proven itself', () => {
  test.each([
    ['while it runs', false, false],
    ['while nothing runs', true, false],
    ['after a start, before anything is sent', false, true],
  ])('is replaced %s: whom the one before was refused is given back, and sent to', async (_, isStopped, isStarted) => {
    const bad = refusal(400, 'DeviceTokenNotForTopic')
    let moved = false
    simulator.answerWith(({ token }) => (moved && token !== order('a', 0) ? bad : null))
    await register(0, ...Array.from({ length: 4 }, (_, n) => order('a', n)))
    await sent(await push(0))
    moved = true
    await pass(sent(await push(0)))
    expect(await feedback()).toHaveLength(3)
    moved = false
    clock.advance(1000)
    if (isStopped) equip()
    if (isStopped || isStarted) await restart()
    clock.advance(1000)
    if (!isStopped) equip()
    await pass(until(async () => (await feedback()).length === 0))
    expect((await get('/deviceToken/all')).body).toHaveLength(4)
    const id = await push(0)
    await sent(id)
    expect(await deliveriesOf(id)).toMatchObject([{ t: 4, s: 4 }])
  })

  test('is revoked: ten phones that were sent to before say so, and not a hundred that were not', async () => {
    const revoked = refusal(403, 'InvalidProviderToken')
    await register(0, ...Array.from({ length: 30 }, (_, n) => order('b', n)))
    await sent(await push(0))
    await register(0, ...Array.from({ length: 100 }, (_, n) => order('a', n)))
    let strict = (token: string) => token.startsWith('a')
    simulator.answerWith(({ token }) => (strict(token) ? revoked : null))
    const first = await push(0)
    await until(async () => (await use.status(first)).s === 30)
    expect(paused()).toEqual([])
    strict = () => true
    await push(0)
    const told = await logged(({ event }) => event === 'sending paused')
    expect(told['reason']).toMatch(/^InvalidProviderToken for 10 of \d+ devices$/)
  })

  test('is told of a phone that is gone, and the phone registers before that is written down: it stays', async () => {
    await register(1, 'phone:one', 'phone:two')
    await sent(await push(1))
    const gone = { status: 404, headers: {}, body: UNREGISTERED }
    simulator.answerWith(({ token }) => (token === 'phone:one' ? { kind: 'silent' } : { kind: 'answer', answer: gone }))
    await push(1)
    await answered(4, 1)
    clock.advance(10)
    expect((await put('/deviceToken', { token: 'phone:two', platform: 1 })).status).toBe(200)
    await pass(logged(({ event }) => event === 'to be sent again'))
    const { body } = await get('/deviceToken/all')
    expect(body.map(({ token }: { token: string }) => token)).toEqual(['phone:one', 'phone:two'])
    expect(await feedback()).toEqual([])
  })

  test('pauses, and a Retry-After that is heard during the pause is kept beyond it', async () => {
    await register(0, ...FOUR.map((n) => order('a', n)), order('a', 2))
    await sent(await push(0))
    const asked: number[] = []
    let onTheirWay = 0
    const pause = refusal(429, 'TooManyProviderTokenUpdates', { 'retry-after': '1' })
    const busy = refusal(503, 'ServiceUnavailable', { 'retry-after': '300' })
    let isBusy = true
    simulator.answerWith(({ token }) => {
      onTheirWay++
      if (token === order('a', 2)) asked.push(clock.now())
      if (!isBusy) return null
      return token === order('a', 2) ? { ...busy, afterMs: 100 } : { ...pause, afterMs: 50 }
    })
    const id = await push(0)
    await until(() => onTheirWay === 5)
    clock.advance(50)
    await logged(({ event }) => event === 'sending paused')
    clock.advance(50)
    await answered(10, 0)
    isBusy = false
    await pass(sent(id), 5000)
    expect(asked).toHaveLength(2)
    const [first = 0, second = 0] = asked
    expect(second - first).toBeGreaterThanOrEqual(300_000)
  })

  describe('and a phone that Apple knows in its other environment', () => {
    const bad = refusal(400, 'BadDeviceToken')
    let asked: { readonly gateway: string; readonly at: number }[]

    /** A push to known phones and one new one, whose request is in flight. */
    async function pushToBoth(toFirst: () => Reply | null): Promise<string> {
      await register(0, ...FOUR.map((n) => order('a', n)))
      await sent(await push(0))
      await register(0, order('a', 2))
      asked = []
      simulator.answerWith(({ gateway, token }) => {
        if (token !== order('a', 2)) return toFirst()
        asked.push({ gateway, at: clock.now() })
        return gateway === 'apns' ? { ...bad, afterMs: 1000 } : null
      })
      const id = await push(0)
      await until(() => asked.length === 1)
      return id
    }

    test('pauses before that one is asked: it is asked when the pause is over', async () => {
      const headers = { 'retry-after': '60' }
      const pause = refusal(429, 'TooManyProviderTokenUpdates', headers)
      let isPausing = true
      const id = await pushToBoth(() => (isPausing ? pause : null))
      await logged(({ event }) => event === 'sending paused')
      const pausedAt = clock.now()
      clock.advance(1000)
      await answered(9, 0)
      isPausing = false
      await pass(sent(id), 5000)
      expect(asked.map(({ gateway }) => gateway)).toEqual(['apns', 'apns', 'apns-sandbox'])
      expect(asked.at(1)?.at).toBeGreaterThanOrEqual(pausedAt + 60_000)
      expect(await feedback()).toEqual([])
    })

    test('is replaced before that one is asked: the new one asks both', async () => {
      const id = await pushToBoth(() => null)
      await answered(8, 1)
      equip()
      clock.advance(500)
      await readiness()
      clock.advance(500)
      await pass(sent(id))
      expect(asked.map(({ gateway }) => gateway)).toEqual(['apns', 'apns', 'apns-sandbox'])
      expect(await feedback()).toEqual([])
    })
  })

  describe('and whose gateway asks for a rest', () => {
    let asked: number[]

    beforeEach(async () => {
      await register(1, 'phone:one')
      asked = []
      const busy = { status: 503, headers: { 'retry-after': '60' }, body: '' }
      simulator.answerWith(({ gateway }) => {
        if (gateway !== 'fcm') return null
        asked.push(clock.now())
        return asked.length === 1 ? { kind: 'answer', afterMs: 1000, answer: busy } : null
      })
    })

    /** The answer comes after an earlier command would have taken effect. */
    async function expectRest(id: string): Promise<void> {
      clock.advance(500)
      await readiness()
      clock.advance(500)
      await pass(sent(id), 5000)
      expect(asked).toHaveLength(2)
      const [first = 0, second = 0] = asked
      expect(second - first).toBeGreaterThanOrEqual(60_000)
    }

    test('keeps it when the credential of the other platform is replaced meanwhile', async () => {
      const id = await push(1)
      await until(() => asked.length === 1)
      equip('apns')
      await expectRest(id)
    })

    test('keeps it when it was itself put in the place of another just before the first push', async () => {
      equip('fcm')
      const id = await push(1)
      await until(() => asked.length === 1)
      await expectRest(id)
    })
  })

  test('is trusted after a restart too: a run of bad tokens is a run of bad tokens', async () => {
    await register(0, order('a'))
    await sent(await push(0))
    await put('/deviceToken/del', { token: order('a'), platform: 0 })
    await register(0, ...Array.from({ length: 15 }, (_, n) => order('bad40030', n)))
    await restart()
    await sent(await push(0))
    expect(await feedback()).toHaveLength(15)
  })

  test('goes on with the provider token it had: a restart mints none', async () => {
    await register(0, order('a'))
    const tokens: unknown[] = []
    simulator.answerWith(({ headers }) => {
      tokens.push(headers['authorization'])
      return null
    })
    await sent(await push(0))
    await restart()
    await sent(await push(0))
    expect(tokens).toHaveLength(2)
    expect(tokens[0]).toBe(tokens[1])
  })
})
