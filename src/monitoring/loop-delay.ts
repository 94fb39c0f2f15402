import { histogram } from './exposition.ts'
import type { Family } from './exposition.ts'
import { Histogram } from './histogram.ts'

/** How often to call `LoopDelay.tick`. */
export const LOOP_TICK_MS = 1000

const BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

/** How late timers run: all other work in the process waits as long. */
export class LoopDelay {
  readonly #late = new Histogram(BOUNDS_SECONDS)
  #tickedAt = performance.now()

  tick(): void {
    const now = performance.now()
    this.#late.observe(Math.max(now - this.#tickedAt - LOOP_TICK_MS, 0) / 1000)
    this.#tickedAt = now
  }

  families(): Family[] {
    const help = 'Delay of a timer that is due once a second.'
    return [histogram('bellhop_event_loop_delay_seconds', help, [[{}, this.#late]])]
  }
}
