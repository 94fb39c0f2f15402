import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { startBusyService } from './busy-service.ts'
import type { BusyService } from './busy-service.ts'
import type { ReadFamily } from './read-exposition.ts'

/* Files in scripts/monitoring must use existing metrics, labels and values. */
const folder = join(import.meta.dir, '..', '..', 'scripts', 'monitoring')
const rules = Bun.YAML.parse(await Bun.file(join(folder, 'alerts.yaml')).text()) as {
  groups: {
    rules: { alert: string; expr: string; labels: Record<string, string>; annotations: Record<string, string> }[]
  }[]
}
const dashboard = (await Bun.file(join(folder, 'grafana-dashboard.json')).json()) as {
  panels: { id: number; title: string; gridPos: object; targets?: { expr: string }[] }[]
  templating: { list: { definition?: string }[] }
  annotations: { list: { expr: string }[] }
}

const alerts = rules.groups.flatMap((group) => group.rules)
const shown = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ...dashboard.templating.list.flatMap(({ definition }) =>
    definition === undefined ? [] : [['variable', definition] as const],
  ),
  ...dashboard.annotations.list.map(({ expr }) => ['annotation', expr] as const),
]
const expressions = [...alerts.map(({ alert, expr }) => [alert, expr] as const), ...shown]

let busy: BusyService
let families: ReadonlyMap<string, ReadFamily>

beforeAll(async () => {
  busy = await startBusyService()
  ;({ families } = await busy.scrape())
})
afterAll(() => busy[Symbol.asyncDispose]())

const familyOf = (metric: string) =>
  families.get(metric) ??
  (/_(bucket|sum|count)$/.test(metric) ? families.get(metric.replace(/_(bucket|sum|count)$/, '')) : undefined)

/** Added by the scraper. */
const SCRAPED = new Set(['job', 'instance'])

/** The metrics of an expression, each with its label matchers: `x{a="b",c=~"d|e"}`. */
function metricsIn(expr: string): { metric: string; matchers: { label: string; operator: string; value: string }[] }[] {
  return [...expr.matchAll(/\b((?:bellhop|process)_[a-z_]+)(?:\{([^}]*)\})?/g)].map(([, metric = '', inside = '']) => ({
    metric,
    matchers: [...inside.matchAll(/([a-z]+)(=~|!~|!=|=)"([^"]*)"/g)].map(
      ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
    ),
  }))
}

describe('every expression of the alert rules and of the dashboard', () => {
  for (const [name, expr] of expressions) {
    test(`${name}: ${expr.slice(0, 60)}`, () => {
      const metrics = metricsIn(expr)
      if (metrics.length === 0) expect(expr).toBe('up{job="bellhop"} == 0')
      for (const { metric, matchers } of metrics) {
        const family = familyOf(metric)
        expect([metric, family !== undefined]).toEqual([metric, true])
        if (family === undefined || family.series.length === 0) continue
        expect([metric, family.series.some((series) => series.name === metric)]).toEqual([metric, true])
        for (const { label, operator, value } of matchers.filter(({ label }) => !SCRAPED.has(label))) {
          const values = new Set(family.series.map(({ labels }) => labels[label]))
          expect([metric, label, values.has(undefined)]).toEqual([metric, label, false])
          // Any code may occur, and the dashboard may pick any application.
          if (label === 'code' || value.startsWith('$')) continue
          for (const one of operator.endsWith('~') ? value.split('|') : [value]) {
            expect([metric, label, one, values.has(one)]).toEqual([metric, label, one, true])
          }
        }
      }
    })
  }

  test('groups and joins by labels that there are', () => {
    const known = new Set(
      [...families.values()].flatMap(({ series }) => series.flatMap(({ labels }) => Object.keys(labels))),
    )
    for (const [, expr] of expressions) {
      for (const [, list = ''] of expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)) {
        for (const label of list.split(', '))
          expect([expr, label, known.has(label) || SCRAPED.has(label)]).toEqual([expr, label, true])
      }
    }
  })
})

test('every metric is in a rule or on the dashboard', () => {
  const used = new Set(
    expressions.flatMap(([, expr]) => metricsIn(expr).map(({ metric }) => metric.replace(/_(bucket|sum|count)$/, ''))),
  )
  expect([...families.keys()].filter((name) => !used.has(name))).toEqual([])
})

describe('each alert', () => {
  for (const { alert, labels, annotations } of alerts) {
    test(`${alert} says how bad it is, what it is, and what to do`, () => {
      expect(alert).toMatch(/^Bellhop[A-Z][A-Za-z]+$/)
      expect(['critical', 'warning']).toContain(labels['severity'] ?? '')
      expect(annotations['summary']).toMatch(/^\S.*\.$/)
      expect(annotations['description']).toMatch(/^[A-Z/"].*\.$/)
    })
  }

  test('has a name of its own', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length)
  })
})

test('panels have an id each, and lie beside each other', () => {
  const { panels } = dashboard
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  expect(new Set(panels.map(({ gridPos }) => JSON.stringify(gridPos))).size).toBe(panels.length)
})
