import type { Delivery } from './open/delivery.ts'
import type { DeviceFinding } from './open/batch.ts'
import type { Settlement } from './open/delivery-events.ts'
import type { SenderContext } from './sender-context.ts'
import type { CredentialKey } from './store/acceptance-store.ts'
import type { OpenDelivery } from './store/open-delivery.ts'
import { WriteQueue } from './write-queue.ts'

type Context = Pick<SenderContext, 'application' | 'platform' | 'clock' | 'store' | 'persist' | 'registry' | 'events'>

interface Dependencies extends Context {
  /** Whether the gateway has taken something with the credential in use; and whether that is this one, as in `CredentialKey`. */
  readonly isGood: (credential?: number) => boolean
}

/**
 * Writes down what became of recipients: a batch at a time, with all that its answers say of devices, in one transaction;
 * and the end of a delivery with the last of them.
 */
export class Ledger {
  readonly #deps: Dependencies
  /** Of deliveries with something to write. */
  readonly #queues = new Map<Delivery, WriteQueue>()

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Resolves when it is on disk, after all that was to be written of the delivery before. */
  async write(delivery: Delivery, settlement: Settlement): Promise<void> {
    const { store, events, isGood, clock } = this.#deps
    const { record } = delivery
    const queue = this.#queueOf(delivery)
    const settle = () => this.#settle(record, settlement)
    if (!settlement.finished) return queue.add(settle)
    const end = () => {
      store.end(record, delivery.endWith(isGood()), clock.now())
      events.pushFinished(record, clock.now())
    }
    if (record.queue === 'many' && delivery.endWith(true).abortReason !== null) {
      // One transaction for all who wait would be as long as their list. What was answered comes before: of those who
      // wait somebody may be answered with it, and would count twice.
      void queue.add(settle)
      await queue.add(end, () => store.endSome(record, delivery.endWith(true), clock.now()))
    } else {
      await queue.add(() => {
        settle()
        end()
      })
    }
    this.#queues.delete(delivery)
  }

  /** Nothing more is to be written of a delivery: it leaves memory. */
  forget(delivery: Delivery): void {
    this.#queues.delete(delivery)
  }

  /** Resolves when everything is on disk. */
  async written(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.empty()))
  }

  /** Runs in a transaction, which may run twice. */
  #settle(record: OpenDelivery, settlement: Settlement): void {
    const { application, platform, store } = this.#deps
    store.settle(record, settlement)
    for (const [credential, devices] of settlement.acceptedWith) {
      store.acceptance.accepted({ application, platform, credential }, devices)
    }
    for (const finding of settlement.findings) this.#apply(finding, settlement.settledAt)
  }

  /** What is said of a token says nothing of the one that has taken its place. */
  #apply(finding: DeviceFinding, now: number): void {
    const { application, platform, store, registry, isGood } = this.#deps
    if (store.hasMoved(finding.device, finding.token)) return
    if (finding.kind !== 'refused') return registry.apply(finding, now)
    const key: CredentialKey = { application, platform, credential: finding.credential }
    // By now something may have been taken.
    if (isGood(finding.credential)) registry.apply({ ...finding, kind: 'quarantine' }, now)
    else store.acceptance.hold(key, finding)
  }

  #queueOf(delivery: Delivery): WriteQueue {
    let queue = this.#queues.get(delivery)
    if (queue === undefined) this.#queues.set(delivery, (queue = new WriteQueue(this.#deps.persist)))
    return queue
  }
}
