import { isServed } from '../../../src/database/directory-lock.ts'
import { judgeStage } from '../../faults/judge/judge-stage.ts'
import { pushesTo } from '../../faults/stage/pushes.ts'
import type { Pushes } from '../../faults/stage/pushes.ts'
import { registrationsOf } from '../../faults/stage/registrations.ts'
import type { Registrations } from '../../faults/stage/registrations.ts'
import { settled } from '../../faults/stage/settled.ts'
import { openStage } from '../../faults/stage/stage.ts'
import type { Api } from '../../faults/stage/api.ts'
import type { Stage } from '../../faults/stage/stage.ts'
import { KILLED, TERMINATED, UNWRITTEN_CODE } from '../../support/service-process.ts'
import { within } from '../../support/until.ts'
import type { FaultPlan } from '../fault-plan.ts'
import { rawLinesOf } from '../trial.ts'
import type { Journey, Trial } from '../trial.ts'

const SEED = 1

/** How long a push is waited for before the next step, and in the end, in ms. */
const STEP_MS = 3_000
const END_MS = 90_000

/** Of a stop on a disk that is dead; 30 by default. */
const DRAIN_SECONDS = 3

/** What a service that cannot go on may take to end, in ms. */
const GONE_MS = 2_000

/** Apps, backends and an operator of a service that sends to gateways. */
export interface Scene
  extends Pick<Trial, 'directory' | 'command' | 'accuse'>, Pick<Stage, 'api' | 'ledger' | 'application' | 'data'> {
  readonly service: FaultedService
  readonly pushes: Pushes
  readonly registrations: Registrations
  /** Resolves when all that was acknowledged has arrived; once something has failed, at once. */
  readonly settle: () => Promise<void>
}

export interface Step {
  /** Of processes: says nothing more once the service goes on in another life than that of the fault. */
  readonly ofProcesses?: true
  readonly go: () => Promise<unknown>
}

interface Served {
  readonly name: string
  readonly what: string
  /** Whether it begins with a service that is ready: its start is among the calls of another journey. */
  readonly ready: boolean
  readonly stepsOf: (scene: Scene) => readonly Step[]
  /** When nothing fails any more. */
  readonly inTheEnd?: (scene: Scene) => Promise<void>
}

/** A journey with a service and gateways, all of which remember: each trial is whole. The service lives at each step. */
export function servedJourney({ name, what, ready, stepsOf, inTheEnd }: Served): Journey {
  return {
    name,
    what,
    async run(trial) {
      const { directory, plan, template, program, accuse, command } = trial
      if (template === null) throw new Error(`${name} begins with a template`)
      await using stage = await openStage({ template, program, seed: SEED, directory })
      await stage.registrar.stop()
      const { data, ledger, application } = stage
      const service = faultedService(stage, trial)
      const api = doubting(stage.api, plan, () => service.gone())
      const scene: Scene = {
        directory,
        command,
        accuse,
        api,
        ledger,
        application,
        data,
        service,
        pushes: pushesTo(api, ledger, SEED),
        registrations: registrationsOf(api, ledger, SEED),
        settle: async () => void (await settled({ ...stage, api }, plan.met().struck === null ? STEP_MS : 0)),
      }

      if (ready) await service.start()
      plan.arm()
      for (const { ofProcesses = false, go } of stepsOf(scene)) {
        await service.start()
        if (ofProcesses && service.isAnew) continue
        await go()
        await service.seen()
      }
      plan.disarm()
      await service.goneAfterSync()
      await service.start()
      await inTheEnd?.(scene)
      await settled(stage, END_MS)
      ;(await judgeStage(stage)).findings.forEach(accuse)
      service.judge()
    },
  }
}

/** The service, which may end by itself because of the fault, and for no other reason. */
interface FaultedService {
  /** Whether another life than that of the fault goes on, and nothing fails any more. */
  readonly isAnew: boolean
  /** Resolves when it has ended, or after all has not. */
  gone(): Promise<void>
  /** The same, where a sync may have failed: it ends after that by itself. */
  goneAfterSync(): Promise<void>
  /** One that has died is noticed a moment later, and until then would pass for one that lives. */
  seen(): Promise<void>
  /** Unless it lives. */
  start(): Promise<void>
  stop(): Promise<void>
  /** SIGKILL; resolves when nobody holds its data directory. */
  kill(): Promise<void>
  /** How it ended by itself. */
  judge(): void
}

function faultedService(stage: Stage, { plan, kills, lasting, accuse }: Trial): FaultedService {
  // What is sent can never be written down then: a stop waits to its end.
  const env = lasting ? { BELLHOP_DRAIN_SECONDS: String(DRAIN_SECONDS) } : {}
  const lives = () => stage.url !== null
  /** The last life that the fault can have met; `null`: none yet. */
  let met: number | null = null
  /** After which it ends, a moment later. */
  const failsToSync = () => plan.met().struck?.class === 'sync' || (lasting && plan.met().struck !== null)
  const notice = () => void (plan.met().struck !== null && (met ??= stage.life))
  return {
    get isAnew() {
      return plan.isOver() && lives() && met !== null && stage.life > met
    },
    async gone() {
      await within(GONE_MS, () => !lives(), 10)
    },
    async goneAfterSync() {
      if (failsToSync()) await this.gone()
    },
    async seen() {
      notice()
      if (!kills || !lives() || plan.met().struck === null) return
      if ((await stage.api.call('GET', '/analytics')) === null) await this.gone()
    },
    async start() {
      for (let tries = 1; !lives(); tries++) {
        notice()
        await stage.start({ env })
        if (lives()) return
        if (plan.met().struck === null || tries > 2)
          throw new Error(`it does not start: ${stage.accidents.join('; ')} ${stage.log().slice(-2000)}`)
        // The first time it may have been the fault; then there is none any more.
        plan.disarm()
      }
    },
    async stop() {
      if (!lives()) return
      const { life } = stage
      // Where a sync has failed it is ending, and may hear of the signal or not.
      const ending = failsToSync() ? [TERMINATED] : []
      const code = await stage.stop([0, 1, UNWRITTEN_CODE, KILLED, ...ending])
      if (code !== 0 && code !== KILLED) stage.unwritten.add(life)
    },
    /** A tracer that is killed takes the service along, a moment later. */
    async kill() {
      await stage.kill()
      while (isServed(stage.data)) await Bun.sleep(10)
    },
    judge() {
      const allowed = plan.met().struck === null ? [] : kills ? [KILLED] : [1]
      for (const accident of stage.accidents) {
        const code = /^(?:the service ended by itself|SIGTERM ended it) with (\d+)/.exec(accident)?.[1]
        if (code !== undefined && !allowed.includes(Number(code))) accuse(accident)
      }
      rawLinesOf(stage.log()).forEach((line) => accuse(`the service said: ${line}`))
    },
  }
}

/**
 * What a failed sync was for may be on disk all the same: the service answers 500, ends, and reads at the next start
 * what is there. To its callers that is no answer.
 */
function doubting(api: Api, plan: FaultPlan, gone: () => Promise<void>): Api {
  return {
    get reachable() {
      return api.reachable
    },
    async call(method, path, body) {
      const answer = await api.call(method, path, body)
      const inDoubt = answer !== null && answer.status >= 500 && plan.met().struck?.class === 'sync'
      if (answer === null || inDoubt) await gone()
      return inDoubt ? null : answer
    },
  }
}
