import { beforeEach, describe, expect, test } from 'bun:test'
import { ConnectionLimiter } from '../../../src/gateway/transport/connection-limiter.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
import { times } from './ways.ts'

let clock: FakeClock
let limiter: ConnectionLimiter
beforeEach(() => {
  clock = createFakeClock()
  limiter = new ConnectionLimiter(clock)
})

/** Opens connections that bring so many answers each, as soon as that is allowed; how long each had to wait, in ms. */
function open(count: number, answers: number): number[] {
  return times(count, () => {
    const waitMs = limiter.refusal()?.afterMs ?? 0
    clock.advance(waitMs)
    expect(limiter.refusal()).toBeNull()
    limiter.opened()
    for (let n = 0; n < answers; n++) limiter.answered()
    return waitMs
  })
}

test.each([0, 1, 10])('twelve connections that bring %d answers each are free, then each waits longer', (answers) => {
  const free = 12 + Math.floor((12 * answers) / 50)
  expect(open(free + 1, answers)).toEqual(times(free + 1, () => 0))
  expect(open(9, answers)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
})

test('of an hour a peer that ends each connection gets 100 at the most', () => {
  const until = clock.now() + 3_600_000
  while (clock.now() < until) open(1, 1)
  expect(limiter.connections).toBeLessThan(100)
})

test('connections that bring fifty answers each are never held up', () => {
  expect(open(1000, 50)).toEqual(times(1000, () => 0))
  expect(limiter.trouble).toBeNull()
})

test('connections that are cut off after less than five hundred answers have earned nothing', () => {
  const cutOff = (answers: number): number => {
    const waitMs = limiter.refusal()?.afterMs ?? 0
    clock.advance(waitMs)
    limiter.opened()
    for (let n = 0; n < answers; n++) limiter.answered()
    limiter.lost('ECONNRESET', answers)
    return waitMs
  }
  expect(times(15, () => cutOff(499))).toEqual([...times(13, () => 0), 1000, 2000])
  expect(limiter.trouble).toBe('it closes connections after 499 answers: at most one new connection every 4 s')
  expect(times(15, () => cutOff(500)).slice(1)).toEqual(times(14, () => 0))
  expect(limiter.trouble).toBeNull()
})

test('connections that are cut off together lengthen the wait once, by the one that takes their place', () => {
  open(13, 0)
  const { afterMs } = limiter.refusal() ?? {}
  for (let n = 0; n < 10; n++) limiter.lost('ECONNRESET', 3)
  expect([afterMs, limiter.refusal()?.afterMs]).toEqual([1000, 1000])
  expect(open(2, 0)).toEqual([1000, 2000])
})

test('nor is one each ten seconds, as where every push finds its connection closed', () => {
  for (let n = 0; n < 1000; n++) {
    clock.advance(10_000)
    expect(open(1, 1)).toEqual([0])
  }
})

describe('while it holds', () => {
  beforeEach(() => void open(17, 1))

  test('a request that needs a connection is told why, and when the next may be opened', () => {
    const reason = 'it closes connections after 1 answer: at most one new connection every 16 s'
    expect(limiter.refusal()).toEqual({ kind: 'failed', reason, sent: 'no', afterMs: 16_000 })
    expect(limiter.trouble).toBe(reason)
    clock.advance(10_000)
    expect(limiter.refusal()?.afterMs).toBe(6000)
  })

  test('five hundred answers on one connection release it', () => {
    for (let n = 0; n < 498; n++) limiter.answered()
    expect(limiter.trouble).not.toBeNull()
    limiter.answered()
    expect(limiter.trouble).toBeNull()
    expect(limiter.refusal()).toBeNull()
  })

  test('so does a connection that lasts', () => {
    clock.advance(45_000)
    expect(limiter.trouble).not.toBeNull()
    clock.advance(1000)
    expect(limiter.trouble).toBeNull()
  })

  test('a clock that is put back makes nobody wait longer', () => {
    const asked = limiter.refusal()?.afterMs
    expect(asked).toBeGreaterThan(0)
    clock.set(clock.now() - 86_400_000)
    expect(limiter.refusal()?.afterMs).toBe(asked)
  })
})

describe('connections on which nothing was answered in time', () => {
  const silent = (reason: string): void => {
    clock.advance(15_000)
    limiter.opened()
    limiter.lost(reason, 0)
  }

  test('are told of when it is the third in a row', () => {
    silent('deadline')
    silent('deadline')
    expect(limiter.trouble).toBeNull()
    silent('deadline')
    expect(limiter.trouble).toBe('it answers nothing: on 3 connections in a row no request was answered in time')
    expect(limiter.refusal()).toBeNull()
    limiter.answered()
    expect(limiter.trouble).toBeNull()
  })

  test('are told of by their flow-control window where that is seen', () => {
    for (let n = 0; n < 3; n++) silent('deadline: its flow-control window stays closed')
    expect(limiter.trouble).toBe('it takes no data: its flow-control window stays closed')
  })

  test('are not told of where others before were answered', () => {
    for (let n = 0; n < 5; n++) {
      limiter.opened()
      limiter.answered()
      limiter.lost('deadline', 1)
    }
    expect(limiter.trouble).toBeNull()
  })
})
