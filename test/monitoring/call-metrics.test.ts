import { describe, expect, test } from 'bun:test'
import { CallMetrics } from '../../src/monitoring/metrics.ts'
import { exposition } from '../../src/monitoring/exposition.ts'
import { readExposition, valueOf } from './read-exposition.ts'

const read = (calls: CallMetrics) => readExposition(exposition(calls.families()))

describe('what is counted of calls', () => {
  test('is their route, method and status', () => {
    const calls = new CallMetrics()
    calls.note('/push/:id', 'GET', 200, 0.004)
    calls.note('/push/:id', 'GET', 404, 0.001)
    calls.note('/push/:id', 'DELETE', 200, 0.002)
    const families = read(calls)
    const total = (labels: Record<string, string>) => valueOf(families, 'bellhop_http_requests_total', labels)
    expect(total({ route: '/push/:id', method: 'GET', code: '200' })).toBe(1)
    expect(total({ method: 'GET', code: '404' })).toBe(1)
    expect(total({ method: 'DELETE' })).toBe(1)
    expect(valueOf(families, 'bellhop_http_request_duration_seconds_count', { method: 'GET' })).toBe(2)
  })

  test('does not grow with paths and methods that callers make up', () => {
    const calls = new CallMetrics()
    for (let n = 0; n < 1000; n++) calls.note(null, `METHOD${n}`, 404, 0.001)
    expect(read(calls).get('bellhop_http_requests_total')?.series).toEqual([
      { name: 'bellhop_http_requests_total', labels: { route: 'unknown', method: 'other', code: '404' }, value: 1000 },
    ])
  })
})
