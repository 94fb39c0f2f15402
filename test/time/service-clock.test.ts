import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HEARTBEAT_MS, startServiceClock } from '../../src/time/service-clock.ts'
import type { ServiceMoment } from '../../src/time/service-clock.ts'
import { createFakeClock } from '../support/fake-clock.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const HOUR_MS = 3_600_000

function start({ clock = createFakeClock(NOON), last = null as ServiceMoment | null, followsJumps = false } = {}) {
  const log: (readonly [event: string, fields: unknown])[] = []
  const warn = (event: string, fields?: object) => void log.push([event, fields])
  return { clock, log, time: startServiceClock({ clock, log: { warn }, last, followsJumps }) }
}

describe('service time', () => {
  test('begins as the time of day, and is the time of day while time passes as it does', () => {
    const { clock, log, time } = start()
    for (let n = 1; n <= 100; n++) {
      clock.advance(HEARTBEAT_MS)
      expect(time.look()).toEqual({ service: NOON + n * HEARTBEAT_MS, wall: clock.now() })
    }
    expect(log).toEqual([])
  })

  test.each([
    ['ahead', 25 * HOUR_MS, ['the clock was set forward', { aheadMs: 25 * HOUR_MS }]],
    ['back', -25 * HOUR_MS, ['the clock was set back', { backMs: 25 * HOUR_MS }]],
  ] as const)('goes on as it was when the clock is put %s; what is told is by the new clock', (_, byMs, said) => {
    const { clock, log, time } = start()
    clock.set(NOON + byMs)
    clock.advance(100)
    expect(time.now()).toBe(NOON + 100)
    time.look()
    expect(time.now()).toBe(NOON + 100)
    expect(time.wallAt(NOON + 100 + HOUR_MS)).toBe(clock.now() + HOUR_MS)
    expect(log).toEqual([said])
  })

  test('follows a jump ahead, and none back, where times to live go by the time of day', () => {
    const { clock, time } = start({ followsJumps: true })
    clock.set(NOON + HOUR_MS)
    expect(time.look()).toEqual({ service: NOON + HOUR_MS, wall: NOON + HOUR_MS })
    clock.set(NOON)
    expect(time.look()).toEqual({ service: NOON + HOUR_MS, wall: NOON })
  })

  test('takes no time in which the process stood still for time in which it ran', () => {
    const { clock, log, time } = start()
    clock.standStill(2 * HOUR_MS + HEARTBEAT_MS)
    expect(time.now()).toBe(NOON + HEARTBEAT_MS)
    time.look()
    expect(time.wallAt(time.now())).toBe(clock.now())
    expect(log).toEqual([['the process stood still', { stoodStillMs: 2 * HOUR_MS }]])
  })

  test('takes a look that comes some seconds late for a busy process', () => {
    const { clock, log, time } = start()
    clock.standStill(10_000)
    expect(time.look()).toEqual({ service: NOON + 10_000, wall: NOON + 10_000 })
    expect(log).toEqual([])
  })

  test.each([
    ['adds up small steps', 300, 100],
    ['forgets steps that take each other back', 900, 2],
  ])('%s: what is told is never off by more than a second', (_, byMs, period) => {
    const { clock, time } = start()
    for (let n = 0; n < 100; n++) {
      clock.set(clock.now() + (n % period < period / 2 ? byMs : -byMs))
      clock.advance(HEARTBEAT_MS)
      const { service, wall } = time.look()
      expect(service).toBe(NOON + (n + 1) * HEARTBEAT_MS)
      expect(Math.abs(wall - clock.now())).toBeLessThan(1000)
    }
  })

  test.each([
    ['as long as nothing ran, by the time of day', HOUR_MS, HOUR_MS],
    ['nothing where the clock was set back in between', -HOUR_MS, 0],
  ])('has, after a start, gone on %s', (_, downMs, added) => {
    const first = start()
    first.clock.set(NOON - 5 * HOUR_MS)
    first.clock.advance(1000)
    const last = first.time.look()
    expect(last).toEqual({ service: NOON + 1000, wall: NOON - 5 * HOUR_MS + 1000 })
    const { clock, time } = start({ clock: createFakeClock(last.wall + downMs), last })
    expect(time.now()).toBe(last.service + added)
    expect(time.wallAt(time.now())).toBe(clock.now())
  })

  test('only runs forward, and no faster than time passes, whatever is done to the clock', () => {
    const step = fc.oneof(
      fc.record({ set: fc.integer({ min: -40 * HOUR_MS, max: 40 * HOUR_MS }) }),
      fc.record({ pass: fc.integer({ min: 0, max: 12_000 }) }),
      fc.record({ look: fc.constant(true) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { clock, time } = start()
        let before = time.now()
        for (const one of steps) {
          const at = clock.monotonic()
          if ('set' in one) clock.set(clock.now() + one.set)
          else if ('pass' in one) clock.standStill(one.pass)
          else time.look()
          const now = time.now()
          expect(now - before).toBeWithin(0, clock.monotonic() - at + 1)
          before = now
        }
        time.look()
        expect(Math.abs(time.wallAt(before) - clock.now())).toBeLessThan(1000)
      }),
    )
  })
})
