import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { nextGap, settleRange } from '../../../src/delivery/open/progress.ts'
import type { Progress, Range } from '../../../src/delivery/open/progress.ts'

const START: Progress = { upTo: 0, ahead: [] }

describe('progress is the lowest page not yet settled', () => {
  test('a page that settles in order moves it', () => {
    expect(settleRange(START, [1, 10])).toEqual({ upTo: 10, ahead: [] })
  })

  test('a page that settles early is kept beside it', () => {
    expect(settleRange(START, [11, 20])).toEqual({ upTo: 0, ahead: [[11, 20]] })
  })

  test('the page that was missing moves it past those that settled early', () => {
    const early = settleRange(settleRange(START, [11, 20]), [21, 30])
    expect(early.ahead).toEqual([[11, 30]])
    expect(settleRange(early, [1, 10])).toEqual({ upTo: 30, ahead: [] })
  })

  test('whatever the order, everything settled is behind progress or in ahead, and nothing else is', () => {
    const pages = fc
      .uniqueArray(fc.integer({ min: 0, max: 30 }))
      .map((starts) => starts.map((n): Range => [n * 3 + 1, n * 3 + 3]))
    fc.assert(
      fc.property(pages, (settled) => {
        const progress = settled.reduce(settleRange, START)
        const ids = new Set(settled.flatMap(([from]) => [from, from + 1, from + 2]))
        for (let id = 1; id <= 100; id++) {
          const known = id <= progress.upTo || progress.ahead.some(([from, to]) => id >= from && id <= to)
          expect(known).toBe(ids.has(id))
        }
      }),
      { numRuns: 500 },
    )
  })

  test('gap after gap, exactly what is not settled is read', () => {
    const pages = fc
      .uniqueArray(fc.integer({ min: 0, max: 30 }))
      .map((starts) => starts.map((n): Range => [n * 3 + 1, n * 3 + 3]))
    fc.assert(
      fc.property(pages, (settled) => {
        const progress = settled.reduce(settleRange, START)
        const done = new Set(settled.flatMap(([from]) => [from, from + 1, from + 2]))
        const read: number[] = []
        for (let cursor = 0; ;) {
          const gap = nextGap(progress, cursor, 100)
          if (gap === null) break
          for (let id = gap[0]; id <= gap[1]; id++) read.push(id)
          cursor = gap[1]
        }
        expect(read).toEqual(Array.from({ length: 100 }, (_, n) => n + 1).filter((id) => !done.has(id)))
      }),
      { numRuns: 500 },
    )
  })
})
