import { expect, test } from 'bun:test'
import { openRegistry } from '../support/registry.ts'

const KEEP_MS = 90 * 24 * 60 * 60 * 1000

/** `count` tokens of application 1 and one of application 2, declared gone at 1000, 1001 …, two at a time. */
function openWithFeedback(count: number) {
  const registry = openRegistry()
  const { devices, database } = registry
  database.transact(() => {
    for (let number = 0; number <= count; number++) {
      const token = number % 3 === 0 ? `text-${number}` : number.toString(16).padStart(8, '0')
      const application = number === count ? 2 : 1
      const outcome = devices.register(application, { token, platform: number % 2 === 0 ? 0 : 1 })
      if (outcome.kind !== 'created') throw new Error(outcome.kind)
      const now = 1000 + Math.floor(number / 2)
      devices.markGone(outcome.device.id, { since: Infinity, now, reason: 'Unregistered' })
    }
  })
  return registry
}

test('tokens the gateways declared gone are listed newest first, each once, however many', () => {
  using registry = openWithFeedback(1101)
  const entries = [...registry.feedback.list(1)]
  expect(entries).toHaveLength(1101)
  expect(new Set(entries.map(({ token }) => token)).size).toBe(1101)
  expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted((a, b) => b - a))
  expect(entries[0]).toEqual({ token: '0000044c', platform: 0, reason: 'Unregistered', at: 1550 })
})

test('since leaves out what is older', () => {
  using registry = openWithFeedback(10)
  expect([...registry.feedback.list(1, 1003)].map(({ at }) => at)).toEqual([1004, 1004, 1003, 1003])
})

test('what is older than ninety days is forgotten, one application after the other', () => {
  using registry = openWithFeedback(10)
  expect(registry.feedback.sweep(1004 + KEEP_MS, 0)).toBe(1)
  expect([...registry.feedback.list(1)].map(({ at }) => at)).toEqual([1004, 1004])
  expect(registry.feedback.sweep(9999 + KEEP_MS, 1)).toBe(2)
  expect([...registry.feedback.list(1)].map(({ at }) => at)).toEqual([1004, 1004])
  expect([...registry.feedback.list(2)]).toEqual([])
  expect(registry.feedback.sweep(9999 + KEEP_MS, 2)).toBeNull()
})

test('a hundred entries at a time', () => {
  using registry = openWithFeedback(150)
  expect(registry.feedback.sweep(9999 + KEEP_MS, 0)).toBe(0)
  expect([...registry.feedback.list(1)]).toHaveLength(50)
  expect(registry.feedback.sweep(9999 + KEEP_MS, 0)).toBe(1)
  expect([...registry.feedback.list(1)]).toEqual([])
})
