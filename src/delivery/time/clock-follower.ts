import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'
import type { Sender } from '../sender.ts'
import type { DeliveryStore } from '../store/delivery-store.ts'
import type { Shifted } from '../store/time-shift.ts'
import { inSteps } from './in-steps.ts'
import type { ClockJump, SteadyClock } from './steady-clock.ts'

interface Dependencies {
  readonly clock: SteadyClock & Clock
  readonly log: Pick<Log, 'warn'>
  readonly store: Pick<DeliveryStore, 'jumps' | 'shiftDue'>
  /** Writes until it succeeds. */
  readonly persist: <T>(operation: () => T) => Promise<T>
  /** What times to live are measured by: the time in which the service ran, or the time of day. */
  readonly ttlClock: 'elapsed' | 'wall'
  readonly senders: () => Iterable<Pick<Sender, 'shift' | 'extend' | 'forgetTimes'>>
  /** Times in the database are those of the clock again; what came meanwhile was not loaded. */
  readonly onFollowed: () => void
}

/**
 * Has deliveries follow jumps of the clock. An operator, or NTP, may set the clock, and a machine may be suspended:
 * nobody is to wait longer for that, and no time to live to end.
 */
export class ClockFollower {
  readonly #deps: Dependencies
  /** Jumps of the clock that the database has not followed yet. */
  #jumps = 0

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Whether times in the database are those of another clock still. */
  get isBehind(): boolean {
    return this.#jumps > 0
  }

  /** Follows the clock, if it has jumped. */
  follow(): void {
    const { clock, log, ttlClock, senders } = this.#deps
    const jump = clock.follow()
    if (jump === null) return
    const { byMs, stoodStillMs } = jump
    if (stoodStillMs > 0) log.warn('the process stood still', { stoodStillMs })
    if (byMs > stoodStillMs) log.warn('the clock was put ahead', { aheadMs: byMs - stoodStillMs })
    if (byMs < 0) {
      log.warn('the clock was put back', { backMs: -byMs })
      for (const sender of senders()) sender.shift(-byMs)
      void this.#shiftDue(-byMs)
    }
    if (ttlClock === 'wall') return
    for (const sender of senders()) sender.extend(jump)
    void this.#followJumps(jump)
  }

  /** The last run may have ended before the database had followed. */
  resume(): void {
    if (this.#deps.store.jumps.isBehind()) void this.#followJumps(null)
  }

  /** Times to live in the database follow a jump, or, with `null`, what the last run left of some. */
  async #followJumps(jump: ClockJump | null): Promise<void> {
    const { clock, store, persist, onFollowed } = this.#deps
    this.#jumps++
    let more = await persist(() => {
      if (jump !== null) store.jumps.note(jump, clock.now())
      return store.jumps.follow(clock.now())
    })
    while (more) more = await persist(() => store.jumps.follow(clock.now()))
    this.#jumps--
    onFollowed()
  }

  async #shiftDue(backMs: number): Promise<void> {
    const { store, persist, senders } = this.#deps
    await inSteps(persist, (from: Shifted | null) => store.shiftDue(backMs, from))
    for (const sender of senders()) sender.forgetTimes()
  }
}
