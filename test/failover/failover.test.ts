import { expect, test } from 'bun:test'
import { runScenarios } from '../faults/run-scenario.ts'
import { programOf } from '../faults/stage/service.ts'
import { makeTemplate } from '../faults/stage/template.ts'
import { failoverScenario } from './failover-scenario.ts'
import type { Round } from './failover-scenario.ts'
import { mirrorHindrance, openMirror } from './mirror.ts'

/* Short form of ./scripts/failover. Needs root and QEMU's storage daemon. */

test.if(mirrorHindrance() === null)(
  'a machine that dies at a random write leaves all that it answered on the copy of its volume',
  async () => {
    const binary = process.env['TEST_BINARY'] ?? null
    const program = programOf(binary)
    await using mirror = await openMirror()
    await using template = await makeTemplate(program, { ios: 200, android: 100 })
    const rounds: Round[] = []
    const scenario = failoverScenario(mirror, (round) => rounds.push(round))
    const order = { rounds: 2, seed: 11, template, program, compiled: binary !== null, quick: true, jobs: 1 }
    const [row] = await runScenarios([scenario], { ...order, onOpened: () => {}, onRow: () => {} })
    expect(rounds.map(({ kept, missing }) => [kept, missing])).toEqual([
      ['prefix', 0],
      ['some', 0],
    ])
    expect(row?.result).toMatchObject({ kind: 'ran', judgement: { findings: [], lost: 0 } })
  },
)
