import { MINUTE_MS } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import { numbersOf } from '../platform.ts'
import type { PlatformTable } from '../platform.ts'
import type { Platform } from '../device/device.ts'
import type { Provider } from '../gateway/gateway.ts'
import type { Log } from '../log.ts'
import { describeError } from '../text/error-code.ts'
import type { ServiceClock } from '../time/service-clock.ts'
import { SendBudget } from './send-budget.ts'
import { HeapTrimmer } from './heap-trimmer.ts'
import { LastRun } from './last-run.ts'
import { AGAIN_MS, byTimeOfDay, createPersist, inSteps } from './persist.ts'
import type { SenderStats, SenderState } from './sender-stats.ts'
import { Sender } from './sender.ts'
import type { DeliveryEvents, SenderContext } from './sender-context.ts'
import type { DeliveryStore } from './store/delivery-store.ts'

/** How often deliveries are checked for what is due, late or expired, while any is open. */
const TICK_MS = 250

/** A kill in a time in which nothing else is written makes nobody wait longer than this again. */
const KEEP_MS = MINUTE_MS

/** The least a sender may have in flight, however many share. */
const MIN_SHARE = 16

export interface DeliveryPoolDependencies {
  readonly clock: ServiceClock
  readonly log: Log
  /** In [0, 1). */
  readonly random: () => number
  readonly commit: Commit
  readonly store: DeliveryStore
  readonly platforms: PlatformTable
  readonly registry: SenderContext['registry']
  readonly events: DeliveryEvents
  /** The gateway of an application's platform with its credential; `null` while there is none. */
  readonly providerOf: (application: number, platform: Platform) => Provider | null
  /** The credential of that provider, as in `CredentialKey`; 0: the simulator's. */
  readonly credentialOf: (application: number, platform: Platform) => number
  /** Requests in flight, all together. */
  readonly maxInFlight: number
  /** Collects all garbage, and returns when that is done. */
  readonly collectGarbage: () => void
  /** Is told how long each answer of a platform's gateway took. */
  readonly latency: Readonly<Record<Platform, SenderContext['latency']>>
}

export interface DeliveryPool {
  /** Something was stored for this application, up to `push`, `push.number`, and is on disk. */
  wake(application: number, push: number): void
  /**
   * Ends deliveries of a cancelled push that are not in memory. Runs in the transaction that cancels; those in memory, and
   * those for which very many wait, end with `cancel`, once that is on disk.
   */
  cancelStored(application: number, push: number): void
  /** Sends no more of this push; answers that are on their way still count. */
  cancel(application: number, push: number): void
  /** A call sets the badge stored with a device: what is sent from now on shows it. For the transaction of the call. */
  badgeSet(application: number, platform: Platform): void
  /** The application's credential for this platform has changed. */
  reload(application: number, platform: Platform): void
  /** Credentials may have changed of senders that have had nothing to send since the start. */
  reloadIdle(): void
  /** The application is deleted. */
  forget(application: number): void
  /** Why nothing can be sent to a platform of an application now; `null` where it can. */
  pauseOf(application: number, platform: Platform): string | null
  /** One entry for each application and platform that has sent something since the start. */
  stats(): SenderStats[]
  /** Sends nothing more; resolves when everything in flight is answered and written down. */
  stop(): Promise<void>
  /** Closes the connections to the gateways; answers that are still to come are dropped. */
  close(): void
  /** What was sent and is not on disk. */
  unwritten(): Unwritten
}

/** What was sent and is not on disk: the next start sends it again. */
export interface Unwritten {
  readonly notifications: number
  /** That they belong to. */
  readonly pushes: number
}

/**
 * Everything that is sent. One sender for each application and platform, so that one whose gateway hangs holds up
 * no other; they share what may be in flight.
 *
 * Started → it picks up what the last run left open → wake() brings new work → stop().
 */
export function startDeliveryPool(deps: DeliveryPoolDependencies): DeliveryPool {
  const { clock, log, commit, store, platforms } = deps
  const numbers = numbersOf(platforms)
  const { registry, events } = byTimeOfDay(deps)
  const persist = createPersist({ clock, log, commit, isClosed: () => closed })
  const senders = new Map<string, Sender>()
  const trimmer = new HeapTrimmer(clock, deps.collectGarbage)
  const sendBudget = new SendBudget((sends) => trimmer.sent(sends))
  /**
   * `push.number` up to which everything is on disk. Pushes have their numbers in the order of their commits, so with
   * one all before it are; those behind it may be committed, and be undone by a power cut.
   */
  let lastOnDisk = store.lastPush()
  // Recounted by the tick and by each wake, not by each send.
  let shared = deps.maxInFlight
  let stopped = false
  let closed = false
  let cancelTick: (() => void) | null = null
  /** When something was last written for the sake of service time alone. */
  let keptAt = clock.now()
  const lastRun = new LastRun({ clock, store, persist, end })

  function share(): number {
    let busy = 0
    for (const sender of senders.values()) if (sender.activity === 'sending') busy++
    return Math.max(Math.floor(deps.maxInFlight / Math.max(busy, 1)), MIN_SHARE)
  }

  function senderOf(application: number, platform: Platform): Sender {
    const key = `${application}/${platform}`
    const known = senders.get(key)
    if (known !== undefined) return known
    const sender = new Sender({
      application,
      platform,
      clock,
      log,
      random: deps.random,
      store,
      persist,
      registry,
      events,
      sendBudget,
      share: () => shared,
      lastOnDisk: () => lastOnDisk,
      mayLoad: () => !lastRun.isLeased,
      latency: deps.latency[platform],
    })
    // Kept when it has what it needs: else it would pass for one without a credential.
    equip(sender, application, platform)
    senders.set(key, sender)
    return sender
  }

  function equip(sender: Sender, application: number, platform: Platform): void {
    sender.use(deps.providerOf(application, platform), deps.credentialOf(application, platform))
  }

  /** A sender to an optional platform that has nothing to send, and nothing to send with, is no news. */
  function isOfUse({ platform, state, open }: SenderState): boolean {
    return !platforms[platform].isOptional || state !== 'no-credential' || open > 0
  }

  function tick(): void {
    shared = share()
    if (!stopped) for (const sender of senders.values()) sender.tick()
    keepTime()
    cancelTick = null
    ensureTick()
  }

  /** Service time goes along with whatever is written; where nothing is, and something waits, that is seen to here. */
  function keepTime(): void {
    const now = clock.now()
    if (now - keptAt < KEEP_MS) return
    keptAt = now
    void persist(() => null)
  }

  /** For a while nothing was loaded. */
  function loadAgain(): void {
    for (const sender of senders.values()) sender.wake(null)
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
    shared = share()
    ensureTick()
  }

  /** Who has sent with a credential that is another by now gives back whom the one before was refused. */
  function reloadIdle(): void {
    for (const { application, platform, credential } of store.acceptance.all()) {
      const current = deps.credentialOf(application, platform)
      if (current !== 0 && current !== credential) senderOf(application, platform)
    }
  }

  /** Who asked for `work` was told that it is done: where the database cannot be read, it is tried again. */
  function untilRead(work: () => void): void {
    if (stopped) return
    try {
      work()
    } catch (error) {
      log.error('what is to be sent cannot be read; trying again', { error: describeError(error) })
      clock.after(AGAIN_MS, () => untilRead(work))
    }
  }

  /** A step of the end of a delivery that is cancelled and not in memory; whether it is to be followed by another. */
  function end(key: Parameters<DeliveryStore['cancel']>[0]): boolean {
    const outcome = store.cancel(key, clock.now())
    if (outcome === 'ended') events.pushFinished(key, clock.now())
    return outcome === 'more'
  }

  if (store.endLeases(clock.now())) void lastRun.endLeases().then(loadAgain)
  void lastRun.endCancelled()
  for (const { application } of store.senders()) wake(application)
  untilRead(reloadIdle)

  return {
    wake: (application, push) => untilRead(() => wake(application, push)),
    cancelStored(application, push) {
      for (const platform of numbers) {
        if (!senders.get(`${application}/${platform}`)?.holds(push)) end({ application, push, platform })
      }
    },
    cancel(application, push) {
      for (const platform of numbers) {
        const held = senders.get(`${application}/${platform}`)?.cancel(push) === true
        // It may have left memory since that transaction.
        if (!held) void inSteps(persist, () => end({ application, push, platform }) || null)
      }
    },
    badgeSet: (application, platform) => senders.get(`${application}/${platform}`)?.badgeSet(),
    reload(application, platform) {
      untilRead(() => {
        const sender = senders.get(`${application}/${platform}`)
        if (sender !== undefined) equip(sender, application, platform)
      })
    },
    reloadIdle: () => untilRead(reloadIdle),
    forget(application) {
      for (const platform of numbers) {
        senders.get(`${application}/${platform}`)?.close(true)
        senders.delete(`${application}/${platform}`)
      }
    },
    stats: () => [...senders.values()].map((sender) => sender.stats()).filter(isOfUse),
    pauseOf(application, platform) {
      const sender = senders.get(`${application}/${platform}`)?.standing
      if (sender === undefined || sender.state === 'ready') return null
      return sender.reason ?? `there is no credential for ${platforms[platform].gateway}`
    },
    async stop() {
      stopped = true
      await Promise.all([...senders.values()].map((sender) => sender.stop()))
      // What else was written goes out with this turn's commit, and this comes after it.
      await persist(() => null)
    },
    close() {
      closed = true
      cancelTick?.()
      for (const sender of senders.values()) sender.close()
    },
    unwritten() {
      const sent = [...senders.values()].flatMap((sender) => sender.unwritten()).filter(([, count]) => count > 0)
      return {
        notifications: sent.reduce((sum, [, count]) => sum + count, 0),
        pushes: new Set(sent.map(([push]) => push)).size,
      }
    },
  }
}
