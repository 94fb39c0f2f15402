import { describe, expect, test } from 'bun:test'
import { counter, exposition, gauge, histogram } from '../../src/monitoring/exposition.ts'
import { Histogram } from '../../src/monitoring/histogram.ts'
import { CallMetrics } from '../../src/monitoring/metrics.ts'
import { readExposition, valueOf } from './read-exposition.ts'

describe('the text of a scrape', () => {
  test('has HELP, TYPE and the samples of each family', () => {
    const families = [
      counter('bellhop_sent_total', 'What was sent.', [
        [{ application: 'shop', outcome: 'accepted' }, 3],
        [{ application: 'shop', outcome: 'gone' }, 0],
      ]),
      gauge('bellhop_open', 'What is open.', 1.5),
    ]
    expect(exposition(families)).toBe(
      [
        '# HELP bellhop_sent_total What was sent.',
        '# TYPE bellhop_sent_total counter',
        'bellhop_sent_total{application="shop",outcome="accepted"} 3',
        'bellhop_sent_total{application="shop",outcome="gone"} 0',
        '# HELP bellhop_open What is open.',
        '# TYPE bellhop_open gauge',
        'bellhop_open 1.5',
        '',
      ].join('\n'),
    )
  })

  test('keeps a family without samples', () => {
    expect(exposition([gauge('bellhop_x', 'None.', [])])).toBe('# HELP bellhop_x None.\n# TYPE bellhop_x gauge\n')
  })

  for (const name of ['a "quoted" name', String.raw`back\slash`, 'two\nlines', String.raw`\"n`, 'Zoë ☃', '{},= ']) {
    test(`gives back the label ${JSON.stringify(name)}`, () => {
      const text = exposition([gauge('bellhop_x', `Help with ${name}.`, [[{ application: name }, 1]])])
      expect(text.trimEnd().split('\n')).toHaveLength(3)
      expect(readExposition(text).get('bellhop_x')?.series[0]?.labels).toEqual({ application: name })
    })
  }

  test('writes numbers as Prometheus reads them', () => {
    const values = [0, -1, 1e-7, 1e21, 5_000_000_000, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN]
    const text = exposition(values.map((value) => gauge('bellhop_x', 'A number.', value)))
    const written = text.split('\n').filter((line) => line.startsWith('bellhop_x'))
    expect(written.map((line) => line.slice('bellhop_x '.length))).toEqual([
      '0',
      '-1',
      '1e-7',
      '1e+21',
      '5000000000',
      '+Inf',
      '-Inf',
      'NaN',
    ])
  })
})

describe('a histogram', () => {
  test('counts a value in every bucket whose bound is not below it', () => {
    const latency = new Histogram([0.1, 1, 10])
    for (const value of [0, 0.1, 0.100001, 1, 9.9, 10, 11, 1000]) latency.observe(value)
    const text = exposition([histogram('bellhop_latency_seconds', 'How long.', [[{ platform: 'ios' }, latency]])])
    const families = readExposition(text)
    const upTo = (le: string) => valueOf(families, 'bellhop_latency_seconds_bucket', { le })
    expect([upTo('0.1'), upTo('1'), upTo('10'), upTo('+Inf')]).toEqual([2, 4, 6, 8])
    expect(valueOf(families, 'bellhop_latency_seconds_count', { platform: 'ios' })).toBe(8)
    expect(valueOf(families, 'bellhop_latency_seconds_sum')).toBeCloseTo(1032.100001, 9)
  })

  test('of which nothing was seen has all its buckets', () => {
    const text = exposition([histogram('bellhop_x_seconds', 'None.', [[{}, new Histogram([1])]])])
    expect(text.split('\n').slice(2)).toEqual([
      'bellhop_x_seconds_bucket{le="1"} 0',
      'bellhop_x_seconds_bucket{le="+Inf"} 0',
      'bellhop_x_seconds_sum 0',
      'bellhop_x_seconds_count 0',
      '',
    ])
  })
})

test('what is counted of calls does not grow with paths and methods that callers make up', () => {
  const calls = new CallMetrics()
  for (let n = 0; n < 1000; n++) calls.note(null, `METHOD${n}`, 404, 0.001)
  const { series } = readExposition(exposition(calls.families())).get('bellhop_http_requests_total') ?? {}
  expect(series).toEqual([
    { name: 'bellhop_http_requests_total', labels: { route: 'unknown', method: 'other', code: '404' }, value: 1000 },
  ])
})
