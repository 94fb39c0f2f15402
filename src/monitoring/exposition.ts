import type { Histogram } from './histogram.ts'

export type SeriesLabels = Readonly<Record<string, string>>

export interface Family {
  /** Prometheus' conventions: base units, `_total` at the end of a counter. */
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: readonly MetricSample[]
}

export interface MetricSample {
  readonly labels: SeriesLabels
  readonly value: number
  /** Appended to the family's name. */
  readonly suffix?: string
}

/** The version that every scraper reads (prometheus.io, "Exposition formats"). */
export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** A family without samples keeps its HELP and TYPE. */
export function exposition(families: readonly Family[]): string {
  let text = ''
  for (const { name, type, help, samples } of families) {
    text += `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`
    for (const { suffix = '', labels, value } of samples) text += `${name}${suffix}${braced(labels)} ${textOf(value)}\n`
  }
  return text
}

type Series = readonly (readonly [SeriesLabels, number])[]

/** A plain number is one series without labels. */
export function counter(name: `${string}_total`, help: string, series: Series | number): Family {
  return { name, type: 'counter', help, samples: samplesOf(series) }
}

export function gauge(name: string, help: string, series: Series | number): Family {
  return { name, type: 'gauge', help, samples: samplesOf(series) }
}

export function histogram(name: string, help: string, series: readonly (readonly [SeriesLabels, Histogram])[]): Family {
  return {
    name,
    type: 'histogram',
    help,
    samples: series.flatMap(([labels, histogram]) => samplesOfHistogram(labels, histogram)),
  }
}

function samplesOf(series: Series | number): MetricSample[] {
  if (typeof series === 'number') return [{ labels: {}, value: series }]
  return series.map(([labels, value]) => ({ labels, value }))
}

/** Prometheus' buckets are cumulative; `+Inf` counts all values. */
function samplesOfHistogram(labels: SeriesLabels, { bounds, counts, sum }: Histogram): MetricSample[] {
  let count = 0
  const buckets = counts.map((inBucket, at) => {
    count += inBucket
    const le = textOf(bounds[at] ?? Number.POSITIVE_INFINITY)
    return { suffix: '_bucket', labels: { ...labels, le }, value: count }
  })
  return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: count }]
}

function braced(labels: SeriesLabels): string {
  let inside = ''
  for (const name in labels) {
    const value = labels[name]
    if (value !== undefined) inside += `${inside === '' ? '' : ','}${name}="${escapeLabel(value)}"`
  }
  return inside === '' ? '' : `{${inside}}`
}

function textOf(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  if (value === Number.NEGATIVE_INFINITY) return '-Inf'
  return String(value)
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`)
}

function escapeLabel(text: string): string {
  return /[\\"\n]/.test(text) ? escapeHelp(text).replaceAll('"', String.raw`\"`) : text
}
