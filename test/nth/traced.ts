import { join } from 'node:path'
import { endOf } from '../support/service-process.ts'
import type { Program } from '../support/service-process.ts'
import { createFaultPlan } from './fault-plan.ts'
import type { FaultPlan } from './fault-plan.ts'

/** The exit code of `tracer.c` if it may not trace. */
const UNTRACEABLE = 125

/**
 * The program with its system calls on files below `directory` counted and perhaps broken. Processes that start after
 * `isOver` are not traced, which is faster.
 */
export function tracedProgram(
  { command, compiled }: Program,
  plan: Pick<FaultPlan, 'path'>,
  directory: string,
  isOver: () => boolean = () => false,
): Program {
  const tracer = [process.execPath, join(import.meta.dir, 'tracer.ts'), plan.path, directory]
  return {
    get command() {
      return isOver() ? command : [...tracer, ...command]
    },
    compiled,
  }
}

/** `null`: it can. */
export async function tracingHindrance(): Promise<string | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'only of Linux on x86-64 are the calls known'
  using plan = createFaultPlan()
  const { exitCode, stderr } = await endOf(
    tracedProgram({ command: ['true'], compiled: true }, plan, '/nowhere').command,
  )
  if (exitCode === 0) return null
  return exitCode === UNTRACEABLE
    ? 'this machine lets nobody trace (ptrace, seccomp)'
    : `the tracer ended with ${exitCode}: ${stderr.trim().split('\n').at(-1)}`
}
