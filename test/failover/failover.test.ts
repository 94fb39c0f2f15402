import { expect, test } from 'bun:test'
import { runScenario } from '../faults/run-scenario.ts'
import { TESTED } from '../support/service-process.ts'
import { makeTemplate } from '../faults/stage/template.ts'
import { failoverScenario } from './failover-scenario.ts'
import type { Round } from './failover-scenario.ts'
import { mirrorHindrance, openMirror } from './mirror.ts'

/* Short form of ./scripts/failover. Needs root and QEMU's storage daemon. */

test.if(mirrorHindrance() === null)(
  'a machine that dies at a random write leaves all that it answered on the copy of its volume',
  async () => {
    await using mirror = await openMirror()
    await using template = await makeTemplate(TESTED, { ios: 200, android: 100 })
    const rounds: Round[] = []
    const scenario = failoverScenario(mirror, (round) => rounds.push(round))
    const result = await runScenario(scenario, { template, program: TESTED, seed: 11, rounds: 2, quick: true })
    expect(rounds.map(({ kept, missing }) => [kept, missing])).toEqual([
      ['prefix', 0],
      ['some', 0],
    ])
    expect(result).toMatchObject({ kind: 'ran', judgement: { findings: [], lost: 0 } })
  },
)
