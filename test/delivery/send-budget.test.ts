import { expect, test } from 'bun:test'
import { createSendBudget } from '../../src/delivery/send-budget.ts'
import type { SendBudget } from '../../src/delivery/send-budget.ts'

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Sends all it may at each turn, and notes how many. */
function eager(budget: SendBudget, want: number) {
  const sent: number[] = []
  let left = want
  const pump = () => {
    let now = 0
    while (left > 0 && budget.take(pump)) {
      left--
      now++
    }
    sent.push(now)
  }
  return { pump, sent }
}

test('a sender with a thousand to send lets the event loop go on in between', async () => {
  const budget = createSendBudget()
  const { pump, sent } = eager(budget, 1000)
  pump()
  let turns = 0
  for (; sent.reduce((sum, one) => sum + one, 0) < 1000; turns++) await nextTurn()
  expect(Math.max(...sent)).toBe(128)
  expect(turns).toBeGreaterThanOrEqual(7)
})

test('what a turn has left is for all: several share the next one evenly', async () => {
  const budget = createSendBudget()
  const senders = Array.from({ length: 4 }, () => eager(budget, 10_000))
  for (const { pump } of senders) pump()
  expect(senders.map(({ sent }) => sent)).toEqual([[128], [0], [0], [0]])
  await nextTurn()
  expect(senders.map(({ sent }) => sent.at(-1))).toEqual([32, 32, 32, 32])
})

test('more senders than a turn has sends all get theirs, one after the other', async () => {
  const budget = createSendBudget()
  const senders = Array.from({ length: 300 }, () => eager(budget, 2))
  for (const { pump } of senders) pump()
  const done = () => senders.every(({ sent }) => sent.reduce((sum, one) => sum + one, 0) === 2)
  for (let turns = 0; turns < 20 && !done(); turns++) await nextTurn()
  expect(done()).toBe(true)
})

test('what takes five times as long is sent a fifth as often in a turn', async () => {
  const budget = createSendBudget()
  let sent = 0
  while (budget.take(() => undefined, 5)) sent++
  expect(sent).toBe(26)
  await nextTurn()
  expect(budget.take(() => undefined, 5)).toBe(true)
})
