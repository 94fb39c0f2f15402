import { expect, test } from 'bun:test'
import { retryAfterMs } from '../../src/network/retry-after.ts'

const NOW = Date.UTC(2026, 10, 20, 12)

test.each([
  ['120', 120_000],
  ['0', 0],
  ['1.5', 1500],
  [' 7 ', 7000],
  ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
  ['Fri, 20 Nov 2026 11:59:00 GMT', 0],
  ['999999999', 86_400_000],
  ['Sat, 20 Nov 2027 12:00:00 GMT', 86_400_000],
])('Retry-After: %s asks for %d ms', (header, ms) => {
  expect(retryAfterMs(header, NOW)).toBe(ms)
})

test.each([null, '', 'soon', '-5x'])('Retry-After: %p asks for nothing', (header) => {
  expect(retryAfterMs(header, NOW)).toBeNull()
})
