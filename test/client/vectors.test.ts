import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import vectors from '../../src/client/vectors.json'

/** As the browser has it: a script without types. */
const CORE = join(import.meta.dir, '../../src/client/web/core.js')
const { begin, next, step } = (await import(CORE)) as {
  readonly begin: (platform: string) => State
  readonly step: (state: State, event: object, now: number, random: number) => Stepped
  readonly next: (state: State, now: number) => object | null
}

interface Stepped {
  readonly state: State
  readonly tell: object | null
}

interface State {
  readonly reports: readonly object[]
}

interface Case {
  readonly name: string
  readonly now?: number
  readonly random?: number
  readonly before: object
  readonly event?: { readonly kind: string }
  readonly after?: object
  readonly tell?: object
  readonly request: object | null
}

describe('the contract of the client libraries, in a browser', () => {
  const cases = vectors.cases as readonly Case[]

  test.each(cases.map((one) => [one.name, one] as const))(
    '%s',
    (_, { now = 1_000_000, random = 0.5, before, event, after = before, tell = null, request }) => {
      const first = begin('1')
      const from = { ...first, ...before }
      const copy = structuredClone(from)
      const found = event === undefined ? { state: from, tell: null } : step(from, event, now, random)
      expect(found).toEqual({ state: { ...first, ...after }, tell })
      expect(next(found.state, now)).toEqual(request)
      expect(from).toEqual(copy)
    },
  )

  test('keeps 200 reports, and drops the oldest', () => {
    let state = begin('2')
    for (let n = 0; n < 201; n++) ({ state } = step(state, { kind: 'report', id: `p${n}`, event: 'opened' }, n, 0))
    expect(state.reports).toHaveLength(200)
    expect(state.reports[0]).toEqual({ id: 'p1', event: 'opened', at: 1 })
  })

  test('has a case for each event, and for none', () => {
    const kinds = new Set(cases.map(({ event }) => event?.kind ?? 'none'))
    const all = ['none', 'token', 'set', 'login', 'logout', 'report', 'leave', 'answered', 'failed']
    expect([...kinds].toSorted((a, b) => a.localeCompare(b))).toEqual(all.toSorted((a, b) => a.localeCompare(b)))
  })
})
