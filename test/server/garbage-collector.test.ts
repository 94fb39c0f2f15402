import { expect, test } from 'bun:test'
import { garbageCollector } from '../../src/server/sending/garbage-collector.ts'
import { createFakeClock } from '../support/fake-clock.ts'

function collecting() {
  const clock = createFakeClock()
  const calls = { count: 0 }
  const ways: string[] = []
  const collect = garbageCollector(clock, calls, {
    fully: () => ways.push('fully'),
    inBackground: () => ways.push('in background'),
  })
  const pass = (ms: number, made: number): void => {
    clock.advance(ms)
    calls.count += made
    collect()
  }
  return { ways, pass }
}

test('garbage is collected fully while there are fewer than 50 calls a second', () => {
  const { ways, pass } = collecting()
  pass(1000, 49)
  pass(2000, 99)
  expect(ways).toEqual(['fully', 'fully'])
})

test('it is collected in the background from 50 calls a second on, and fully again when they have ended', () => {
  const { ways, pass } = collecting()
  pass(1000, 50)
  pass(100, 0)
  pass(900, 0)
  expect(ways).toEqual(['in background', 'in background', 'fully'])
})
