import { inSteps } from './persist.ts'
import type { SenderContext } from './sender-context.ts'
import type { DeliveryKey } from './store/open-delivery.ts'
import type { ExpiryKey } from './store/waiting-store.ts'

type Dependencies = Pick<SenderContext, 'clock' | 'store' | 'events' | 'persist'>

/** Ends deliveries of cancelled pushes that are not in memory. */
export function createCancelledDeliveries({ clock, store, events, persist }: Dependencies) {
  /** A step of it, inside a transaction; returns whether another must follow. */
  function end(key: DeliveryKey): boolean {
    const outcome = store.cancel(key, clock.now())
    if (outcome === 'ended') events.pushFinished(key, clock.wallAt(clock.now()))
    return outcome === 'more'
  }

  return {
    end,

    /** Those that the last run cancelled and did not end. */
    endAll: (): Promise<void> =>
      inSteps(persist, (from: ExpiryKey | null) => {
        const { found, from: start, next } = store.cancelled(from)
        // In this transaction, or a crash would lose the event.
        return found.some(end) ? start : next
      }),
  }
}
