import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tracingHindrance } from '../traced.ts'
import { runTrial } from '../trial.ts'
import type { Journey, Verdict } from '../trial.ts'
import { chainOf } from './chain.ts'
import type { Step } from './chain.ts'
import { createMemory } from './memory.ts'

const hindrance = await tracingHindrance()

/** Three processes that write a file each. `plain` reports a failed write; `deaf` ignores it. */
async function writing(kind: 'plain' | 'deaf') {
  const went: string[] = []
  const step = (name: string): Step => ({
    name,
    async attempt({ directory, command, tries }) {
      went.push(`${name}${tries}`)
      const script = `printf x > ${directory}/${name} || { echo 'bellhop: No.' >&2; exit 1; }`
      const { exitCode } = await command(`${script}${kind === 'deaf' ? ' ; exit 0' : ''}`)
      return exitCode === 0 || kind === 'deaf' ? '' : null
    },
  })
  const end: Step = {
    name: 'end',
    sound: true,
    async attempt({ directory, accuse }) {
      went.push('end')
      for (const name of ['a', 'b', 'c'])
        if (!existsSync(join(directory, name)) || readFileSync(join(directory, name), 'utf8') !== 'x')
          accuse(`${name} is not there`)
      return ''
    },
  }
  const steps = [step('a'), step('b'), step('c'), end]
  const journey: Journey = chainOf({ name: 'writing', what: '', drawn: /^$/, prepare: () => {}, steps })
  const memory = createMemory()
  const order = { template: null, program: { command: ['sh', '-c'], compiled: true }, journey, memory } as const
  const trial = async (nth: number): Promise<Verdict & { readonly went: string }> => {
    went.length = 0
    const verdict = await runTrial({ ...order, harm: 'EIO', nth, only: 'write' })
    return { ...verdict, went: went.join(' ') }
  }
  return { trial, [Symbol.dispose]: () => memory[Symbol.dispose]() }
}

describe.skipIf(hindrance !== null)(`a journey in steps${hindrance === null ? '' : ` (${hindrance})`}`, () => {
  test('goes through all of them without a fault', async () => {
    using writers = await writing('plain')
    const { went, met, findings } = await writers.trial(0)
    expect({ went, writes: met.of.write, findings }).toEqual({ went: 'a0 b0 c0 end', writes: 3, findings: [] })
  })

  test('begins where its call is, and ends where the files are those of a trial that went well', async () => {
    using writers = await writing('plain')
    await writers.trial(0)
    const { went, met, findings } = await writers.trial(2)
    // The first try leaves an empty file, an unknown state. After the second try the state is known.
    expect({ went, call: met.struck?.call, findings }).toEqual({ went: 'b0 b1', call: 'write of b', findings: [] })
    expect((await writers.trial(2)).went).toBe('b0')
  })

  test('goes on to its end where the files are others, and is told what is wrong each time', async () => {
    using writers = await writing('deaf')
    await writers.trial(0)
    const lost = { went: 'b0 c0 end', findings: ['b is not there'] }
    expect(await writers.trial(2)).toMatchObject(lost)
    expect(await writers.trial(2)).toMatchObject(lost)
  })
})
