import { describe, expect, test } from 'bun:test'
import { Window } from '../../src/delivery/window.ts'

const NOW = Date.UTC(2026, 10, 20)
const unreachable = { misconfigured: false, askedMs: null, reason: 'ConnectionRefused' }

describe('the window of a credential', () => {
  test('the first request goes alone', () => {
    expect(new Window().size(NOW)).toBe(1)
  })

  test('each success opens it by one, up to the streams of a connection', () => {
    const window = new Window()
    window.succeeded()
    expect(window.size(NOW)).toBe(2)
    for (let n = 0; n < 5000; n++) window.succeeded()
    expect(window.size(NOW)).toBe(1000)
  })

  test('a gateway that cannot be reached closes it, for longer each time', () => {
    const window = new Window()
    const first = window.pause(unreachable, NOW, 0)
    expect(first).toBe(500)
    expect(window.size(NOW + 499)).toBe(0)
    expect(window.size(NOW + 500)).toBe(1)
    expect(window.pause(unreachable, NOW + 500, 0)).toBe(1000)
    expect(window.state).toBe('unreachable')
    expect(window.reason).toBe('ConnectionRefused')
  })

  test('answers that come in during a pause do not lengthen it', () => {
    const window = new Window()
    window.pause(unreachable, NOW, 0)
    expect(window.pause(unreachable, NOW + 100, 0)).toBeNull()
    expect(window.size(NOW + 500)).toBe(1)
  })

  test('one success after a pause ends it, and the next pause is short again', () => {
    const window = new Window()
    window.pause(unreachable, NOW, 0)
    window.pause(unreachable, NOW + 500, 0)
    expect(window.succeeded()).toBe(true)
    expect(window.state).toBe('ready')
    expect(window.reason).toBeNull()
    expect(window.pause(unreachable, NOW + 5000, 0)).toBe(500)
  })

  test('the wait a gateway asks for is kept', () => {
    const window = new Window()
    expect(window.pause({ ...unreachable, askedMs: 60_000 }, NOW, 0)).toBe(60_000)
    expect(window.size(NOW + 59_999)).toBe(0)
  })

  test('a refused credential waits for half a minute, then longer, ten minutes at the most', () => {
    const window = new Window()
    const waits: (number | null)[] = []
    for (let at = NOW, n = 0; n < 8; n++) {
      const wait = window.pause({ misconfigured: true, askedMs: null, reason: 'InvalidProviderToken' }, at, 0.9999)
      waits.push(wait)
      at += wait ?? 0
    }
    expect(window.state).toBe('misconfigured')
    expect(waits.map((wait) => Math.round((wait ?? 0) / 1000))).toEqual([30, 60, 120, 240, 480, 600, 600, 600])
  })
})
