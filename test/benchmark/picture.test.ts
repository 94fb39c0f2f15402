import { expect, test } from 'bun:test'
import { barPicture, barsOf } from '../../scripts/benchmark/report/picture.ts'
import type { Section } from '../../scripts/benchmark/report/result.ts'

const SECTION: Section = {
  title: 'Send',
  conditions: '',
  columns: [{ key: 'perSecond', label: 'pushes/s', digits: 0 }],
  rows: [
    { name: 'slow <client>', values: { perSecond: [9000, 11_000, 10_000] } },
    { name: 'wire', role: 'limit', values: { perSecond: [300_000] } },
    { name: 'fast', values: { perSecond: [80_000] } },
    { name: 'Bellhop', role: 'service', values: { perSecond: [60_000] } },
    { name: 'not measured', values: {} },
  ],
  notes: [],
  targets: [],
}

test('the service comes first, the others from the fastest to the slowest, limits last; nothing is drawn of no figure', () => {
  expect(barsOf(SECTION, 'perSecond').map(({ name }) => name)).toEqual(['Bellhop', 'fast', 'slow <client>', 'wire'])
})

test('lengths are in proportion to medians, and only a limit that dwarfs them is cut', () => {
  const [service, fast, slow, wire] = barsOf(SECTION, 'perSecond')
  expect(service?.length).toBeCloseTo((fast?.length ?? 0) * 0.75)
  expect(slow?.length).toBeCloseTo((fast?.length ?? 0) / 8)
  expect([service, wire, fast, slow].map((bar) => bar?.cut)).toEqual([false, true, false, false])
  expect(wire?.length).toBeCloseTo((fast?.length ?? 0) * 1.25)
})

test('the picture says in words what it shows, and needs nothing from outside', () => {
  const svg = barPicture(SECTION, 'perSecond', { title: 'Pushes a second', caption: 'On one machine.' })
  expect(svg).toContain('<title id="title">Pushes a second</title>')
  expect(svg).toContain(
    'On one machine. Bellhop: 60,000; fast: 80,000; slow &lt;client>: 10,000; wire: 300,000.</desc>',
  )
  expect(svg).not.toMatch(/<script|href|url\(|@import/)
})
