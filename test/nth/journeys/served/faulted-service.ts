import { isServed } from '../../../../src/database/directory-lock.ts'
import type { Api } from '../../../faults/stage/api.ts'
import type { Stage } from '../../../faults/stage/stage.ts'
import type { FaultPlan } from '../../fault-plan.ts'
import { rawLinesOf } from '../../trial.ts'
import type { Trial } from '../../trial.ts'

/** What is sent and not written down on a disk that takes nothing: see server-process.ts. */
const UNWRITTEN_CODE = 3

/** SIGKILL and SIGTERM, as shells have them. */
const KILLED = 137
const TERMINATED = 143

/** Of a stop on a disk that is dead; 30 by default. */
const DRAIN_SECONDS = 3

/** What a service that cannot go on may take to end, in ms. */
const GONE_MS = 2_000

/** The service, which may end by itself because of the fault, and for no other reason. */
export interface FaultedService {
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

export function faultedService(stage: Stage, { plan, kills, lasting, accuse }: Trial): FaultedService {
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
      for (let waited = 0; lives() && waited < GONE_MS; waited += 10) await Bun.sleep(10)
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
export function doubting(api: Api, plan: FaultPlan, gone: () => Promise<void>): Api {
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
