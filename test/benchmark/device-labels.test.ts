import { expect, test } from 'bun:test'
import { audienceSize, tagsOf } from '../../scripts/benchmark/setup/device-labels.ts'

test.each([1000, 10_000, 1_000_000])('of %d devices exactly 1,000 are rare, evenly spread', (count) => {
  const rare = Array.from({ length: count }, (_, n) => n).filter((n) => tagsOf(n, count).includes('rare'))
  expect(rare).toHaveLength(1000)
  expect(new Set(rare.map((n) => Math.floor(n / (count / 1000)))).size).toBe(1000)
  // Not all in one group or segment, which a push to both would not tell from one of them.
  expect(new Set(rare.map((n) => n % 50)).size).toBeGreaterThanOrEqual(10)
})

test('the size of an audience counts every device that matches, once', () => {
  expect(audienceSize({ tags: ['group-7'] }, 10_000)).toBe(200)
  expect(audienceSize({ tags: ['group-7'], except_tags: ['segment-57'] }, 10_000)).toBe(190)
  expect(audienceSize({ tags: ['group-7', 'segment-57'] }, 10_000)).toBe(200)
  expect(audienceSize({ tags: ['group-7', 'segment-57'], tags_match: 'all' }, 10_000)).toBe(10)
  expect(audienceSize({ tags: ['nobody'] }, 10_000)).toBe(0)
})
