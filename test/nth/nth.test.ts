import { describe, expect } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { directoryOfTests } from '../support/directory-of-tests.ts'
import { programOf, runCommand, startProcess } from '../support/service-process.ts'
import { testInTurn } from '../support/in-turn.ts'
import { createFaultPlan } from './fault-plan.ts'
import { UPKEEP } from './journeys/upkeep.ts'
import { tracedProgram, tracingHindrance } from './traced.ts'
import { runTrial } from './trial.ts'

/* The short form of bun run every-nth: a few of thousands of calls. */

const program = programOf(null)
const ORDER = { template: null, program, journey: UPKEEP, only: null, memory: null } as const
const test = testInTurn(4)
const hindrance = await tracingHindrance()

const directory = directoryOfTests('bellhop-half-key')

/** Several processes on a slow machine. */
const LIMIT_MS = 180_000

describe.skipIf(hindrance !== null)(`every nth${hindrance === null ? '' : ` (${hindrance})`}`, () => {
  test(
    'a command that dies in the middle of a write: done again, everything is whole',
    async () => {
      const { met, findings } = await runTrial({ ...ORDER, harm: 'torn', nth: 150 })
      expect({ struck: met.struck?.class, findings }).toEqual({ struck: 'write', findings: [] })
    },
    LIMIT_MS,
  )

  test(
    'every file that a command gives a name is on disk before, and its name afterwards',
    async () => {
      const { met, findings } = await runTrial({ ...ORDER, harm: 'EIO', nth: 0 })
      expect(met.of.name).toBeGreaterThan(50)
      expect(findings).toEqual([])
    },
    LIMIT_MS,
  )

  test(
    'a sealing key of which the disk takes half at first is written to its end',
    async () => {
      const data = join(directory, 'data')
      using plan = createFaultPlan()
      plan.arm('short', 1, 'write')
      const traced = tracedProgram(program, plan, join(data, 'key'))
      await using service = startProcess({ program: traced, data })
      expect(await service.ready).not.toBeNull()
      expect(plan.met().struck?.call).toStartWith('write of ')
      expect(Buffer.from(readFileSync(join(data, 'key'), 'utf8'), 'base64')).toHaveLength(32)
      expect(await service.kill('SIGTERM')).toBe(0)
    },
    LIMIT_MS,
  )

  test(
    'a database that a restore has replaced can be restored from, though its journal could not be removed at once',
    async () => {
      const own = join(directory, 'replaced')
      const [data, backup] = [join(own, 'data'), join(own, 'backup.db')]
      await runCommand(program, ['app', 'create', 'shop', `--data=${data}`])
      await runCommand(program, ['backup', backup, `--data=${data}`])
      using plan = createFaultPlan()
      // The first one creates it.
      plan.arm('EIO', 2, 'name')
      const traced = tracedProgram(program, plan, join(data, 'bellhop.db-journal'))
      await runCommand(traced, ['restore', backup, '--yes', `--data=${data}`])
      expect(plan.met().struck?.call).toStartWith('unlink of ')
      const replaced = readdirSync(data).find((name) => /\.replaced-\w+-\w+-\w+$/.test(name)) ?? ''
      await runCommand(program, ['restore', join(data, replaced), '--yes', `--data=${data}`])
    },
    LIMIT_MS,
  )
})
