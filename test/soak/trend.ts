import { grows, inBins, slopeOf } from './slope.ts'
import type { Point } from './slope.ts'

/** Values that should not grow. */
export interface Figure {
  readonly name: string
  /** `MB`; `''` for a count. */
  readonly unit: string
  /** `at` in ms. */
  readonly points: readonly Point[]
  /** Allowed growth over the time watched: 0.05 is a twentieth of the level. */
  readonly share: number
}

export interface Trend {
  readonly name: string
  readonly unit: string
  /** Median. */
  readonly level: number
  readonly highest: number
  /** Growth in an hour, with 95 % confidence. */
  readonly hourly: { readonly median: number; readonly least: number; readonly most: number }
  readonly grows: boolean
  /** Medians of tenths of the time: they show whether growth ends. */
  readonly tenths: readonly number[]
}

const BINS = 40

const HOUR_MS = 3_600_000

/** `null`: too few values. */
export function trendOf({ name, unit, points, share }: Figure): Trend | null {
  const bins = inBins(points, BINS)
  const slope = slopeOf(bins)
  const [first, last] = [points[0], points.at(-1)]
  if (slope === null || first === undefined || last === undefined) return null
  return {
    name,
    unit,
    level: slope.level,
    highest: Math.max(...points.map(({ value }) => value)),
    hourly: { median: slope.median * HOUR_MS, least: slope.least * HOUR_MS, most: slope.most * HOUR_MS },
    grows: grows(slope, last.at - first.at, share),
    tenths: inBins(points, 10).map(({ value }) => value),
  }
}

/** A table in Markdown. `per`: the meaning of an hour. */
export function trendTable(trends: readonly Trend[], per = 'an hour'): string {
  const rows = trends.map(({ name, unit, level, highest, hourly: { median, least, most }, grows }) => {
    const [low, high] = [signed(least), signed(most)]
    const range = `${signed(median)} (${low} to ${high})`
    return `| ${name} | ${figure(level, unit)} | ${figure(highest, unit)} | ${range} | ${grows ? '**grows**' : 'flat'} |`
  })
  return [`| What | Median | Highest | In ${per} (95 %) | |`, '| --- | --- | --- | --- | --- |', ...rows].join('\n')
}

/** The values of a growing figure, in order. */
export function courseOf({ name, tenths }: Trend): string {
  return `${name}: grows (${tenths.map(round).join(', ')})`
}

function figure(value: number, unit: string): string {
  return `${round(value)}${unit === '' ? '' : ` ${unit}`}`
}

function signed(value: number): string {
  const rounded = round(value)
  return rounded > 0 ? `+${rounded}` : String(rounded)
}

function round(value: number): number {
  return Number(value.toPrecision(3)) + 0
}
