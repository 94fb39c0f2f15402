import { describe, expect, test } from 'bun:test'
import { createFakeClock } from './fake-clock.ts'

describe('the fake clock', () => {
  test('stands still until it is moved', () => {
    const clock = createFakeClock(1000)
    expect(clock.now()).toBe(1000)
    clock.advance(5)
    expect(clock.now()).toBe(1005)
  })

  test('runs timers in the order they come due, each at its own moment, also those that timers set', () => {
    const clock = createFakeClock(0)
    const ran: [string, number][] = []
    clock.after(30, () => ran.push(['late', clock.now()]))
    clock.after(10, () => {
      ran.push(['early', clock.now()])
      clock.after(10, () => ran.push(['nested', clock.now()]))
    })
    clock.after(10, () => ran.push(['second', clock.now()]))
    clock.after(31, () => ran.push(['never', clock.now()]))
    clock.advance(30)
    expect(ran).toEqual([
      ['early', 10],
      ['second', 10],
      ['nested', 20],
      ['late', 30],
    ])
  })

  test('does not run a timer that was cancelled', () => {
    const clock = createFakeClock(0)
    let ran = false
    clock.after(10, () => (ran = true))()
    clock.advance(10)
    expect(ran).toBe(false)
  })

  test('keeps the delay of a timer when the time of day is set', () => {
    const clock = createFakeClock(1000)
    const ran: number[] = []
    clock.after(10, () => ran.push(clock.now()))
    clock.set(500)
    expect(clock.now()).toBe(500)
    clock.advance(9)
    expect(ran).toEqual([])
    clock.advance(1)
    expect(ran).toEqual([510])
  })

  test('stands still with the process: what came due meanwhile runs once it goes on', () => {
    const clock = createFakeClock(1000)
    const ran: number[] = []
    clock.after(10, () => ran.push(clock.now()))
    clock.standStill(50)
    expect([clock.now(), clock.monotonic(), ran]).toEqual([1050, 50, []])
    clock.advance(1)
    expect(ran).toEqual([1050])
  })
})
