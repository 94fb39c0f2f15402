import type { Clock } from '../clock.ts'
import type { Outcome, OutcomeListener } from '../gateway/gateway.ts'
import type { Lane } from './lane/lane.ts'
import type { Lanes } from './lane/lanes.ts'
import type { Sending } from './lane/silent-devices.ts'
import type { Task } from './open/delivery.ts'

export interface Owner {
  readonly clock: Pick<Clock, 'now'>
  /** `false`: the credential has been replaced. */
  uses(lanes: Lanes): boolean
  over(sent: OnItsWay, outcome: Outcome | null): void
  faulted(sent: OnItsWay, error: unknown): void
}

/** A class: a broadcast creates no functions for each notification. */
export class OnItsWay implements OutcomeListener {
  readonly #owner: Owner
  readonly task: Task
  readonly sending: Sending
  readonly lane: Lane
  readonly lanes: Lanes
  #isOver = false

  constructor(owner: Owner, task: Task, sending: Sending, lane: Lane, lanes: Lanes) {
    this.#owner = owner
    this.task = task
    this.sending = sending
    this.lane = lane
    this.lanes = lanes
  }

  get isOver(): boolean {
    return this.#isOver
  }

  mayGo(): boolean {
    const { clock } = this.#owner
    return this.task.delivery.phase !== 'aborted' && this.#owner.uses(this.lanes) && this.lane.window.mayGo(clock.now())
  }

  restOf(origin: string): ReturnType<OutcomeListener['restOf']> {
    const now = this.#owner.clock.now()
    const paused = this.lanes.all.find((lane) => lane.origin === origin && lane.window.isPaused(now))?.window
    return paused === undefined ? null : { afterMs: paused.resumeAt - now, reason: paused.trouble?.reason ?? '' }
  }

  onOutcome(outcome: Outcome | null): void {
    this.#isOver = true
    this.#owner.over(this, outcome)
  }

  onFault(error: unknown): void {
    this.#isOver = true
    this.#owner.faulted(this, error)
  }
}
