import { expect, test } from 'bun:test'
import { Deadlines } from '../../../src/gateway/transport/deadlines.ts'
import { createFakeClock } from '../../support/fake-clock.ts'

function start(deadlineMs: number) {
  const clock = createFakeClock()
  const late: string[] = []
  const deadlines: Deadlines<Call> = new Deadlines(clock, deadlineMs, (call) => {
    late.push(call.name)
    deadlines.delete(call)
  })
  return { clock, late, deadlines }
}

interface Call {
  readonly name: string
}

test('a call is late when its time is up, and at most an eighth after that', () => {
  const { clock, late, deadlines } = start(8000)
  deadlines.add({ name: 'a' })
  clock.advance(8000)
  expect(late).toEqual([])
  clock.advance(1000)
  expect(late).toEqual(['a'])
})

test('each call has its own deadline, and one that is over has none', () => {
  const { clock, late, deadlines } = start(8000)
  const over = { name: 'over' }
  deadlines.add({ name: 'a' })
  deadlines.add(over)
  clock.advance(4000)
  deadlines.add({ name: 'b' })
  deadlines.delete(over)
  clock.advance(5000)
  expect(late).toEqual(['a'])
  clock.advance(4000)
  expect(late).toEqual(['a', 'b'])
})

test('a clock that is put forward makes nothing late', () => {
  const { clock, late, deadlines } = start(8000)
  deadlines.add({ name: 'a' })
  clock.set(clock.now() + 86_400_000)
  clock.advance(1000)
  expect(late).toEqual([])
  clock.advance(8000)
  expect(late).toEqual(['a'])
})

test('no timer runs while there are no calls', () => {
  const { clock, deadlines } = start(8000)
  const call = { name: 'a' }
  deadlines.add(call)
  deadlines.delete(call)
  clock.advance(1000)
  let timers = 0
  const { after } = clock
  clock.after = (delayMs, callback) => {
    timers++
    return after(delayMs, callback)
  }
  clock.advance(60_000)
  expect(timers).toBe(0)
})
