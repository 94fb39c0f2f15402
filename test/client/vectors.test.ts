import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { CASES, holdVectors } from './hold-vectors.ts'
import type { Core } from './hold-vectors.ts'

/** As the browser loads them. */
const SCRIPTS = ['core.js', 'withdrawal.js'].map((name) => join(import.meta.dir, '../../src/client/web', name))
const load = async () => Object.assign({}, ...(await Promise.all(SCRIPTS.map((path) => import(path))))) as Core

describe('the contract of the client libraries, in a browser', () => {
  holdVectors(load)

  test('keeps 200 reports, and drops the oldest', async () => {
    const { begin, step } = await load()
    let state = begin('2')
    for (let n = 0; n < 201; n++) ({ state } = step(state, { kind: 'report', id: `p${n}`, event: 'opened' }, n, 0))
    expect(state.reports).toHaveLength(200)
    expect(state.reports[0]).toEqual({ id: 'p1', event: 'opened', at: 1 })
  })

  test('has a case for each event, and for none', () => {
    const kinds = new Set(CASES.map(({ event }) => event?.kind ?? 'none'))
    const all = ['none', 'token', 'set', 'login', 'logout', 'report', 'leave', 'answered', 'failed', 'resume']
    expect([...kinds].toSorted((a, b) => a.localeCompare(b))).toEqual(all.toSorted((a, b) => a.localeCompare(b)))
  })
})
