import { expect } from 'bun:test'

interface Series {
  /** Includes a histogram's suffix: `x_bucket`. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface ReadFamily {
  readonly type: string
  readonly help: string
  readonly series: readonly Series[]
}

const HELP = /^# HELP ([a-z][a-z0-9_]*) (\S.*)$/
const TYPE = /^# TYPE ([a-z][a-z0-9_]*) (counter|gauge|histogram)$/
const SAMPLE = /^([a-z][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-z][a-z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y

/**
 * A strict reader of Prometheus' text format 0.0.4: families are contiguous (HELP, TYPE, samples), series unique,
 * histograms complete, names conventional.
 */
export function readExposition(text: string): ReadonlyMap<string, ReadFamily> {
  expect(text.endsWith('\n')).toBe(true)
  const families = new Map<string, { type: string; help: string; series: Series[] }>()
  const seen = new Set<string>()
  let current = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const [, helped, help] = HELP.exec(line) ?? []
    if (helped !== undefined && help !== undefined) {
      if (families.has(helped)) throw new Error(`${helped} stands in two places`)
      families.set(helped, { type: '', help, series: [] })
      current = helped
      continue
    }
    const [, typed, type] = TYPE.exec(line) ?? []
    const family = families.get(current)
    if (typed !== undefined && type !== undefined) {
      if (typed !== current || family === undefined || family.type !== '') throw new Error(`a TYPE astray: ${line}`)
      family.type = type
      continue
    }
    const [, name, inside = '', value] = SAMPLE.exec(line) ?? []
    if (name === undefined || family === undefined || family.type === '') throw new Error(`astray: ${line}`)
    const suffixes = family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
    if (!suffixes.some((suffix) => name === current + suffix)) throw new Error(`of another family: ${line}`)
    const labels = readLabels(inside)
    const series = `${name}${keyOf(labels)}`
    if (seen.has(series)) throw new Error(`twice: ${line}`)
    seen.add(series)
    family.series.push({ name, labels, value: readValue(value ?? '') })
  }
  for (const [name, family] of families) checkFamily(name, family)
  return families
}

function readLabels(inside: string): Record<string, string> {
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < inside.length) {
    const at = LABEL.lastIndex
    const [, name, escaped] = LABEL.exec(inside) ?? []
    if (name === undefined || escaped === undefined) throw new Error(`no label: ${inside.slice(at)}`)
    if (name in labels) throw new Error(`a label twice: ${inside}`)
    labels[name] = escaped.replaceAll(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter))
  }
  return labels
}

function readValue(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY
  const value = Number(text)
  if (Number.isNaN(value)) throw new Error(`no number: ${text}`)
  return value
}

type Labels = Readonly<Record<string, string>>

/** Independent of the labels' order. */
function keyOf(labels: Labels): string {
  return Object.keys(labels)
    .toSorted()
    .map((name) => `${name}=${JSON.stringify(labels[name])}`)
    .join()
}

function withoutBound(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => name !== 'le'))
}

function checkFamily(name: string, { type, help, series }: ReadFamily): void {
  expect(name).toMatch(/^(bellhop|process)_/)
  expect(help).toMatch(/\.$/)
  expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter'])
  expect(name).not.toMatch(/_(ms|milliseconds|kilobytes|percent|minutes)(_|$)/)
  const own = new Set(series.map(({ labels }) => Object.keys(withoutBound(labels)).toSorted().join(',')))
  expect([name, own.size <= 1]).toEqual([name, true])
  if (type === 'counter') expect(series.every(({ value }) => value >= 0)).toBe(true)
  if (type === 'histogram') checkHistogram(name, series)
}

/** Buckets rise up to +Inf, which equals the count; the sum must be possible. */
function checkHistogram(name: string, series: readonly Series[]): void {
  const groups = Map.groupBy(series, ({ labels }) => keyOf(withoutBound(labels)))
  for (const group of groups.values()) {
    const buckets = group.filter((each) => each.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels }) => readValue(labels['le'] ?? ''))
    expect(bounds).toEqual(bounds.toSorted((a, b) => a - b))
    expect(new Set(bounds).size).toBe(bounds.length)
    expect(bounds.at(-1)).toBe(Number.POSITIVE_INFINITY)
    const counts = buckets.map(({ value }) => value)
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    const count = group.find((each) => each.name === `${name}_count`)?.value ?? -1
    const sum = group.find((each) => each.name === `${name}_sum`)?.value ?? -1
    expect(counts.at(-1)).toBe(count)
    const own = counts.map((upTo, at) => upTo - (counts[at - 1] ?? 0))
    const least = own.reduce((total, inBucket, at) => total + inBucket * (bounds[at - 1] ?? 0), 0)
    const most = own.reduce((total, inBucket, at) => total + (inBucket === 0 ? 0 : inBucket * (bounds[at] ?? 0)), 0)
    expect(sum).toBeGreaterThanOrEqual(least - 1e-9)
    expect(sum).toBeLessThanOrEqual(most + 1e-9)
  }
}

/** The value of the only series of a family, or of a histogram's `_count`, with these labels. */
export function valueOf(
  families: ReadonlyMap<string, ReadFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | null {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''))
  if (family === undefined) throw new Error(`there is no ${name}`)
  const found = family.series.filter(
    (each) => each.name === name && Object.entries(labels).every(([key, value]) => each.labels[key] === value),
  )
  if (found.length > 1) throw new Error(`${found.length} series of ${name} have ${JSON.stringify(labels)}`)
  return found[0]?.value ?? null
}
