import { describe, expect, test } from 'bun:test'
import { createSteadyClock } from '../../../src/delivery/time/steady-clock.ts'
import { createFakeClock } from '../../support/fake-clock.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const HOUR_MS = 3_600_000
const TICK_MS = 250

function start() {
  const clock = createFakeClock(NOON)
  const steady = createSteadyClock(clock, TICK_MS)
  steady.start()
  return { clock, steady }
}

describe('the steady clock', () => {
  test('is the time of day, and hears of nothing, while time passes as it does', () => {
    const { clock, steady } = start()
    for (let n = 1; n <= 100; n++) {
      clock.advance(TICK_MS)
      expect(steady.now()).toBe(NOON + n * TICK_MS)
      expect(steady.follow()).toBeNull()
    }
  })

  test.each([
    ['ahead', 25 * HOUR_MS],
    ['back', -25 * HOUR_MS],
  ])('goes on as it was when the clock is put %s, until that is heard of', (_, byMs) => {
    const { clock, steady } = start()
    clock.advance(100)
    clock.set(clock.now() + byMs)
    clock.advance(100)
    expect(steady.now()).toBe(NOON + 200)
    const now = NOON + byMs + 200
    expect(steady.follow()).toEqual({ byMs, now, since: now - 200, stoodStillMs: 0 })
    expect(steady.now()).toBe(now)
    clock.advance(TICK_MS)
    expect(steady.follow()).toBeNull()
  })

  test('takes no time in which the process stood still for time in which it ran', () => {
    const { clock, steady } = start()
    clock.standStill(2 * HOUR_MS + TICK_MS)
    expect(steady.now()).toBe(NOON + TICK_MS)
    expect(steady.follow()).toMatchObject({ byMs: 2 * HOUR_MS, stoodStillMs: 2 * HOUR_MS })
    expect(steady.now()).toBe(clock.now())
  })

  test('takes a look that comes some seconds late for a busy process', () => {
    const { clock, steady } = start()
    clock.standStill(10_000)
    expect(steady.now()).toBe(NOON + 10_000)
    expect(steady.follow()).toBeNull()
  })

  test('adds up small steps: however many there are, times to live follow all but a second of them', () => {
    const { clock, steady } = start()
    let heardMs = 0
    for (let n = 0; n < 100; n++) {
      clock.set(clock.now() + 300)
      clock.advance(TICK_MS)
      heardMs += steady.follow()?.byMs ?? 0
      expect(steady.now()).toBe(clock.now())
    }
    expect(100 * 300 - heardMs).toBeWithin(0, 1000)
  })

  test('forgets steps that take each other back', () => {
    const { clock, steady } = start()
    for (let n = 0; n < 100; n++) {
      clock.set(clock.now() + (n % 2 === 0 ? 900 : -900))
      clock.advance(TICK_MS)
      expect(steady.follow()).toBeNull()
    }
  })

  test('at rest is the time of day, whatever is done to it', () => {
    const { clock, steady } = start()
    steady.rest()
    clock.set(NOON + HOUR_MS)
    expect(steady.now()).toBe(NOON + HOUR_MS)
    expect(steady.follow()).toBeNull()
    steady.start()
    expect(steady.follow()).toBeNull()
  })
})
