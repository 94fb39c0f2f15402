import type { Stage } from '../stage/stage.ts'

/** One fault: how it is made, and that it is over again. */
export interface Scenario {
  readonly name: string
  /** In a few words, for the table. */
  readonly what: string
  /**
   * Breaks something while pushes are sent, and heals it; says how often the fault was met. The service must run when
   * it is done.
   */
  run(stage: Stage, options: ScenarioOptions): Promise<number>
  /** How long after that everything must have arrived, in ms. Default 60,000. */
  readonly patienceMs?: number
  /** The longest that anybody may have waited who could be reached, in ms. Default: however long. */
  readonly promptMs?: number
  /** How many may be taken again, where that can be said. Default: however many of unknown fate. */
  readonly repeatedMost?: number
  /** Refusals of the gateways that belong to the fault; any other is the service's. */
  readonly expects?: RegExp
  /** It needs push services of browsers. */
  readonly browsers?: true
  /** Its data directory is on a disk of its own of so many bytes. */
  readonly diskBytes?: number
  /** Its data directory is in this one. */
  readonly directory?: string
  /** Why it cannot run here; `null` if it can. */
  readonly hindrance?: (options: ScenarioOptions) => string | null
}

export interface ScenarioOptions {
  /** How often the service is killed with -9. */
  readonly rounds: number
  /** Whether the service is the compiled binary. */
  readonly compiled: boolean
  /** Nothing after which somebody waits long: FCM's recipients wait 10 to 20 s for their second attempt. */
  readonly quick: boolean
}
