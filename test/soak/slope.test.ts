import { describe, expect, test } from 'bun:test'
import { chance } from '../support/chance.ts'
import { grows, inBins, slopeOf } from './slope.ts'
import type { Point } from './slope.ts'

const points = (count: number, value: (n: number) => number): Point[] =>
  Array.from({ length: count }, (_, n) => ({ at: n, value: value(n) }))

/** Between -1 and 1. */
const noise = (n: number) => 2 * chance(7, 'noise', n) - 1

describe('the slope', () => {
  test('of a straight line is its own, without a doubt', () => {
    expect(slopeOf(points(20, (n) => 5 + 3 * n))).toEqual({ median: 3, least: 3, most: 3, level: 33.5 })
  })

  test('of what stays the same is none', () => {
    expect(slopeOf(points(10, () => 4))).toEqual({ median: 0, least: 0, most: 0, level: 4 })
  })

  test('is the median of all pairs, as by hand', () => {
    // -0.15 -0.13 -0.08 -0.07 -0.0575 | -0.055 -0.045 -0.0333 0.01 0.04
    const slope = slopeOf([1.26, 1.27, 1.12, 1.16, 1.03].map((value, n) => ({ at: n + 1, value })))
    expect(slope?.median).toBeCloseTo(-0.05625, 10)
  })

  test('stands a third of wild values', () => {
    const slope = slopeOf(points(60, (n) => (n % 3 === 0 ? 1e6 * noise(n) : 100 + 2 * n)))
    expect(slope?.median).toBeGreaterThan(1.5)
    expect(slope?.median).toBeLessThan(2.5)
  })

  test('of noise is none that is sure', () => {
    const slope = slopeOf(points(60, (n) => 100 + 10 * noise(n)))
    expect(slope?.least).toBeLessThan(0)
    expect(slope?.most).toBeGreaterThan(0)
  })

  test('of fewer than three points, or of one moment, is unknown', () => {
    expect(slopeOf(points(2, (n) => n))).toBeNull()
    expect(slopeOf([1, 2, 3].map((value) => ({ at: 0, value })))).toBeNull()
  })
})

describe('values grow', () => {
  const isGrowing = (all: readonly Point[], share: number) => {
    const slope = slopeOf(all)
    return slope !== null && grows(slope, all.length, share)
  }

  test('when it is sure, and enough to matter', () => {
    expect(
      isGrowing(
        points(60, (n) => 100 + n + 5 * noise(n)),
        0.05,
      ),
    ).toBe(true)
    expect(
      isGrowing(
        points(60, (n) => 100 + n / 100),
        0.05,
      ),
    ).toBe(false)
    expect(
      isGrowing(
        points(60, (n) => 100 + n / 100),
        0,
      ),
    ).toBe(true)
  })

  test('not when they fall, or only swing', () => {
    expect(
      isGrowing(
        points(60, (n) => 100 - n),
        0,
      ),
    ).toBe(false)
    expect(
      isGrowing(
        points(60, (n) => 100 + 30 * (n % 7)),
        0,
      ),
    ).toBe(false)
  })

  test('not by one step among many values', () => {
    expect(
      isGrowing(
        points(60, (n) => (n < 5 ? 80 : 100)),
        0,
      ),
    ).toBe(false)
  })

  test('in a staircase, such as a file that is made longer now and then', () => {
    expect(
      isGrowing(
        points(60, (n) => 100 + 20 * Math.floor(n / 10)),
        0.05,
      ),
    ).toBe(true)
  })
})

describe('points in bins', () => {
  test('are as many as asked for, each the median of its share of the time', () => {
    expect(
      inBins(
        points(9, (n) => (n === 4 ? 1000 : n)),
        4,
      ),
    ).toEqual([
      { at: 0.5, value: 0.5 },
      { at: 2.5, value: 2.5 },
      { at: 4.5, value: 502.5 },
      { at: 7, value: 7 },
    ])
  })

  test('are none of none, and one of one moment', () => {
    expect(inBins([], 5)).toEqual([])
    expect(inBins([{ at: 3, value: 1 }], 5)).toEqual([{ at: 3, value: 1 }])
  })
})
