import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { runScenarios } from './run-scenario.ts'
import type { Result } from './run-scenario.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { SCENARIOS } from './scenarios/scenarios.ts'
import { programOf } from './stage/service.ts'
import type { Program } from './stage/service.ts'
import { makeTemplate } from './stage/template.ts'
import type { Template } from './stage/template.ts'

/* The short form of scripts/faults: a real process, real TLS and HTTP/2, a few faults, few devices, one seed. */

/** The longest first. */
const CHOSEN = ['untrusted', 'cut', 'clock-back', 'locked', 'disk-full', 'kill', 'sigterm', 'goaway-half', 'reset-2']

/** Whichever test comes first waits for as many scenarios as stand before its own, on a machine that may be slow. */
const LIMIT_MS = 180_000

const chosen = CHOSEN.flatMap((name) => SCENARIOS.filter((scenario) => scenario.name === name))
const ROUNDS = { rounds: 2, quick: true }
const needSources = chosen.filter(({ hindrance }) => hindrance?.({ ...ROUNDS, compiled: true }))
const results = new Map(chosen.map(({ name }) => [name, Promise.withResolvers<Result>()]))
let template: Template
let running: Promise<unknown>

beforeAll(async () => {
  // What scripts/test.ts has compiled, where it has.
  const program = programOf(process.env['TEST_BINARY'] ?? null)
  template = await makeTemplate(program, { ios: 700, android: 300 })
  const run = (some: readonly Scenario[], by: Program, jobs: number) =>
    runScenarios(some, {
      ...ROUNDS,
      template,
      program: by,
      seed: 1,
      jobs,
      compiled: by.compiled,
      onOpened: () => {},
      onRow: ({ scenario, result }) => results.get(scenario.name)?.resolve(result),
    })
  const others = chosen.filter((scenario) => !needSources.includes(scenario))
  running = Promise.all([run(others, program, 4), run(needSources, programOf(null), 1)])
  running.catch((error: unknown) => {
    for (const { reject } of results.values()) reject(error)
  })
})
afterAll(async () => {
  await running
  await template[Symbol.asyncDispose]()
}, LIMIT_MS)

describe('everybody is reached, nobody twice without need, and the counters agree, when', () => {
  test.each(chosen.map(({ name, what }) => [what, name] as const))(
    '%s',
    async (_, name) => {
      const result = await results.get(name)?.promise
      // Only root can mount a disk that can be filled.
      if (name === 'disk-full' && result?.kind === 'skipped') return
      expect(result).toMatchObject({ kind: 'ran', judgement: { findings: [], lost: 0 } })
    },
    LIMIT_MS,
  )
})
