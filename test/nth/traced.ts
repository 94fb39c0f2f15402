import { join } from 'node:path'
import { endOf } from '../support/service-process.ts'
import type { Program } from '../support/service-process.ts'
import { createFaultPlan } from './fault-plan.ts'
import type { FaultPlan } from './fault-plan.ts'

/** What `tracer.c` ends with where it may not trace. */
const UNTRACEABLE = 125

/**
 * The program with each of its system calls on files below `directory` counted, and perhaps broken; processes that begin
 * when `isOver` says that nothing fails any more are let alone, which takes less time.
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

/** Why nothing can be traced on this machine; `null`: it can. */
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
