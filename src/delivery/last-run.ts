import type { Clock } from '../clock.ts'
import type { DeliveryStore } from './store/delivery-store.ts'
import { beforeAll } from './store/expiry-scan.ts'
import type { ExpiryKey } from './store/expiry-scan.ts'
import type { DeliveryKey } from './store/open-delivery.ts'
import { inSteps } from './persist.ts'

interface Dependencies {
  readonly clock: Clock
  readonly store: Pick<DeliveryStore, 'endLeases' | 'cancelled'>
  /** Writes until it succeeds. */
  readonly persist: <T>(operation: () => T) => Promise<T>
  /** A step of the end of a delivery that is cancelled and not in memory; whether it is to be followed by another. */
  readonly end: (key: DeliveryKey) => boolean
}

/** What the last run left behind that loading its deliveries does not put right; the same after a kill -9. */
export class LastRun {
  readonly #deps: Dependencies
  #isLeased = false

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Whether leases of the last run are still being ended: what is loaded meanwhile would not be told from it. */
  get isLeased(): boolean {
    return this.#isLeased
  }

  /** It may have leased many recipients. Who is leased from then on is so by this run. Resolves when none is left. */
  async endLeases(): Promise<void> {
    const { clock, store, persist } = this.#deps
    this.#isLeased = true
    await inSteps(persist, () => store.endLeases(clock.now()) || null)
    this.#isLeased = false
  }

  /** It may have ended before deliveries of cancelled pushes had. */
  async endCancelled(): Promise<void> {
    const { store, persist, end } = this.#deps
    await inSteps(persist, (from: ExpiryKey | null) => {
      const { found, next } = store.cancelled(from)
      // In this transaction: the event of the end must be written, whatever happens in between.
      for (const key of found) if (end(key)) return from ?? beforeAll()
      return next
    })
  }
}
