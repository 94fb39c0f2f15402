import { endOf, KILLED } from '../support/service-process.ts'
import type { CommandEnd, Program } from '../support/service-process.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import type { Template } from '../faults/stage/template.ts'
import type { Memory, Place } from './chain/memory.ts'
import { countOf, createFaultPlan, HARMS } from './fault-plan.ts'
import type { CallClass, FaultPlan, HarmName, Met, TracedCall } from './fault-plan.ts'
import { unsyncedNames } from './sync-order.ts'
import { tracedProgram } from './traced.ts'

/** Something that an operator, apps and backends do one after the other, and what must be true of it afterwards. */
export interface Journey {
  readonly name: string
  readonly what: string
  /** Arms the plan, goes on whatever fails, disarms it, and then looks at what is there. */
  run(trial: Trial): Promise<void>
}

/** One journey, in which one call of the system goes wrong. */
export interface Trial {
  /** What a journey with gateways begins with. */
  readonly template: Template | null
  /** All files of it are below. */
  readonly directory: string
  /** Under the tracer. */
  readonly program: Program
  readonly plan: TrialPlan
  /** What is known of other trials of the journey; `null`: nothing. */
  readonly memory: Memory | null
  /** Where the journey is to begin; `null`: at its beginning. */
  readonly from: Place | null
  /** Whether a process of it may end by SIGKILL. */
  readonly kills: boolean
  /** Whether nothing can be written any more once the fault was met. */
  readonly lasting: boolean
  /** What is wrong. */
  readonly accuse: (finding: string) => void
  /** All that was wrong so far. */
  readonly findings: readonly string[]
  /** Runs a command of Bellhop; whatever is the matter, it must say so in a sentence. */
  readonly command: (...args: readonly string[]) => Promise<CommandEnd>
}

export interface TrialPlan extends Omit<FaultPlan, 'arm'> {
  /** From now on calls are counted, and one fails: the journey says when. */
  arm(): void
  /** Whether nothing is to fail, and all is counted. */
  readonly isFree: boolean
  /** Whether nothing fails any more. */
  isOver(): boolean
}

interface Order {
  /** `null` will do for a journey without gateways. */
  readonly template: Template | null
  /** Not traced. */
  readonly program: Program
  readonly journey: Journey
  readonly harm: HarmName
  /** 0: nothing fails, and all is counted. */
  readonly nth: number
  /** Counts calls of this class alone; `null`: of all that this can happen to. */
  readonly only: CallClass | null
  /** Of the same journey and the same program; `null`: the trial is whole, from the beginning to the end. */
  readonly memory: Memory | null
}

export interface Verdict {
  readonly met: Met
  /** All that changed something, where nothing was to fail; paths from the directory of the trial on. */
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
  /** `null`: it is still armed. */
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
      // What is read of it is what happened until then.
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

/** How an end is not one that tells an operator what is the matter. */
function mutenessOf({ exitCode, stderr }: CommandEnd, kills: boolean): readonly string[] {
  const raw = rawLinesOf(stderr).map((line) => `said: ${line}`)
  if (exitCode === 0 || (exitCode === KILLED && kills)) return raw
  if (exitCode !== 1) return [`ended with ${exitCode}: ${stderr}`, ...raw]
  return /(^|\n)bellhop: .*[.?!)]\n$/s.test(stderr) ? raw : [`ended with 1 without a sentence: ${stderr}`, ...raw]
}

/** What on standard error is neither a sentence nor a line of the log. */
export function rawLinesOf(stderr: string): readonly string[] {
  return stderr
    .split('\n')
    .filter((line) => /Internal error\.|^\s+at |^\s*\d+ \| |^(\w*Error|error):/.test(line) && !line.startsWith('{'))
}
