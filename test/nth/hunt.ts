import { join } from 'node:path'
import { makeTemplate } from '../faults/stage/template.ts'
import { plantedCopy } from '../simulation/plant.ts'
import { createMemory } from './chain/memory.ts'
import { classOf, HARMS } from './fault-plan.ts'
import type { CallClass, TracedCall } from './fault-plan.ts'
import { PLANTED } from './planted.ts'
import type { Planted } from './planted.ts'
import { runTrial } from './trial.ts'

/** Trials per defect, spread over the calls that may show it. */
const TRIALS = 24

/** Plants the defects in turn and prints a table for the manual. Resolves with the exit code. */
export async function huntAll(only: string, say: (line: string) => void): Promise<number> {
  let missed = 0
  say('| planted defect | shown by | finding |\n| --- | --- | --- |')
  for (const planted of PLANTED.filter(({ name }) => name.includes(only))) {
    const shown = await hunt(planted)
    if (shown === null) missed++
    say(`| ${planted.name} | ${shown?.by ?? 'nothing'} | ${shown?.finding.replaceAll('\n', ' ') ?? ''} |`)
  }
  return missed === 0 ? 0 : 1
}

async function hunt(planted: Planted): Promise<{ readonly by: string; readonly finding: string } | null> {
  using copy = plantedCopy(planted)
  const program = { command: [process.execPath, join(copy.path, 'src/main.ts')], compiled: false }
  await using template = await makeTemplate(program, { ios: 8, android: 4 })
  const { journey, harm } = planted
  using memory = createMemory()
  const order = { template, program, journey, harm: harm ?? 'EIO', only: onlyOf(planted), memory } as const
  const trial = (nth: number) => runTrial({ ...order, nth })

  const { calls, findings } = await trial(0)
  const [first] = findings
  if (first !== undefined) return { by: `${journey.name} without a fault`, finding: first }
  for (const nth of harm === null ? [] : spread(placesOf(planted, calls))) {
    const { met, findings } = await trial(nth)
    const [finding] = findings
    if (finding !== undefined) return { by: `${journey.name}, ${harm} at call ${nth}, ${met.struck?.call}`, finding }
  }
  return null
}

/** Reads are not recorded, so they must not be counted. */
function onlyOf({ harm }: Planted): CallClass | null {
  return harm === 'short' ? 'write' : null
}

/** The numbers of the calls that may show the defect. */
function placesOf({ harm, at }: Planted, calls: readonly TracedCall[]): readonly number[] {
  if (harm === null) return []
  const classes: readonly CallClass[] = HARMS[harm].classes
  const counted = calls.filter(({ name }) => classes.includes(classOf(name)))
  return counted.flatMap(({ name, path }, n) => (at.test(`${name} ${path}`) ? [n + 1] : []))
}

function spread(places: readonly number[]): readonly number[] {
  const step = Math.max(1, places.length / TRIALS)
  return Array.from({ length: Math.min(TRIALS, places.length) }, (_, n) => places[Math.floor(n * step)] ?? 0)
}
