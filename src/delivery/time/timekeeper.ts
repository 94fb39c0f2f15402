import type { Clock } from '../../clock.ts'
import type { Platform } from '../../device/device.ts'
import type { Log } from '../../log.ts'
import type { ActiveDelivery } from '../active-delivery.ts'
import type { Dispatcher } from '../dispatcher.ts'
import { taskOfRemoved } from '../page/task.ts'
import type { Backlog } from '../queue/backlog.ts'
import type { SettlementWriter } from '../settlement-writer.ts'
import type { DeliveryStore } from '../store/delivery-store.ts'
import type { ExpiryKey } from '../store/expiry-scan.ts'
import { REMOVED } from '../verdict.ts'
import { inSteps } from './in-steps.ts'

interface Dependencies {
  readonly application: number
  readonly platform: Platform
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  readonly store: Pick<DeliveryStore, 'makeDue'>
  /** Writes until it succeeds. */
  readonly persist: <T>(operation: () => T) => Promise<T>
  readonly backlog: Backlog
  readonly writer: SettlementWriter
  readonly dispatcher: Dispatcher
}

/** What time does to the deliveries of one sender: retries come due, answers are late, times to live end. */
export class Timekeeper {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Time has passed, for every delivery in memory. */
  tick(now: number): void {
    const { backlog, writer, dispatcher } = this.#deps
    for (const delivery of backlog.all()) {
      this.check(delivery, now)
      const isPaused = dispatcher.size(now) === 0
      if (isPaused) {
        backlog.readForEnd(delivery, now)
        writer.finishOrPark(delivery)
      }
      for (const page of delivery.latePages(now, isPaused)) {
        writer.settlePage(delivery, page)
        backlog.enqueue(delivery)
      }
    }
  }

  /** Ends a delivery whose time to live is over; of another one leases recipients that are due. */
  check(delivery: ActiveDelivery, now: number): void {
    const { application, platform, log, backlog, writer, dispatcher } = this.#deps
    if (delivery.expiresAt <= now) {
      const expired = writer.expire(delivery)
      if (expired === null) return
      dispatcher.counters.countExpired(expired.unreached)
      log.warn('push expired', { application, platform, push: delivery.record.pushId, ...expired })
    } else if (delivery.nextDueAt <= now && dispatcher.size(now) > 0) {
      void backlog.leaseDue(delivery, now).then((dead) => {
        for (const one of dead) writer.settleAlone(taskOfRemoved(delivery, one, now), REMOVED, null, now)
      })
    }
  }

  /** Everybody who waits for another attempt, on disk or on a page that is not, is due now. */
  async makeAllDue(): Promise<void> {
    const { application, platform, clock, store, persist, backlog, writer, dispatcher } = this.#deps
    for (const delivery of backlog.all()) delivery.makeDue(clock.now())
    writer.makeDue(clock.now())
    await inSteps(persist, (from: ExpiryKey | null) => store.makeDue(application, platform, clock.now(), from))
    backlog.dueAgain(clock.now())
    dispatcher.pump()
  }
}
