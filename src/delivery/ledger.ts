import type { Settlement } from './open/delivery-events.ts'
import type { Delivery } from './open/delivery.ts'
import type { SenderContext } from './sender-context.ts'
import type { OpenDelivery } from './store/open-delivery.ts'
import type { DeviceFinding } from './verdict.ts'
import { WriteQueue } from './write-queue.ts'

type Context = Pick<SenderContext, 'application' | 'platform' | 'clock' | 'store' | 'persist' | 'registry' | 'events'>

interface Dependencies extends Context {
  /** Whether the credential in use, and if given this one, as in `CredentialKey`, is known to be good. */
  readonly isGood: (credential?: number) => boolean
}

/**
 * Writes settlements: a batch with all that its answers say about devices, or the end of a delivery, in a transaction.
 */
export class Ledger {
  readonly #deps: Dependencies
  readonly #queues = new WeakMap<Delivery, WriteQueue>()

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Resolves when the settlement is on disk, after earlier ones of its delivery. */
  async write(delivery: Delivery, settlement: Settlement): Promise<void> {
    const { store, events, isGood, clock, persist } = this.#deps
    const { record } = delivery
    let queue = this.#queues.get(delivery)
    if (queue === undefined) this.#queues.set(delivery, (queue = new WriteQueue(persist)))
    const settle = () => this.#settle(record, settlement)
    if (!settlement.finished) return queue.add(settle)
    const end = () => {
      store.end(record, delivery.endWith(isGood()), clock.now())
      events.pushFinished(record, clock.wallAt(clock.now()))
    }
    if (record.queue === 'many' && delivery.endWith(true).abortReason !== null) {
      // Those that wait may be too many for one transaction. The answers come first: a recipient that is answered here
      // still counts as waiting on disk.
      await queue.add(settle)
      while (await persist(() => store.endSome(record, delivery.endWith(true), clock.now()))) continue
      return queue.add(end)
    }
    return queue.add(() => {
      settle()
      end()
    })
  }

  /** Resolves when everything of a delivery is on disk. */
  async written(delivery: Delivery): Promise<void> {
    await this.#queues.get(delivery)?.empty()
  }

  /** Runs in a transaction, which may run twice. */
  #settle(record: OpenDelivery, settlement: Settlement): void {
    const { application, platform, store, clock } = this.#deps
    store.settle(record, settlement)
    for (const [credential, devices] of settlement.acceptedWith) {
      store.acceptance.accepted({ application, platform, credential }, devices)
    }
    for (const finding of settlement.findings) this.#apply(finding, clock.wallAt(settlement.settledAt))
  }

  #apply(finding: DeviceFinding, now: number): void {
    const { application, platform, store, registry, isGood } = this.#deps
    // The finding is about a token that another has replaced.
    if (store.hasMoved(finding.device, finding.token)) return
    if (finding.kind !== 'refused') return registry.apply(finding, now)
    const { credential } = finding
    // Something may have been accepted since.
    if (isGood(credential)) registry.apply({ ...finding, kind: 'quarantine' }, now)
    else store.acceptance.hold({ application, platform, credential }, finding)
  }
}
