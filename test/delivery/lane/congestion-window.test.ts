import { describe, expect, test } from 'bun:test'
import { CongestionWindow } from '../../../src/delivery/lane/congestion-window.ts'

const NOW = Date.UTC(2026, 10, 20)
const unreachable = { state: 'unreachable', askedMs: null, reason: 'ConnectionRefused' } as const

describe('the window of a credential', () => {
  test('the first request goes alone', () => {
    expect(new CongestionWindow().size(NOW)).toBe(1)
  })

  test('each success opens it by three, up to the streams of a connection', () => {
    const window = new CongestionWindow()
    window.succeeded(5, NOW)
    expect(window.size(NOW)).toBe(4)
    for (let n = 0; n < 5000; n++) window.succeeded(5, NOW)
    expect(window.size(NOW)).toBe(1000)
  })

  function opened(latencyMs = 5): CongestionWindow {
    const window = new CongestionWindow()
    for (let n = 0; n < 2000; n++) window.succeeded(latencyMs, NOW)
    return window
  }

  test('streams that break close it by a third, once for what was in flight', () => {
    const window = opened()
    for (let n = 0; n < 900; n++) window.strained()
    expect(window.size(NOW)).toBe(700)
    for (let n = 0; n < 700; n++) window.strained()
    expect(window.size(NOW)).toBe(489)
  })

  test('an answer that came after the process had stood still does not close it', () => {
    const window = opened()
    window.succeeded(6 * 60 * 60 * 1000, NOW)
    for (let n = 0; n < 10; n++) window.succeeded(5, NOW)
    expect(window.size(NOW)).toBe(1000)
  })

  test('it never closes altogether for strain', () => {
    const window = new CongestionWindow()
    for (let n = 0; n < 100; n++) window.strained()
    expect(window.size(NOW)).toBe(1)
  })

  test('answers that take ever longer close it; a gateway that is merely far does not', () => {
    const window = opened()
    for (let n = 0; n < 2000; n++) window.succeeded(3000, NOW)
    expect(window.size(NOW)).toBeLessThan(500)
    const far = new CongestionWindow()
    for (let n = 0; n < 5000; n++) far.succeeded(1500, NOW)
    expect(far.size(NOW)).toBe(1000)
  })

  test('where the process cannot keep up with the answers, it closes to what is in flight, and opens slowly then', () => {
    const window = opened()
    window.crowded(700)
    expect(window.size(NOW)).toBe(700)
    for (let n = 0; n < 700; n++) window.succeeded(5, NOW)
    expect(window.size(NOW)).toBe(721)
  })

  test('as many as the process could send until the fastest answer comes stay of use', () => {
    for (const [fastestMs, size] of [
      [0.5, 128],
      [5, 500],
      [50, 1000],
    ] as const) {
      const window = opened(fastestMs)
      window.crowded(0)
      expect(window.size(NOW)).toBe(size)
    }
  })

  test('a process that could not keep up opens it as fast as ever after strain, up to what is of use', () => {
    const window = opened(0.5)
    window.crowded(0)
    for (let n = 0; n < 129; n++) window.strained()
    expect(window.size(NOW)).toBe(62)
    for (let n = 0; n < 10; n++) window.succeeded(0.5, NOW)
    expect(window.size(NOW)).toBe(92)
    for (let n = 0; n < 20; n++) window.succeeded(0.5, NOW)
    expect(window.size(NOW)).toBe(128)
  })

  test('a process that could not keep up opens no window that is small, and after a pause all is of use', () => {
    const window = new CongestionWindow()
    window.crowded(0)
    expect(window.size(NOW)).toBe(1)
    for (let n = 0; n < 2000; n++) window.succeeded(0.5, NOW)
    window.crowded(0)
    const waitMs = window.pause(unreachable, NOW, 0) ?? 0
    for (let n = 0; n < 333; n++) window.succeeded(0.5, NOW + waitMs)
    expect(window.size(NOW + waitMs)).toBe(1000)
  })

  test('a gateway that cannot be reached closes it, for longer each time', () => {
    const window = new CongestionWindow()
    const first = window.pause(unreachable, NOW, 0)
    expect(first).toBe(500)
    expect(window.size(NOW + 499)).toBe(0)
    expect(window.size(NOW + 500)).toBe(1)
    expect(window.pause(unreachable, NOW + 500, 0)).toBe(1000)
    expect(window.trouble).toEqual({ state: 'unreachable', reason: 'ConnectionRefused' })
  })

  test('answers that come in during a pause, and ask for nothing, do not lengthen it', () => {
    const window = new CongestionWindow()
    window.pause(unreachable, NOW, 0)
    expect(window.pause(unreachable, NOW + 100, 0)).toBeNull()
    expect(window.size(NOW + 500)).toBe(1)
  })

  test('a longer wait that the gateway asks for in a pause is given, and a shorter one changes nothing', () => {
    const window = new CongestionWindow()
    window.pause(unreachable, NOW, 0)
    expect(window.pause({ ...unreachable, askedMs: 100 }, NOW + 100, 0)).toBeNull()
    expect(window.resumeAt).toBe(NOW + 500)
    expect(window.pause({ ...unreachable, askedMs: 23_000 }, NOW + 200, 0)).toBeNull()
    expect(window.isPaused(NOW + 23_199)).toBe(true)
    // Not for a new push either.
    window.endPauseEarly()
    expect(window.resumeAt).toBe(NOW + 23_200)
  })

  test('one success after a pause ends it, and the next pause is short again', () => {
    const window = new CongestionWindow()
    window.pause(unreachable, NOW, 0)
    window.pause(unreachable, NOW + 500, 0)
    expect(window.succeeded(5, NOW + 1500)).toBe(true)
    expect(window.trouble).toBe(null)
    expect(window.pause(unreachable, NOW + 5000, 0)).toBe(500)
  })

  test('what is taken in a pause was sent before it: it is not ready for that', () => {
    const window = new CongestionWindow()
    window.pause(unreachable, NOW, 0)
    expect(window.succeeded(5, NOW + 499)).toBe(false)
    expect([window.trouble?.reason, window.size(NOW + 499)]).toEqual(['ConnectionRefused', 0])
    expect(window.size(NOW + 500)).toBe(1)
    expect(window.succeeded(5, NOW + 500)).toBe(true)
    expect(window.trouble).toBe(null)
  })

  test('the wait a gateway asks for is kept', () => {
    const window = new CongestionWindow()
    expect(window.pause({ ...unreachable, askedMs: 60_000 }, NOW, 0)).toBe(60_000)
    expect(window.size(NOW + 59_999)).toBe(0)
  })

  test('a wait that is shorter than the backoff does not end the pause before it', () => {
    const window = new CongestionWindow()
    const waits = [NOW, NOW + 500, NOW + 1500].map((at) => window.pause({ ...unreachable, askedMs: 0 }, at, 0))
    expect(waits).toEqual([500, 1000, 2000])
  })

  test('a new push shortens a pause to its first wait where devices have complained, and no other', () => {
    function longest(more: object): CongestionWindow {
      const window = new CongestionWindow()
      for (let n = 0, at = NOW; n < 8; n++) at += window.pause({ ...unreachable, ...more }, at, 0.5) ?? 0
      return window
    }
    for (const [more, isShorter] of [
      [{ ofDevices: true }, true],
      [{}, false],
      [{ ofDevices: true, askedMs: 0 }, true],
      [{ ofDevices: true, askedMs: 60_000 }, false],
    ] as const) {
      const window = longest(more)
      const { resumeAt } = window
      window.endPauseEarly()
      expect(window.resumeAt < resumeAt).toBe(isShorter)
    }
  })

  test('a refused credential waits for half a minute, then longer, ten minutes at the most', () => {
    const window = new CongestionWindow()
    const waits: (number | null)[] = []
    for (let at = NOW, n = 0; n < 8; n++) {
      const wait = window.pause({ state: 'misconfigured', askedMs: null, reason: 'InvalidProviderToken' }, at, 0.9999)
      waits.push(wait)
      at += wait ?? 0
    }
    expect(window.trouble?.state).toBe('misconfigured')
    expect(waits.map((wait) => Math.round((wait ?? 0) / 1000))).toEqual([30, 60, 120, 240, 480, 600, 600, 600])
  })
})
