import type { Stage } from '../stage/stage.ts'

/** A fault, and its end. */
export interface Scenario {
  readonly name: string
  /** For the table. */
  readonly what: string
  /**
   * Breaks something during traffic and heals it; returns how often the fault was met. The service must run at the end.
   */
  run(stage: Stage, options: ScenarioOptions): Promise<number>
  /** Time limit for delivery after `run`, in ms. Default 60,000. */
  readonly patienceMs?: number
  /** The longest wait of a reachable device, in ms. Default unlimited. */
  readonly promptMs?: number
  /** Most notifications that may be taken again. Default: any of unknown fate. */
  readonly repeatedMost?: number
  /** Refusals of the gateways that the fault causes. Others are the service's fault. */
  readonly expects?: RegExp
  /** Needs push services of browsers. */
  readonly browsers?: true
  /** Puts the data directory on its own disk of this size. */
  readonly diskBytes?: number
  /** The parent of the data directory. */
  readonly directory?: string
  /** Why it cannot run here; `null`: it can. */
  readonly hindrance?: (options: ScenarioOptions) => string | null
}

export interface ScenarioOptions {
  /** Number of kill -9. */
  readonly rounds: number
  readonly compiled: boolean
  /** Leaves out long waits: FCM's recipients wait 10 to 20 s for a second attempt. */
  readonly quick: boolean
}
