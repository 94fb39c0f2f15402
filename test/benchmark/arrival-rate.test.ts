import { expect, test } from 'bun:test'
import { rampOf } from '../../scripts/benchmark/measure/arrival-rate.ts'
import { quantile } from '../../scripts/benchmark/measure/quantile.ts'

const EVERY_MS = 10

/** Samples of a sender that does `rates[k]` requests a second in the k-th 10 ms. */
function samplesOf(rates: readonly number[]) {
  let requests = 0
  const later = rates.map((rate, index) => ({
    atMs: 5000 + (index + 1) * EVERY_MS,
    requests: (requests += (rate * EVERY_MS) / 1000),
  }))
  return [{ atMs: 5000, requests: 0 }, ...later]
}

const WHERE = { startMs: 4990, limit: 1000, roundTripMs: 20 }

test('the ramp ends where two round trips in a row are at nine tenths of the limit', () => {
  const rates = [...Array(10).fill(100), ...Array(20).fill(1000)]
  expect(rampOf(samplesOf(rates), WHERE)).toEqual({ rampMs: 110, steady: 1000 })
})

test('one burst of answers is not full speed', () => {
  const rates = [...Array(10).fill(100), 1200, ...Array(20).fill(100)]
  expect(rampOf(samplesOf(rates), WHERE)).toEqual({ rampMs: null, steady: null })
})

test('a quantile is the smallest value that so many do not exceed', () => {
  const hundred = Array.from({ length: 100 }, (_, n) => 100 - n)
  expect(quantile(hundred, 0.5)).toBe(50)
  expect(quantile(hundred, 0.99)).toBe(99)
  expect(quantile(hundred, 1)).toBe(100)
  expect(quantile([7], 0.99)).toBe(7)
  expect(quantile([], 0.5)).toBeNaN()
})
