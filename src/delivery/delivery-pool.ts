import { MINUTE_MS } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import type { Platform } from '../device/device.ts'
import type { Provider } from '../gateway/gateway.ts'
import type { LogFields, LogLevel } from '../log.ts'
import { numbersOf } from '../platform.ts'
import type { PlatformTable } from '../platform.ts'
import { describeError } from '../text/error-code.ts'
import { createCancelledDeliveries } from './cancelled-deliveries.ts'
import { HeapTrimmer } from './heap-trimmer.ts'
import { AGAIN_MS, createPersist, inSteps } from './persist.ts'
import { SendBudget } from './send-budget.ts'
import type { SenderContext } from './sender-context.ts'
import type { SenderStats } from './sender-stats.ts'
import { Sender } from './sender.ts'

/** How often deliveries are checked for what is due, late or expired, while any is open. */
const TICK_MS = 250

/** Service time is stored at least this often: a kill adds no more to a wait. */
const KEEP_MS = MINUTE_MS

/** The least a sender may have in flight, however many share. */
const MIN_SHARE = 16

type Shared = Pick<SenderContext, 'clock' | 'log' | 'random' | 'store' | 'registry' | 'events'>

export interface DeliveryPoolDependencies extends Shared {
  readonly commit: Commit
  readonly platforms: PlatformTable
  /** The gateway of an application's platform with its credential; `null` while there is none. */
  readonly providerOf: (application: number, platform: Platform) => Provider | null
  /** The credential of that provider, as in `CredentialKey`. */
  readonly credentialOf: (application: number, platform: Platform) => number
  /** Requests in flight, all together. */
  readonly maxInFlight: number
  /** Returns when all garbage is collected. */
  readonly collectGarbage: () => void
  readonly latency: Readonly<Record<Platform, SenderContext['latency']>>
}

export type DeliveryPool = ReturnType<typeof startDeliveryPool>

/** What was sent and is not on disk: the next start sends it again. */
export interface Unwritten {
  readonly notifications: number
  readonly pushes: number
}

/**
 * Everything that is sent, by a sender for each application and platform: if the gateway of one hangs, it holds up no
 * other. They share what may be in flight.
 */
export function startDeliveryPool(deps: DeliveryPoolDependencies) {
  const { clock, log, store, platforms } = deps
  const numbers = numbersOf(platforms)
  const persist = createPersist({ ...deps, isClosed: () => closed })
  const cancelled = createCancelledDeliveries({ ...deps, persist })
  const senders = new Map<string, Sender>()
  const trimmer = new HeapTrimmer(clock, deps.collectGarbage)
  /**
   * `push.number` up to which everything is on disk: pushes have their numbers in the order of their commits. A later
   * one may be committed, and be undone by a power cut.
   */
  let lastOnDisk = store.lastPush()
  /** Counted again with each tick and wake, not with each send. */
  let sharedInFlight = deps.maxInFlight
  let mayLoad = true
  let stopped = false
  let closed = false
  let cancelTick: (() => void) | null = null
  /** When something was last written only to store service time, as every write does. */
  let keptAt = clock.now()

  const shared = {
    ...deps,
    persist,
    sendBudget: new SendBudget((sends) => trimmer.sent(sends)),
    share: () => sharedInFlight,
    lastOnDisk: () => lastOnDisk,
    mayLoad: () => mayLoad,
  }

  function senderOf(application: number, platform: Platform): Sender {
    const key = `${application}/${platform}`
    const known = senders.get(key)
    if (known !== undefined) return known
    const at = (level: LogLevel) => (event: string, fields?: LogFields) =>
      log[level](event, { application, platform, ...fields })
    const named = { ...log, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
    const sender = new Sender({ ...shared, log: named, application, platform, latency: deps.latency[platform] })
    // May throw: kept without a provider, it would look like one without a credential.
    equip(sender, application, platform)
    senders.set(key, sender)
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
    if (stopped) return
    lastOnDisk = Math.max(lastOnDisk, push ?? 0)
    for (const platform of numbers) senderOf(application, platform).wake(push)
    countShare()
    ensureTick()
  }

  /** A sender whose credential was replaced gives back the devices that the one before was refused for. */
  function reloadIdle(): void {
    for (const { application, platform, credential } of store.acceptance.all()) {
      const current = deps.credentialOf(application, platform)
      if (current !== 0 && current !== credential) senderOf(application, platform)
    }
  }

  /** The caller already has its answer, so if the database cannot be read, this is tried again. */
  function untilRead(work: () => void): void {
    if (stopped) return
    try {
      work()
    } catch (error) {
      log.error('what is to be sent cannot be read; trying again', { error: describeError(error) })
      clock.after(AGAIN_MS, () => untilRead(work))
    }
  }

  /** Ends the leases of the last run. */
  async function endLeases(): Promise<void> {
    mayLoad = false
    await inSteps(persist, () => store.endLeases(clock.now()) || null)
    mayLoad = true
    for (const sender of senders.values()) sender.wake(null)
    ensureTick()
  }

  if (store.endLeases(clock.now())) void endLeases()
  void cancelled.endAll()
  for (const { application } of store.senders()) wake(application)
  untilRead(reloadIdle)

  return {
    /** Pushes of this application up to `push`, `push.number`, are on disk. */
    wake: (application: number, push: number): void => untilRead(() => wake(application, push)),

    /**
     * Ends deliveries of a cancelled push that are not in memory. Runs in the transaction that cancels; those in
     * memory, and those with very many waiting, end with `cancel`, once that is on disk.
     */
    cancelStored(application: number, push: number): void {
      for (const platform of numbers) {
        if (!senders.get(`${application}/${platform}`)?.holds(push)) cancelled.end({ application, push, platform })
      }
    },

    /** Sends no more of this push; answers that are still to come count. */
    cancel(application: number, push: number): void {
      for (const platform of numbers) {
        const held = senders.get(`${application}/${platform}`)?.cancel(push) === true
        // It may have left memory since that transaction.
        if (!held) void inSteps(persist, () => cancelled.end({ application, push, platform }) || null)
      }
    },

    /** A call sets the badge stored with a device. For the transaction of the call. */
    badgeSet: (application: number, platform: Platform): void => senders.get(`${application}/${platform}`)?.badgeSet(),

    /** The application's credential for this platform has changed. */
    reload: (application: number, platform: Platform): void =>
      untilRead(() => {
        const sender = senders.get(`${application}/${platform}`)
        if (sender !== undefined) equip(sender, application, platform)
      }),

    /** Credentials may have changed of senders that have had nothing to send since the start. */
    reloadIdle: (): void => untilRead(reloadIdle),

    /** The application is deleted. */
    forget(application: number): void {
      for (const platform of numbers) {
        senders.get(`${application}/${platform}`)?.close(true)
        senders.delete(`${application}/${platform}`)
      }
    },

    /** One entry for each application and platform that has sent something since the start. */
    stats(): SenderStats[] {
      // An optional platform with nothing to send, and nothing to send with, is not worth showing.
      const all = [...senders.values()].map((sender) => sender.stats())
      return all.filter((one) => !platforms[one.platform].isOptional || one.state !== 'no-credential' || one.open > 0)
    },

    /** Why nothing can be sent to a platform of an application now; `null` if it can. */
    pauseOf(application: number, platform: Platform): string | null {
      const sender = senders.get(`${application}/${platform}`)?.standing
      if (sender === undefined || sender.state === 'ready') return null
      return sender.reason ?? `there is no credential for ${platforms[platform].gateway}`
    },

    /** Sends nothing more; resolves when everything in flight is answered and on disk. */
    async stop(): Promise<void> {
      stopped = true
      await Promise.all([...senders.values()].map((sender) => sender.stop()))
      // Other writes go out with this turn's commit, which this one waits for.
      await persist(() => null)
    },

    /** Closes the connections to the gateways; answers that are still to come are dropped. */
    close(): void {
      closed = true
      cancelTick?.()
      for (const sender of senders.values()) sender.close()
    },

    unwritten(): Unwritten {
      const sent = [...senders.values()].flatMap((sender) => sender.unwritten()).filter(([, count]) => count > 0)
      const notifications = sent.reduce((sum, [, count]) => sum + count, 0)
      return { notifications, pushes: new Set(sent.map(([push]) => push)).size }
    },
  }
}
