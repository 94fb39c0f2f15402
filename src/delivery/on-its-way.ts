import type { Outcome, OutcomeListener, Provider } from '../gateway/gateway.ts'
import type { Lane } from './lane/lane.ts'
import type { Lanes } from './lane/lanes.ts'
import type { Sending } from './lane/silent-devices.ts'
import type { Task } from './open/delivery.ts'

/** What a notification on its way tells its dispatcher. */
export interface Owner {
  mayGo(sent: OnItsWay): boolean
  restOf(sent: OnItsWay, origin: string): ReturnType<OutcomeListener['restOf']>
  over(sent: OnItsWay, outcome: Outcome | null): void
  faulted(sent: OnItsWay, error: unknown): void
}

/** One notification that was sent. A class, since a broadcast makes one for each, and its functions are shared. */
export class OnItsWay implements OutcomeListener {
  readonly #owner: Owner
  readonly provider: Provider
  readonly task: Task
  readonly sending: Sending
  readonly lane: Lane
  readonly lanes: Lanes
  #isOver = false

  constructor(owner: Owner, provider: Provider, task: Task, sending: Sending, lane: Lane, lanes: Lanes) {
    this.#owner = owner
    this.provider = provider
    this.task = task
    this.sending = sending
    this.lane = lane
    this.lanes = lanes
  }

  get isOver(): boolean {
    return this.#isOver
  }

  mayGo(): boolean {
    return this.#owner.mayGo(this)
  }

  restOf(origin: string): ReturnType<OutcomeListener['restOf']> {
    return this.#owner.restOf(this, origin)
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
