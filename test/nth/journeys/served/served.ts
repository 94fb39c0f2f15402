import { checkDatabase } from '../../../faults/judge/database-check.ts'
import { judgeStage } from '../../../faults/judge/judge-stage.ts'
import { pushesTo } from '../../../faults/stage/pushes.ts'
import type { Pushes } from '../../../faults/stage/pushes.ts'
import { registrationsOf } from '../../../faults/stage/registrations.ts'
import type { Registrations } from '../../../faults/stage/registrations.ts'
import { settled } from '../../../faults/stage/settled.ts'
import { openStage } from '../../../faults/stage/stage.ts'
import type { Stage } from '../../../faults/stage/stage.ts'
import type { Journey, Trial } from '../../trial.ts'
import { doubting, faultedService } from './faulted-service.ts'
import type { FaultedService } from './faulted-service.ts'

const SEED = 1

/** How long a push is waited for before the next step, and in the end, in ms. */
const STEP_MS = 3_000
const END_MS = 90_000

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
      const { findings, owed } = await judgeStage(stage)
      findings.forEach(accuse)
      checkDatabase(data, owed).forEach(accuse)
      service.judge()
    },
  }
}
