import { endOf, KILLED } from '../support/service-process.ts'
import type { CommandEnd, Program } from '../support/service-process.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import type { Template } from '../faults/stage/template.ts'
import type { Memory, Place } from './chain/memory.ts'
import { countOf, createFaultPlan, HARMS } from './fault-plan.ts'
import type { CallClass, FaultPlan, HarmName, Met, TracedCall } from './fault-plan.ts'
import { unsyncedNames } from './sync-order.ts'
import { tracedProgram } from './traced.ts'

/** A sequence of actions of an operator, apps and backends, with what must hold afterwards. */
export interface Journey {
  readonly name: string
  readonly what: string
  /** Arms the plan, continues after failures, disarms it, and checks the result. */
  run(trial: Trial): Promise<void>
}

/** A journey with one failing system call. */
export interface Trial {
  /** For a journey with gateways. */
  readonly template: Template | null
  /** Contains all its files. */
  readonly directory: string
  /** Traced. */
  readonly program: Program
  readonly plan: TrialPlan
  /** `null`: no knowledge of other trials. */
  readonly memory: Memory | null
  /** `null`: from the beginning. */
  readonly from: Place | null
  /** Whether a process may end by SIGKILL. */
  readonly kills: boolean
  /** Whether every write fails after the fault. */
  readonly lasting: boolean
  readonly accuse: (finding: string) => void
  readonly findings: readonly string[]
  /** Runs a command of Bellhop, which must name any problem in a sentence. */
  readonly command: (...args: readonly string[]) => Promise<CommandEnd>
}

export interface TrialPlan extends Omit<FaultPlan, 'arm'> {
  /** Starts counting; one call fails. */
  arm(): void
  /** Whether nothing fails and everything is counted. */
  readonly isFree: boolean
  isOver(): boolean
}

interface Order {
  /** `null`: for a journey without gateways. */
  readonly template: Template | null
  readonly program: Program
  readonly journey: Journey
  readonly harm: HarmName
  /** 0: nothing fails, and everything is counted. */
  readonly nth: number
  /** Counts only calls of this class; `null`: all that the harm applies to. */
  readonly only: CallClass | null
  /** Of this journey and program; `null`: the trial runs from beginning to end. */
  readonly memory: Memory | null
}

export interface Verdict {
  readonly met: Met
  /** Changing calls of a trial without a fault; paths relative to its directory. */
  readonly calls: readonly TracedCall[]
  readonly findings: readonly string[]
}

export async function runTrial({ template, program, journey, harm, nth, only, memory }: Order): Promise<Verdict> {
  using own = temporaryDirectory('bellhop-nth')
  const directory = own.path
  using plan = createFaultPlan()
  const findings: string[] = []
  const { fault, ...rest } = HARMS[harm]
  const kills = fault >= 2
  const isFree = nth === 0
  const from = memory?.places.findLast(({ before }) => countOf(before, harm, only) < nth) ?? null
  const lasting = 'lasting' in rest
  /** `null`: still armed. */
  let met: Met | null = null
  const isOver = () => met !== null || (!lasting && plan.met().struck !== null)
  const traced = tracedProgram(program, plan, directory, isOver)
  const within = (path: string) => path.replace(`${directory}/`, '')
  await journey.run({
    template,
    directory,
    program: traced,
    plan: {
      ...plan,
      arm: () => plan.arm(harm, from === null ? nth : nth - countOf(from.before, harm, only), only),
      // Keeps only what was met until now.
      disarm() {
        met = plan.met()
        plan.disarm()
      },
      isFree,
      isOver,
    },
    memory,
    from,
    kills,
    lasting,
    accuse: (finding) => void findings.push(finding),
    findings,
    async command(...args) {
      const end = await endOf([...traced.command, ...args])
      findings.push(...mutenessOf(end, kills).map((what) => `${args.slice(0, 2).join(' ')} ${what}`))
      return end
    },
  })
  const told = plan.calls()
  const calls = told.map((call) => ({ ...call, path: within(call.path), target: within(call.target) }))
  findings.push(...unsyncedNames(told).map(within))
  return { met: met ?? plan.met(), calls, findings: [...new Set(findings)] }
}

/** Why an end does not tell an operator the problem. */
function mutenessOf({ exitCode, stderr }: CommandEnd, kills: boolean): readonly string[] {
  const raw = rawLinesOf(stderr).map((line) => `said: ${line}`)
  if (exitCode === 0 || (exitCode === KILLED && kills)) return raw
  if (exitCode !== 1) return [`ended with ${exitCode}: ${stderr}`, ...raw]
  return /(^|\n)bellhop: .*[.?!)]\n$/s.test(stderr) ? raw : [`ended with 1 without a sentence: ${stderr}`, ...raw]
}

/** Lines of standard error that are neither sentences nor log lines. */
export function rawLinesOf(stderr: string): readonly string[] {
  return stderr
    .split('\n')
    .filter((line) => /Internal error\.|^\s+at |^\s*\d+ \| |^(\w*Error|error):/.test(line) && !line.startsWith('{'))
}
