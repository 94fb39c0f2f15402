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

/** Time limits for a push before the next step and at the end, in ms. */
const STEP_MS = 3_000
const END_MS = 90_000

/** For a stop on a dead disk. Default of the service: 30. */
const DRAIN_SECONDS = 3

/** Time limit for a broken service to end, in ms. */
const GONE_MS = 2_000

/** The users and the operator of a service that sends to gateways. */
export interface Scene
  extends Pick<Trial, 'directory' | 'command' | 'accuse'>, Pick<Stage, 'api' | 'ledger' | 'application' | 'data'> {
  readonly service: FaultedService
  readonly pushes: Pushes
  readonly registrations: Registrations
  /** Resolves when everything acknowledged has arrived; immediately once something has failed. */
  readonly settle: () => Promise<void>
}

export interface Step {
  /** Processes only: skipped once the service runs in a later life than the fault. */
  readonly ofProcesses?: true
  readonly go: () => Promise<unknown>
}

interface Served {
  readonly name: string
  readonly what: string
  /** Whether the service is ready first, so that another journey covers its start. */
  readonly ready: boolean
  readonly stepsOf: (scene: Scene) => readonly Step[]
  /** After the last fault. */
  readonly inTheEnd?: (scene: Scene) => Promise<void>
}

/**
 * A journey with a service and gateways, which keep state, so each trial is whole. Every step has a running service.
 */
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

/** A service that may end by itself only because of the fault. */
interface FaultedService {
  /** Whether a later life than the fault runs, and nothing fails any more. */
  readonly isAnew: boolean
  /** Resolves when it has ended, or has not within `GONE_MS`. */
  gone(): Promise<void>
  /** The same if a sync may have failed, which ends the service. */
  goneAfterSync(): Promise<void>
  /** Waits until the death of a killed service is noticed. */
  seen(): Promise<void>
  /** Unless it runs. */
  start(): Promise<void>
  stop(): Promise<void>
  /** SIGKILL; resolves when the data directory is free. */
  kill(): Promise<void>
  /** Judges how it ended. */
  judge(): void
}

function faultedService(stage: Stage, { plan, kills, lasting, accuse }: Trial): FaultedService {
  // Sent notifications can never be stored, and a stop would wait its full time.
  const env = lasting ? { BELLHOP_DRAIN_SECONDS: String(DRAIN_SECONDS) } : {}
  const lives = () => stage.url !== null
  /** The last life that may have met the fault; `null`: none yet. */
  let met: number | null = null
  /** The service ends shortly after that. */
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
        // The first failure may be the fault; the next start has none.
        plan.disarm()
      }
    },
    async stop() {
      if (!lives()) return
      const { life } = stage
      // After a failed sync it is ending, and may miss the signal.
      const ending = failsToSync() ? [TERMINATED] : []
      const code = await stage.stop([0, 1, UNWRITTEN_CODE, KILLED, ...ending])
      if (code !== 0 && code !== KILLED) stage.unwritten.add(life)
    },
    /** A killed tracer takes the service with it shortly after. */
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
 * Data of a failed sync may be on disk: the service answers 500, ends, and reads what is there at the next start. Its
 * callers count that as no answer.
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
