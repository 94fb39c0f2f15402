import { describe, expect, test } from 'bun:test'
import { inTurn } from '../support/in-turn.ts'
import { runScenario } from './run-scenario.ts'
import { SCENARIOS } from './scenarios/scenarios.ts'
import { programOf, TESTED } from '../support/service-process.ts'
import { makeTemplate } from './stage/template.ts'

/* The short form of bun run faults: few faults, few devices, one seed. */

const QUICK = /^(untrusted|cut|clock-back|locked|disk-full|kill|sigterm|goaway-half|reset-2)$/
const ROUNDS = { rounds: 2, quick: true }

describe('everybody is reached, nobody twice without need, and the counters agree, when', () => {
  const chosen = SCENARIOS.filter(({ name }) => QUICK.test(name))
  test.each(inTurn(chosen).map((scenario) => [scenario.what, scenario] as const))('%s', async (_, scenario) => {
    const program = scenario.hindrance?.({ ...ROUNDS, compiled: TESTED.compiled }) ? programOf(null) : TESTED
    await using template = await makeTemplate(program, { ios: 700, android: 300 })
    const result = await runScenario(scenario, { ...ROUNDS, template, program, seed: 1 })
    // Only root can mount a disk that can be filled.
    if (scenario.name === 'disk-full' && result.kind === 'skipped') return
    expect(result).toMatchObject({ kind: 'ran', judgement: { findings: [], lost: 0 } })
  })
})
