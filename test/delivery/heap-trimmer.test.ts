import { expect, test } from 'bun:test'
import { createHeapTrimmer } from '../../src/delivery/heap-trimmer.ts'

/** Each collection takes `collectMs`. */
function start(collectMs: number) {
  let now = 0
  let collections = 0
  const sent = createHeapTrimmer({ monotonic: () => now }, () => {
    collections++
    now += collectMs
  })
  return {
    sent,
    collections: () => collections,
    wait: (ms: number) => void (now += ms),
  }
}

test('the heap is collected after every 7,500 sends, and not before', () => {
  const { sent, collections } = start(0)
  sent(7499)
  expect(collections()).toBe(0)
  sent(1)
  expect(collections()).toBe(1)
  for (let sends = 0; sends < 75_000; sends += 100) sent(100)
  expect(collections()).toBe(11)
})

test('a heap that takes long is collected less often: a quarter of the time at most', () => {
  const { sent, collections, wait } = start(100)
  sent(7500)
  wait(299)
  sent(7500)
  expect(collections()).toBe(1)
  wait(1)
  sent(1)
  expect(collections()).toBe(2)
})
