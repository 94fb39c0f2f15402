import { beforeEach, describe, expect, test } from 'bun:test'
import { ConnectionBrake } from '../../../src/gateway/transport/connection-brake.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
import { times } from './ways.ts'

let clock: FakeClock
let brake: ConnectionBrake
beforeEach(() => {
  clock = createFakeClock()
  brake = new ConnectionBrake(clock)
})

/** Opens connections that bring so many answers each, as soon as that is allowed; how long each had to wait, in ms. */
function open(count: number, answers: number): number[] {
  return times(count, () => {
    const waitMs = brake.refusal()?.afterMs ?? 0
    clock.advance(waitMs)
    expect(brake.refusal()).toBeNull()
    brake.opened()
    for (let n = 0; n < answers; n++) brake.answered()
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
  expect(brake.connections).toBeLessThan(100)
})

test('connections that bring fifty answers each are never held up', () => {
  expect(open(1000, 50)).toEqual(times(1000, () => 0))
  expect(brake.trouble).toBeNull()
})

test('connections that are cut off after less than five hundred answers have earned nothing', () => {
  const cutOff = (answers: number): number => {
    const waitMs = brake.refusal()?.afterMs ?? 0
    clock.advance(waitMs)
    brake.opened()
    for (let n = 0; n < answers; n++) brake.answered()
    brake.lost('ECONNRESET', answers)
    return waitMs
  }
  expect(times(15, () => cutOff(499))).toEqual([...times(13, () => 0), 1000, 2000])
  expect(brake.trouble).toBe('it closes connections after 499 answers: at most one new connection every 4 s')
  expect(times(15, () => cutOff(500)).slice(1)).toEqual(times(14, () => 0))
  expect(brake.trouble).toBeNull()
})

test('connections that are cut off together lengthen the wait once, by the one that takes their place', () => {
  open(13, 0)
  const { afterMs } = brake.refusal() ?? {}
  for (let n = 0; n < 10; n++) brake.lost('ECONNRESET', 3)
  expect([afterMs, brake.refusal()?.afterMs]).toEqual([1000, 1000])
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
    expect(brake.refusal()).toEqual({ kind: 'failed', reason, sent: 'no', afterMs: 16_000 })
    expect(brake.trouble).toBe(reason)
    clock.advance(10_000)
    expect(brake.refusal()?.afterMs).toBe(6000)
  })

  test('five hundred answers on one connection release it', () => {
    for (let n = 0; n < 498; n++) brake.answered()
    expect(brake.trouble).not.toBeNull()
    brake.answered()
    expect(brake.trouble).toBeNull()
    expect(brake.refusal()).toBeNull()
  })

  test('so does a connection that lasts', () => {
    clock.advance(45_000)
    expect(brake.trouble).not.toBeNull()
    clock.advance(1000)
    expect(brake.trouble).toBeNull()
  })

  test('a clock that is put back makes nobody wait longer', () => {
    const asked = brake.refusal()?.afterMs
    expect(asked).toBeGreaterThan(0)
    clock.set(clock.now() - 86_400_000)
    expect(brake.refusal()?.afterMs).toBe(asked)
  })
})

describe('connections on which nothing was answered in time', () => {
  const silent = (reason: string): void => {
    clock.advance(15_000)
    brake.opened()
    brake.lost(reason, 0)
  }

  test('are told of when it is the third in a row', () => {
    silent('deadline')
    silent('deadline')
    expect(brake.trouble).toBeNull()
    silent('deadline')
    expect(brake.trouble).toBe('it answers nothing: on 3 connections in a row no request was answered in time')
    expect(brake.refusal()).toBeNull()
    brake.answered()
    expect(brake.trouble).toBeNull()
  })

  test('are told of by their flow-control window where that is seen', () => {
    for (let n = 0; n < 3; n++) silent('deadline: its flow-control window stays closed')
    expect(brake.trouble).toBe('it takes no data: its flow-control window stays closed')
  })

  test('are not told of where others before were answered', () => {
    for (let n = 0; n < 5; n++) {
      brake.opened()
      brake.answered()
      brake.lost('deadline', 1)
    }
    expect(brake.trouble).toBeNull()
  })
})
