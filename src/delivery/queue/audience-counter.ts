import { sleep } from '../../clock.ts'
import { describeError } from '../../text/error-code.ts'
import type { SenderContext } from '../sender-context.ts'
import type { OpenDelivery } from '../store/open-delivery.ts'
import { READ_AGAIN_MS } from './read-guard.ts'

/** Index entries counted before the event loop gets a turn: 0.3 ms, or 8 ms where filters are checked on each device. */
const COUNT_CANDIDATES = 2000

/** Counts of the devices after `after` in an audience, looking at so many `candidates`; and up to where that came. */
type Count = (after: number, candidates: number) => { readonly count: number; readonly last: number }

/** Counts audiences beside the sending, in parts: `t` is known soon, and also while nothing can be sent. */
export class AudienceCounter {
  readonly #deps: Pick<SenderContext, 'clock' | 'log'>
  /** Of audiences of many: in each turn of the event loop a part of the next one is counted. */
  #turn: Promise<void> = Promise.resolve()

  constructor(deps: Pick<SenderContext, 'clock' | 'log'>) {
    this.#deps = deps
  }

  /** Resolves with the size of an audience; with 0 where `isOver` says that nobody needs it any more. */
  async count(delivery: OpenDelivery, count: Count, isOver: () => boolean): Promise<number> {
    const { clock, log } = this.#deps
    let [after, total] = [0, 0]
    for (;;) {
      await this.#nextTurn(delivery)
      if (isOver()) return 0
      try {
        const part = count(after, COUNT_CANDIDATES)
        total += part.count
        after = part.last
        if (after >= delivery.ceiling) return total
      } catch (error) {
        const { application, platform } = delivery
        log.error('a delivery cannot be read; trying again', { application, platform, error: describeError(error) })
        await sleep(clock, READ_AGAIN_MS)
      }
    }
  }

  async #nextTurn({ queue }: OpenDelivery): Promise<void> {
    if (queue === 'single') return new Promise((resolve) => void setImmediate(resolve))
    const turn = this.#turn.then(() => new Promise<void>((resolve) => void setImmediate(resolve)))
    this.#turn = turn
    return turn
  }
}
