import { MINUTE_MS } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import type { Platform } from '../device/device.ts'
import type { Provider } from '../gateway/gateway.ts'
import { logOf } from '../log.ts'
import { numbersOf } from '../platform.ts'
import type { PlatformTable } from '../platform.ts'
import { describeError } from '../text/error-code.ts'
import { createHeapTrimmer } from './heap-trimmer.ts'
import { AGAIN_MS, createPersist, inSteps } from './persist.ts'
import { createSendBudget } from './send-budget.ts'
import type { SenderContext } from './sender-context.ts'
import { unwrittenOf } from './sender-stats.ts'
import type { SenderStats } from './sender-stats.ts'
import { createSender } from './sender.ts'
import type { Sender } from './sender.ts'
import type { DeliveryKey } from './store/open-delivery.ts'
import type { ExpiryKey } from './store/waiting-store.ts'

const TICK_MS = 250
const MIN_SHARE = 16

/** Service time is stored this often: a kill adds no more to a wait. */
const KEEP_MS = MINUTE_MS

interface Dependencies extends Pick<SenderContext, 'clock' | 'log' | 'random' | 'store' | 'registry' | 'events'> {
  readonly commit: Commit
  readonly platforms: PlatformTable
  readonly providerOf: (application: number, platform: Platform) => Provider | null
  readonly credentialOf: (application: number, platform: Platform) => number
  readonly maxInFlight: number
  readonly collectGarbage: () => void
  readonly latency: Readonly<Record<Platform, SenderContext['latency']>>
}

export type DeliveryPool = ReturnType<typeof startDeliveryPool>

/** One sender for each application and platform: a gateway that hangs holds up no other. */
export function startDeliveryPool(deps: Dependencies) {
  const { clock, log, store, platforms, events } = deps
  const numbers = numbersOf(platforms)
  const persist = createPersist(deps.commit, clock, log, () => closed)
  const senders = new Map<string, Sender>()
  const held = new Set<number>()
  /** `push.number`. A power cut may undo the commit of a later one. */
  let lastOnDisk = store.lastPush()
  let sharedInFlight = deps.maxInFlight
  let mayLoad = true
  let stopped = false
  let closed = false
  let cancelTick: (() => void) | null = null
  /** When service time was last stored for its own sake: every write stores it. */
  let keptAt = clock.now()

  const shared = {
    ...deps,
    persist,
    sendBudget: createSendBudget(createHeapTrimmer(clock, deps.collectGarbage)),
    share: () => sharedInFlight,
    lastOnDisk: () => lastOnDisk,
    mayLoad: () => mayLoad,
  }

  const senderIn = (application: number, platform: Platform) => senders.get(`${application}/${platform}`)

  function senderOf(application: number, platform: Platform): Sender {
    const known = senderIn(application, platform)
    if (known !== undefined) return known
    const named = logOf(
      (level) => log.writes(level),
      (level, event, fields) => log[level](event, { application, platform, ...fields }),
    )
    const outcomes = { accepted: 0, gone: 0, rejected: 0, deferred: 0, misconfigured: 0, expired: 0 }
    const own = { application, platform, log: named, latency: deps.latency[platform], outcomes }
    const sender = createSender({ ...shared, ...own })
    // May throw. A sender without a provider would look like one without a credential.
    equip(sender, application, platform)
    senders.set(`${application}/${platform}`, sender)
    return sender
  }

  function equip(sender: Sender, application: number, platform: Platform): void {
    sender.use(deps.providerOf(application, platform), deps.credentialOf(application, platform))
  }

  function countShare(): void {
    let busy = 0
    for (const sender of senders.values()) if (sender.activity === 'sending') busy++
    sharedInFlight = Math.max(Math.floor(deps.maxInFlight / Math.max(busy, 1)), MIN_SHARE)
  }

  function tick(): void {
    countShare()
    if (!stopped) for (const sender of senders.values()) sender.tick()
    if (clock.now() - keptAt >= KEEP_MS) {
      keptAt = clock.now()
      void persist(() => null)
    }
    cancelTick = null
    ensureTick()
  }

  function ensureTick(): void {
    if (cancelTick !== null || closed) return
    if ([...senders.values()].every((sender) => sender.activity === 'done')) return
    cancelTick = clock.after(TICK_MS, tick)
  }

  function wake(application: number, push: number | null = null): void {
    lastOnDisk = Math.max(lastOnDisk, push ?? 0)
    if (stopped || held.has(application)) return
    for (const platform of numbers) senderOf(application, platform).wake(push)
    countShare()
    ensureTick()
  }

  /** A sender whose credential was replaced restores devices that were refused with the old one. */
  function reloadIdle(): void {
    for (const { application, platform, credential } of store.acceptance.all()) {
      const current = deps.credentialOf(application, platform)
      if (current !== 0 && current !== credential && !held.has(application)) senderOf(application, platform)
    }
  }

  /** Tries again if the database cannot be read: the caller already has its answer. */
  function untilRead(work: () => void): void {
    if (stopped) return
    try {
      work()
    } catch (error) {
      log.error('deliveries cannot be read; trying again', { error: describeError(error) })
      clock.after(AGAIN_MS, () => untilRead(work))
    }
  }

  async function endLeases(): Promise<void> {
    mayLoad = false
    await inSteps(persist, () => store.endLeases(clock.now()) || null)
    mayLoad = true
    for (const sender of senders.values()) sender.wake(null)
    ensureTick()
  }

  /** Ends some of a delivery that is not in memory, in a transaction; returns whether there is more. */
  function endCancelled(key: DeliveryKey): boolean {
    const outcome = store.cancel(key, clock.now())
    // In this transaction, or a crash would lose the event.
    if (outcome === 'ended') events.pushFinished(key, clock.wallAt(clock.now()))
    return outcome === 'more'
  }

  function forget(application: number): void {
    for (const platform of numbers) {
      senderIn(application, platform)?.forget()
      senders.delete(`${application}/${platform}`)
    }
  }

  if (store.endLeases(clock.now())) void endLeases()
  void inSteps(persist, (from: ExpiryKey | null) => {
    const { found, from: start, next } = store.cancelled(from)
    return found.some(endCancelled) ? start : next
  })
  for (const { application } of store.senders()) wake(application)
  untilRead(reloadIdle)

  return {
    /** Pushes of this application up to `push`, `push.number`, are on disk. */
    wake: (application: number, push: number): void => untilRead(() => wake(application, push)),

    mayHaveReached: (application: number, push: number, platform: Platform): boolean =>
      senderIn(application, platform)?.mayHaveReached(push) ?? false,

    /**
     * In the transaction that cancels: ends deliveries that are not in memory. `cancel` ends the others, and those with
     * very many waiting, once that is on disk.
     */
    cancelStored(application: number, push: number): void {
      for (const platform of numbers) {
        if (senderIn(application, platform)?.holds(push) !== true) endCancelled({ application, push, platform })
      }
    },

    cancel(application: number, push: number): void {
      for (const platform of numbers) {
        if (senderIn(application, platform)?.cancel(push) === true) continue
        // It may have left memory since that transaction.
        void inSteps(persist, () => endCancelled({ application, push, platform }) || null)
      }
    },

    badgeSet: (application: number, platform: Platform): void => senderIn(application, platform)?.badgeSet(),

    reload: (application: number, platform: Platform): void =>
      untilRead(() => {
        const sender = senderIn(application, platform)
        if (sender !== undefined) equip(sender, application, platform)
      }),

    /** For senders with nothing to send since the start, whose credential may have changed. */
    reloadIdle: (): void => untilRead(reloadIdle),

    forget,
    /** Stops an application's sending; resolves when all that waits is on disk, as for the next start. */
    async hold(application: number): Promise<void> {
      held.add(application)
      await Promise.all(numbers.flatMap((platform) => senderIn(application, platform)?.stop() ?? []))
      forget(application)
      await inSteps(persist, () => store.endLeasesOf(application, clock.now()) || null)
    },

    release(application: number): void {
      if (!held.delete(application)) return
      forget(application)
      untilRead(() => wake(application))
    },

    stats(): SenderStats[] {
      // Hides optional platforms that have neither pushes nor a credential.
      const all = [...senders.values()].map((sender) => sender.stats())
      return all.filter((one) => !platforms[one.platform].isOptional || one.state !== 'no-credential' || one.open > 0)
    },

    pauseOf(application: number, platform: Platform): string | null {
      const standing = senderIn(application, platform)?.standing()
      if (standing === undefined || standing.state === 'ready') return null
      return standing.reason ?? `there is no credential for ${platforms[platform].gateway}`
    },

    /** Sends nothing more; resolves when everything in flight is answered and on disk. */
    async stop(): Promise<void> {
      stopped = true
      await Promise.all([...senders.values()].map((sender) => sender.stop()))
      // Other writes go out with this turn's commit, which this one waits for.
      await persist(() => null)
    },

    close(): void {
      closed = true
      cancelTick?.()
      for (const sender of senders.values()) sender.close()
    },

    unwritten: () => unwrittenOf([...senders.values()].flatMap((sender) => sender.unwritten())),
  }
}
