import { expect, test } from 'bun:test'
import { cellOf, markdownReport, verdictOf } from '../../scripts/benchmark/report/report.ts'
import type { Section, Target } from '../../scripts/benchmark/report/result.ts'

const SPEED: Target = {
  what: 'speed',
  value: 0.7,
  unit: '×',
  digits: 2,
  better: 'more',
  required: 0.65,
  aim: 0.9,
}

const SECTION: Section = {
  title: 'Send',
  conditions: 'Two senders.',
  columns: [
    { key: 'perSecond', label: 'pushes/s', digits: 0 },
    { key: 'peakMb', label: 'peak RSS MB', digits: 1 },
  ],
  rows: [
    { name: 'Bellhop', values: { perSecond: [61_000, 59_500, 60_250], peakMb: [88.04] } },
    { name: 'h2load', values: { perSecond: [300_000] } },
  ],
  notes: ['Go clients: there is no Go here.'],
  targets: [SPEED],
}

test('a cell has the median and the spread, of one figure that figure, and of none nothing', () => {
  expect(cellOf([3, 1, 2], 1)).toBe('2.0 (1.0–3.0)')
  expect(cellOf([1234], 0)).toBe('1,234')
  expect(cellOf([1.04, 1.01], 1)).toBe('1.0')
  expect(cellOf(undefined, 1)).toBe('')
})

test('a goal that is met exactly is reached, whichever way is better', () => {
  expect(verdictOf({ ...SPEED, value: 0.9 })).toBe('aim reached')
  expect(verdictOf({ ...SPEED, value: 0.65 })).toBe('reached')
  expect(verdictOf({ ...SPEED, value: 0.64 })).toBe('missed')
  const size: Target = { ...SPEED, better: 'less', required: 160, aim: 110 }
  expect(verdictOf({ ...size, value: 110 })).toBe('aim reached')
  expect(verdictOf({ ...size, value: 160 })).toBe('reached')
  expect(verdictOf({ ...size, value: 161 })).toBe('missed')
  expect(verdictOf({ ...SPEED, value: Number.NaN })).toBe('missed')
})

test('the report has what it ran on, what failed, the goals, and a table for each part', () => {
  const report = markdownReport({
    conditions: [['CPU', 'a slow one']],
    sections: [SECTION],
    failures: [{ name: 'live', why: 'the service did not get ready' }],
  })
  expect(report).toBe(`| conditions |  |
| --- | --- |
| CPU | a slow one |

**live could not be finished:** the service did not get ready

## Targets

| figure | measured | required | aim |  |
| --- | ---: | ---: | ---: | --- |
| speed | 0.70× | ≥ 0.65× | ≥ 0.90× | reached |

## Send

Two senders.

|  | pushes/s | peak RSS MB |
| --- | ---: | ---: |
| Bellhop | 60,250 (59,500–61,000) | 88.0 |
| h2load | 300,000 |  |

- Go clients: there is no Go here.
`)
})
