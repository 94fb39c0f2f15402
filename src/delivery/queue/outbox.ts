import { sleep } from '../../clock.ts'
import type { CredentialInUse } from '../credential.ts'
import type { CurrentRecipients } from '../current-recipients.ts'
import { createLedger } from '../ledger.ts'
import type { Recipients } from '../open/audience-cursor.ts'
import { LEASE_MS, retriesIn } from '../open/batch.ts'
import type { DeliveryEvent, Effect } from '../open/delivery-events.ts'
import type { Delivery, Task } from '../open/delivery.ts'
import { ENOUGH_REFUSALS } from '../open/canary.ts'
import { inSteps } from '../persist.ts'
import type { SenderContext } from '../sender-context.ts'
import type { Settlement } from '../store/open-delivery.ts'
import type { ExpiryKey } from '../store/waiting-store.ts'
import { createLine } from './line.ts'
import { createLoader } from './loader.ts'
import type { Loader } from './loader.ts'
import { createReadGuard, READ_AGAIN_MS } from './read-guard.ts'

/** Index entries counted per turn of the event loop: 0.3 ms, or 8 ms with filters on each device. */
const COUNT_CANDIDATES = 2000

export interface OutboxDependencies extends SenderContext {
  readonly recipients: CurrentRecipients
  readonly credential: () => Pick<CredentialInUse, 'number' | 'isGood'>
  readonly onMore: () => void
}

export type Outbox = ReturnType<typeof createOutbox>

/** Passes events to the deliveries of one application and platform, and carries out the effects. */
export function createOutbox(deps: OutboxDependencies) {
  const { application, platform, clock, log, store, persist, recipients, credential, onMore, outcomes } = deps
  const guard = createReadGuard(clock, log)
  const line = createLine(guard)
  const ledger = createLedger(deps, credential)
  const loader = createLoader(deps, guard)
  let countTurn: Promise<void> = Promise.resolve()
  let isPausedNow = false

  function drain(delivery: Delivery): void {
    for (const effect of delivery.takeEffects()) void carryOut(delivery, effect)
  }

  function pass(delivery: Delivery, event: DeliveryEvent): void {
    delivery.on(event, clock.now())
    drain(delivery)
    line.add(delivery)
  }

  const tickOne = (delivery: Delivery): void => pass(delivery, { kind: 'tick', isPaused: isPausedNow })

  function passAll(event: DeliveryEvent): void {
    for (const delivery of loader.all()) pass(delivery, event)
  }

  function happened(delivery: Delivery, event: DeliveryEvent): void {
    pass(delivery, event)
    onMore()
  }

  function load(): void {
    for (const delivery of loader.load()) {
      tickOne(delivery)
      if (delivery.uncounted !== null) void countAudience(delivery, delivery.uncounted)
    }
  }

  function remove(delivery: Delivery, until: Parameters<Loader['remove']>[1]): void {
    loader.remove(delivery, until)
    load()
    onMore()
  }

  async function countAudience(delivery: Delivery, audience: Recipients): Promise<void> {
    const { record } = delivery
    for (let [after, total] = [0, 0]; delivery.phase !== 'over';) {
      await (record.queue === 'single' ? nextTurn() : (countTurn = countTurn.then(nextTurn)))
      const part = guard.read(audience, () => audience.count(after, COUNT_CANDIDATES))
      if (part === null) {
        await sleep(clock, READ_AGAIN_MS)
        continue
      }
      total += part.count
      after = part.last
      if (after < record.ceiling) continue
      pass(delivery, { kind: 'counted', count: total })
      return tickOne(delivery)
    }
  }

  async function carryOut(delivery: Delivery, effect: Effect): Promise<void> {
    const { record } = delivery
    const push = record.pushId
    switch (effect.kind) {
      case 'write':
        return write(delivery, effect.settlement)
      case 'wait': {
        const at = await persist(() => store.wait(record))
        if (delivery.phase !== 'waiting') return
        return remove(delivery, at === null ? null : { at, retries: delivery.summary(clock.now()).retries })
      }
      case 'lease due': {
        const leased = await persist(() => {
          const now = clock.now()
          return { due: store.takeDue(record, now, now + LEASE_MS, effect.limit), next: store.nextDue(record) }
        })
        return happened(delivery, { kind: 'due leased', ...leased })
      }
      case 'lease badges': {
        const { batch } = effect
        const devices = batch.recipients.map(({ device }) => device)
        const leased = await persist(() => recipients.leaseBadges(record, devices))
        if (leased !== null) happened(delivery, { kind: 'badges leased', batch, ...leased })
        return
      }
      case 'expired':
        outcomes.expired += effect.unreached
        log.warn('push expired', { push, unreached: effect.unreached })
        return
      case 'refused':
        log.warn('push refused', { push, reason: effect.reason, devices: ENOUGH_REFUSALS })
    }
  }

  async function write(delivery: Delivery, settlement: Settlement): Promise<void> {
    const push = delivery.record.pushId
    await ledger.write(delivery, settlement)
    const retries = retriesIn(settlement)
    if (retries > 0) log.debug('to be sent again', { push, recipients: retries })
    if (!settlement.finished) return happened(delivery, { kind: 'written', settlement })
    const { abortReason, refused: reason } = delivery.endWith(credential().isGood)
    if (abortReason === null && reason !== null) log.warn('push refused', { push, reason })
    log.debug('push sent', { push })
    remove(delivery, null)
  }

  return {
    pass,

    loaded: loader,

    /** Whether somebody may be left to send to without an answer coming first. */
    get isSearching(): boolean {
      return loader.all().some(({ waitsFor }) => waitsFor !== null)
    },

    take(now: number, samplePlace: number | null): Task | null {
      const task = line.take(now, samplePlace, drain)
      if (task === null && line.isSearching) {
        setImmediate(() => {
          if (line.searchOn()) onMore()
        })
      }
      return task
    },

    wake(push: number | null): void {
      loader.wake(push)
      load()
    },

    tick(isPaused: boolean): void {
      isPausedNow = isPaused
      load()
      for (const delivery of loader.all()) tickOne(delivery)
    },

    async makeAllDue(): Promise<void> {
      passAll({ kind: 'made due' })
      await inSteps(persist, (from: ExpiryKey | null) => store.makeDue(application, platform, clock.now(), from))
      passAll({ kind: 'rows made due' })
      loader.forgetTimes()
      onMore()
    },

    stop: (): void => passAll({ kind: 'stopped' }),

    async written(): Promise<void> {
      await Promise.all(loader.all().map((delivery) => ledger.written(delivery)))
    },

    clear: (): void => loader.clear(),
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
