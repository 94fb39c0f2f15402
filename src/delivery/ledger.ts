import type { CredentialInUse } from './credential.ts'
import type { Delivery } from './open/delivery.ts'
import { WriteQueue } from './persist.ts'
import type { SenderContext } from './sender-context.ts'
import type { OpenDelivery, Settlement } from './store/open-delivery.ts'
import type { DeviceFinding } from './verdict.ts'

type Context = Pick<SenderContext, 'application' | 'platform' | 'clock' | 'store' | 'persist' | 'registry' | 'events'>

/** Writes settlements with their findings about devices, and the ends of deliveries. */
export function createLedger(context: Context, inUse: () => Pick<CredentialInUse, 'number' | 'isGood'>) {
  const { application, platform, clock, store, persist, registry, events } = context
  const queues = new WeakMap<Delivery, WriteQueue>()

  /** Runs in a transaction, which may run twice. */
  function settle(record: OpenDelivery, settlement: Settlement): void {
    store.settle(record, settlement)
    for (const [credential, devices] of settlement.acceptedWith) {
      store.acceptance.accepted({ application, platform, credential }, devices)
    }
    for (const finding of settlement.findings) apply(finding, clock.wallAt(settlement.settledAt))
  }

  function apply(finding: DeviceFinding, now: number): void {
    // Another token has replaced this one.
    if (store.hasMoved(finding.device, finding.token)) return
    if (finding.kind !== 'refused') return registry.apply(finding, now)
    const { credential } = finding
    const { number, isGood } = inUse()
    if (isGood && credential === number) registry.apply({ ...finding, kind: 'quarantine' }, now)
    else store.acceptance.hold({ application, platform, credential }, finding)
  }

  return {
    /** Resolves when the settlement is on disk, after earlier ones of its delivery. */
    async write(delivery: Delivery, settlement: Settlement): Promise<void> {
      const { record } = delivery
      let queue = queues.get(delivery)
      if (queue === undefined) queues.set(delivery, (queue = new WriteQueue(persist)))
      const settleNow = () => settle(record, settlement)
      if (!settlement.finished) return queue.add(settleNow)
      const end = () => {
        store.end(record, delivery.endWith(inUse().isGood), clock.now())
        events.pushFinished(record, clock.wallAt(clock.now()))
      }
      if (record.queue === 'many' && delivery.endWith(true).abortReason !== null) {
        // Too many may wait for one transaction. Answers come first: their recipients still count as waiting on disk.
        await queue.add(settleNow)
        while (await persist(() => store.endSome(record, delivery.endWith(true), clock.now()))) continue
        return queue.add(end)
      }
      return queue.add(() => {
        settleNow()
        end()
      })
    },

    async written(delivery: Delivery): Promise<void> {
      await queues.get(delivery)?.empty()
    },
  }
}
