import type { Clock } from '../clock.ts'
import type { Platform } from '../device/device.ts'
import type { ActiveDelivery } from './active-delivery.ts'
import type { DeviceFinding, Page } from './page/page.ts'
import type { Task } from './page/task.ts'
import { RecipientResults } from './recipient-results.ts'
import type { CredentialKey } from './store/acceptance-store.ts'
import type { DeliveryStore } from './store/delivery-store.ts'
import type { AbortReason, OpenDelivery } from './store/open-delivery.ts'
import type { FinalVerdict } from './verdict.ts'
import { WriteQueue } from './write-queue.ts'

/** The registry of devices, for what answers say of them; runs inside the transaction that settles the answers. */
export interface DeviceRegistry {
  apply(finding: Exclude<DeviceFinding, { kind: 'refused' }>, now: number): void
}

/** Events of deliveries, for webhooks; each runs inside the transaction that writes down what happened. */
export interface DeliveryEvents {
  /** One platform's part of a push is over. */
  pushFinished(delivery: Pick<OpenDelivery, 'push' | 'application'>, now: number): void
  credentialPaused(application: number, platform: Platform, reason: string, now: number): void
  /** A gateway has taken a notification, after a pause or for the first time since the start. */
  credentialResumed(application: number, platform: Platform, now: number): void
}

interface Dependencies {
  readonly application: number
  readonly platform: Platform
  readonly clock: Clock
  readonly store: DeliveryStore
  /** Writes until it succeeds: a full disk delays what is to be written, and loses none of it. */
  readonly persist: <T>(operation: () => T) => Promise<T>
  readonly registry: DeviceRegistry
  /** Whether the gateway has taken something with the credential in use; and whether that is this one, as in `CredentialKey`. */
  readonly isGood: (credential?: number) => boolean
  readonly events: Pick<DeliveryEvents, 'pushFinished'>
  /** So many recipients have been written down to be sent to again. */
  readonly onRetries: (delivery: ActiveDelivery, recipients: number) => void
  /** A settlement is on disk: the delivery may have room for more. */
  readonly onWritten: (delivery: ActiveDelivery) => void
  /** The end of a delivery is on disk. */
  readonly onFinished: (delivery: ActiveDelivery) => void
  /** A delivery is parked on disk, `until` when; `null`: there is no such delivery any more. */
  readonly onWaiting: (delivery: ActiveDelivery, until: number | null) => void
}

/** What is written of a delivery in one transaction. */
interface Write {
  readonly delivery: ActiveDelivery
  readonly results: RecipientResults
  /** Whether the delivery ends with it. */
  readonly finished: boolean
  /** Runs in the transaction, which may run twice. */
  readonly write?: () => void
  readonly onWritten?: () => void
}

/**
 * Writes down what became of recipients: a page at a time, with all that its answers say of devices, in one
 * transaction; and the end of a delivery with the last of them.
 */
export class SettlementWriter {
  readonly #deps: Dependencies
  /** Results that are not on disk. */
  readonly #writing = new Set<RecipientResults>()
  /** Queues of deliveries with something to write. */
  readonly #queues = new Map<ActiveDelivery, WriteQueue>()

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /**
   * The audience of a delivery is counted, `more` than settled pages had: written in the order of all that is written of
   * the delivery, since its end keeps the numbers that are there, and with its end where that is all.
   */
  address(delivery: ActiveDelivery, more: number): void {
    const { store, clock } = this.#deps
    const now = clock.now()
    const write = () => store.address(delivery.record, more, now)
    if (delivery.isFinished) return
    if (delivery.finish()) {
      void this.#write({ delivery, results: new RecipientResults(), finished: true, write })
    } else {
      void this.#queueOf(delivery)
        .add(write)
        .then(() => this.finishOrPark(delivery))
    }
  }

  settlePage(delivery: ActiveDelivery, page: Page): void {
    const { store, clock } = this.#deps
    const now = clock.now()
    const { results } = page
    const settlement = delivery.settle(page, now)
    void this.#write({
      delivery,
      results,
      finished: settlement.finished,
      write: () => {
        store.settlePage(delivery.record, settlement, now)
        for (const [credential, devices] of page.acceptedWith) this.#accepted(credential, devices)
        for (const finding of page.findings) this.#apply(finding, now)
      },
      onWritten: () => delivery.wrotePage(page),
    })
  }

  /** Settles a recipient that is on no open page: it had waited, or its page was settled without it. */
  settleAlone(task: Task, verdict: FinalVerdict, finding: DeviceFinding | null, now: number): void {
    const { store } = this.#deps
    const { delivery, recipient } = task
    const { device } = recipient
    const settlement = delivery.settleAlone(task, verdict, now)
    const { accepted, acceptedIn, results, finished } = settlement
    void this.#write({
      delivery,
      results,
      finished,
      write: () => {
        store.settleRetry(delivery.record, device, { accepted, acceptedIn, results: results.rows }, now)
        if (verdict.kind === 'accepted' && verdict.credential !== null) this.#accepted(verdict.credential, [device])
        if (finding !== null) this.#apply(finding, now)
      },
      onWritten: () => delivery.wroteAlone(device, settlement),
    })
  }

  /** Ends a delivery whose last page is settled and whose last recipient has been reached, if that is so. */
  finishIfDone(delivery: ActiveDelivery): void {
    if (delivery.finish()) void this.#write({ delivery, results: new RecipientResults(), finished: true })
  }

  /** Ends a delivery that is done, and parks one that only waits. */
  finishOrPark(delivery: ActiveDelivery): void {
    this.finishIfDone(delivery)
    if (!delivery.onlyWaits(this.#deps.clock.now()) || this.#queues.get(delivery)?.isEmpty === false) return
    delivery.park()
    const { persist, store, onWaiting } = this.#deps
    void persist(() => store.park(delivery.record)).then((until) => {
      // The delivery was aborted meanwhile: it ends here.
      if (delivery.isOver) return
      this.#queues.delete(delivery)
      onWaiting(delivery, until)
    })
  }

  /** Ends a delivery whose push is cancelled, at once or with the last answer that is on its way. */
  cancel(delivery: ActiveDelivery): void {
    if (!delivery.isOver) this.#abort(delivery, 'cancelled')
  }

  /** Ends a delivery that the gateway refuses for everybody: who was not sent to has failed for the same reason. */
  refuse(delivery: ActiveDelivery, reason: string): void {
    if (!delivery.isOver) this.#abort(delivery, 'refused', reason)
  }

  /**
   * The same for one whose time to live is over, once it is known whom it addresses. With the number of those whom it
   * did not reach for that.
   */
  expire(delivery: ActiveDelivery): { readonly unreached: number } | null {
    if (delivery.isOver || !delivery.isCounted) return null
    const { left } = delivery
    this.#abort(delivery, 'expired')
    return { unreached: left }
  }

  /** Of what is still to be written, nobody waits longer than to `now` for another attempt. */
  makeDue(now: number): void {
    for (const results of this.#writing) results.makeDue(now)
  }

  /** Resolves when everything is on disk. */
  async written(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.empty()))
  }

  #abort(delivery: ActiveDelivery, why: AbortReason, refused: string | null = null): void {
    for (const page of delivery.abort(why, this.#deps.clock.now(), refused)) this.settlePage(delivery, page)
    this.finishIfDone(delivery)
  }

  async #write({ delivery, results, finished, write, onWritten }: Write): Promise<void> {
    const { store, onRetries, onFinished, events, clock } = this.#deps
    const { retries } = results
    const { record } = delivery
    const queue = this.#queueOf(delivery)
    const end = () => {
      store.end(record, delivery.end(this.#deps.isGood()), clock.now())
      events.pushFinished(record, clock.now())
    }
    this.#writing.add(results)
    if (finished && record.lane === 'many' && delivery.abortReason !== null) {
      // One transaction for all who wait would be as long as their list. What was answered comes before: of those who
      // wait somebody may be answered with it, and would count twice.
      if (write !== undefined) void queue.add(write)
      await queue.add(end, () => store.endSome(record, delivery, clock.now()))
    } else {
      await queue.add(() => {
        write?.()
        if (finished) end()
      })
    }
    this.#writing.delete(results)
    onWritten?.()
    if (retries > 0) onRetries(delivery, retries)
    if (finished) {
      this.#queues.delete(delivery)
      onFinished(delivery)
    } else {
      this.finishOrPark(delivery)
      this.#deps.onWritten(delivery)
    }
  }

  /** What is said of a token says nothing of the one that has taken its place. */
  #apply(finding: DeviceFinding, now: number): void {
    const { store, registry, isGood } = this.#deps
    if (store.hasMoved(finding.device, finding.token)) return
    if (finding.kind !== 'refused') registry.apply(finding, now)
    // By now something may have been taken.
    else if (isGood(finding.credential)) registry.apply({ ...finding, kind: 'quarantine' }, now)
    else store.acceptance.hold(this.#keyOf(finding.credential), finding)
  }

  #accepted(credential: number, devices: readonly number[]): void {
    this.#deps.store.acceptance.accepted(this.#keyOf(credential), devices)
  }

  #keyOf(credential: number): CredentialKey {
    const { application, platform } = this.#deps
    return { application, platform, credential }
  }

  #queueOf(delivery: ActiveDelivery): WriteQueue {
    let queue = this.#queues.get(delivery)
    if (queue === undefined) this.#queues.set(delivery, (queue = new WriteQueue(this.#deps.persist)))
    return queue
  }
}
