import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { blameClock } from '../../src/gateway/clock-fault.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startOutsideGateways } from '../support/outside-gateways.ts'
import type { OutsideGateways } from '../support/outside-gateways.ts'
import { passing } from '../support/passing.ts'
import { startService } from '../support/service.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const HOUR_MS = 60 * 60_000

describe('the date of a refusal', () => {
  const refused = { kind: 'deferred', afterMs: null, scope: 'credential', reason: 'ExpiredProviderToken' } as const
  const blamed = (aheadMs: number, date: string | null = new Date(NOON).toUTCString()) =>
    blameClock(refused, { date, now: NOON + aheadMs, whose: 'Apple' })

  test.each([
    [3601, "3601 s ahead of Apple's"],
    [-3601, "3601 s behind Apple's"],
    [301, "301 s ahead of Apple's"],
  ])('tells that the clock is off by %p s', (seconds, off) => {
    const reason = `ExpiredProviderToken: this machine's clock is ${off}`
    expect(blamed(seconds * 1000)).toEqual({ kind: 'misconfigured', reason, certain: true })
  })

  test('tells nothing of a clock that is off by five minutes or less, nor without a date', () => {
    for (const aheadMs of [0, 300_000, -300_000]) expect(blamed(aheadMs)).toBe(refused)
    for (const date of [null, '', 'yesterday']) expect(blamed(HOUR_MS, date)).toBe(refused)
  })
})

describe('a clock that is an hour off', () => {
  let gateways: OutsideGateways
  const theirs = createFakeClock(NOON)

  beforeAll(async () => {
    gateways = await startOutsideGateways(theirs)
  })
  afterAll(() => gateways[Symbol.asyncDispose]())

  test.each([
    [0, 3601, "ExpiredProviderToken: this machine's clock is 3601 s ahead of Apple's"],
    [0, -3601, "ExpiredProviderToken: this machine's clock is 3601 s behind Apple's"],
    [1, 3601, "this machine's clock is 3601 s ahead of Google's"],
    [1, -3601, "this machine's clock is 3601 s behind Google's"],
  ] as const)(
    'is blamed for what is not sent, and all of it goes out once it is right: %p %p',
    async (platform, off, said) => {
      // On the second: a date says no more.
      theirs.set(NOON)
      const clock = createFakeClock(theirs.now() + off * 1000)
      await using service = await startService({
        clock,
        random: () => 0.5,
        simulated: false,
        config: gateways.config,
      })
      service.equip(service.application, gateways.simulator)
      clock.advance(1000)
      theirs.advance(1000)
      await service.put('/deviceToken', { token: 'ab'.repeat(32), platform })
      const { id } = (await service.post('/push/all', { platform, msg: 'Hello', sound: '', badge: '' })).body
      const line = await service.logged(({ event }) => event === 'sending paused')
      expect(line['state']).toBe('misconfigured')
      expect(line['reason']).toEndWith(said)

      const ready = await fetch(`${service.adminUrl}/readyz`)
      expect(ready.status).toBe(503)
      expect(await ready.json()).toMatchObject({ paused: [{ state: 'misconfigured', reason: line['reason'] }] })

      clock.set(theirs.now())
      const sent = service.logged(({ event, push }) => event === 'push sent' && push === id)
      await passing(service, [clock, theirs], sent)
      expect((await service.get(`/push/${id}`)).status).toBeLessThan(500)
    },
  )
})

describe('a clock that was 55 minutes ahead when it signed', () => {
  test.each([
    ['in the same run', false],
    ['after a restart', true],
  ])('leaves no provider token behind: once it is right pushes go out at once, %s', async (_, restarts) => {
    const theirs = createFakeClock(NOON)
    await using gateways = await startOutsideGateways(theirs)
    const { simulator } = gateways
    // As a gateway answers that has no reason of its own for a token from the future.
    simulator.answerWith(({ headers }) => {
      const token = String(headers['authorization']).slice('bearer '.length)
      const { iat } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
      const answer = { status: 403, headers: {}, body: '{"reason":"InvalidProviderToken"}' }
      return iat * 1000 > theirs.now() + 60_000 ? { kind: 'answer', answer } : null
    })
    const clock = createFakeClock(NOON + 55 * 60_000)
    const config = { ...gateways.config, drainSeconds: 0 }
    let service = await startService({ clock, random: () => 0.5, simulated: false, config })
    try {
      service.equip(service.application, simulator)
      clock.advance(1000)
      await service.put('/deviceToken', { token: 'ab'.repeat(32), platform: 0 })
      const content = { platform: 0, msg: 'Hello', sound: '', badge: '' }
      await service.post('/push/all', content)
      await service.logged(({ event }) => event === 'sending paused')
      clock.set(theirs.now())
      if (restarts) service = await service.restart()
      const { id } = (await service.post('/push/all', content)).body
      const sent = service.logged(({ event, push }) => event === 'push sent' && push === id)
      const began = clock.now()
      await passing(service, [clock, theirs], sent)
      expect((await service.get(`/push/${id}`)).body).toMatchObject({ t: 1, s: 1 })
      // The pause that had begun is over, and no other one comes.
      expect(clock.now() - began).toBeLessThan(60_000)
    } finally {
      await service[Symbol.asyncDispose]()
    }
  })
})

test.each([
  ['APNs', 'a day', 0, 24 * HOUR_MS],
  ['FCM', 'a day', 1, 24 * HOUR_MS],
  ['FCM', 'half an hour', 1, HOUR_MS / 2],
] as const)(
  'what %s refused for a clock that was %s ahead goes out at once when that is right and it starts again',
  async (_, _ahead, platform, aheadMs) => {
    const theirs = createFakeClock(NOON)
    await using gateways = await startOutsideGateways(theirs)
    const clock = createFakeClock(NOON + aheadMs)
    const config = { ...gateways.config, drainSeconds: 0 }
    let service = await startService({ clock, random: () => 0.5, simulated: false, config })
    try {
      service.equip(service.application, gateways.simulator)
      clock.advance(1000)
      const tokens = ['ab', 'cd', 'ef'].map((pair) => pair.repeat(32))
      await service.put('/deviceToken/batch', { platform, tokens })
      const { id } = (await service.post('/push/all', { platform, msg: 'Hello', sound: '', badge: '' })).body
      await service.logged(({ event }) => event === 'sending paused')
      clock.set(theirs.now())
      service = await service.restart()
      const sent = service.logged(({ event, push }) => event === 'push sent' && push === id)
      const late = new Promise<void>((resolve) => clock.after(10_000, resolve))
      await passing(service, [clock, theirs], Promise.race([sent, late]))
      expect((await service.get(`/push/${id}`)).body).toMatchObject({ t: 3, s: 3, failed: { total: 0 } })
    } finally {
      await service[Symbol.asyncDispose]()
    }
  },
)
