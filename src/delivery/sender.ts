import type { Platform } from '../device/device.ts'
import type { Provider } from '../gateway/gateway.ts'
import type { Log } from '../log.ts'
import type { ServiceClock } from '../time/service-clock.ts'
import { GatewayTrouble } from './credential/gateway-trouble.ts'
import type { SendBudget } from './credential/send-budget.ts'
import { Dispatcher } from './dispatcher.ts'
import { OutcomeHandler } from './outcome-handler.ts'
import { STRAGGLER_MS } from './page/page.ts'
import { Backlog } from './queue/backlog.ts'
import { backlogStats, senderStateOf } from './sender-stats.ts'
import type { SenderStats, SenderState } from './sender-stats.ts'
import { SettlementWriter } from './settlement-writer.ts'
import type { DeliveryEvents, DeviceRegistry } from './settlement-writer.ts'
import { StoredBadges } from './stored-badges.ts'
import type { BadgeRegistry } from './stored-badges.ts'
import type { DeliveryStore } from './store/delivery-store.ts'
import type { CredentialKey } from './store/acceptance-store.ts'
import { inSteps } from './time/in-steps.ts'
import { Timekeeper } from './time/timekeeper.ts'

export interface SenderDependencies {
  readonly application: number
  readonly platform: Platform
  readonly clock: ServiceClock
  readonly log: Log
  /** In [0, 1). */
  readonly random: () => number
  readonly store: DeliveryStore
  /** `push.number` up to which everything is on disk. */
  readonly lastOnDisk: () => number
  /** Whether nothing of the last run can be taken for what is leased now. */
  readonly mayLoad: () => boolean
  /** Writes until it succeeds. */
  readonly persist: <T>(operation: () => T) => Promise<T>
  readonly registry: DeviceRegistry &
    BadgeRegistry & {
      /**
       * Gives back some of the devices that a gateway refused before `before`, ms since the Unix epoch; whether there may
       * be more.
       */
      giveBack(application: number, platform: Platform, before: number): boolean
    }
  readonly events: DeliveryEvents
  /** Shared by all senders. */
  readonly sendBudget: SendBudget
  /** Requests this sender may have in flight, of what all share. */
  readonly share: () => number
  /** Is told how long each answer took, in seconds. */
  readonly latency: { observe(seconds: number): void }
}

/**
 * Sends everything of one application to one platform, as fast as the window of its credential allows.
 *
 * A device, a push, a credential, a gateway and this machine can each be at fault. Whatever one of them does, the others
 * go on:
 *
 * | At fault   | How it shows                          | What waits              | Goes on              | Who is told               | Until                    |
 * | ---------- | ------------------------------------- | ----------------------- | -------------------- | ------------------------- | ------------------------ |
 * | device     | it alone is refused, put off, or not  | its notifications, each | all others; its page | explain                   | it is taken or gone, or  |
 * |            | answered (`silent-devices.ts`)        | with its own backoff    | closes and counts    |                           | the time to live is over |
 * | push       | refused for 100 for one reason, and   | nobody: the rest has    | all other pushes     | status, explain, webhook, | at once                  |
 * |            | taken for none (`push-trial.ts`)      | failed                  |                      | log                       |                          |
 * | credential | no device had a part; ten complained  | all that is sent with   | the other platform,  | /readyz 503, status,      | it takes another device, |
 * |            | that were sent to before, and none    | it                      | other applications   | explain, webhook, log     | or is replaced           |
 * |            | was taken (`credential-breaker.ts`)   |                         |                      |                           |                          |
 * | push       | asks for time; no connection; breaks  | its own browsers        | all other push       | log, explain              | it takes another         |
 * | service    | requests (`service-lanes.ts`)         |                         | services             |                           |                          |
 * | gateway    | no connection; ten were answered 503  | all that is sent there  | the same             | /readyz (warning),        | it takes another device  |
 * |            | or the like, and none was taken       | with the credential     |                      | status, explain, log      |                          |
 * | machine    | what became of notifications cannot   | what goes beyond 16     | what is on its way;  | /readyz 503, log, the     | the disk takes writes    |
 * |            | be written down                       | pages of each push, or  | what only reads      | exit code of a stop       |                          |
 * |            |                                       | changes badges          |                      |                           |                          |
 */
export class Sender {
  readonly #deps: SenderDependencies
  readonly #name: { readonly application: number; readonly platform: Platform }
  readonly #badges: StoredBadges
  readonly #backlog: Backlog
  readonly #writer: SettlementWriter
  readonly #outcomes: OutcomeHandler
  readonly #dispatcher: Dispatcher
  readonly #timekeeper: Timekeeper
  readonly #trouble: GatewayTrouble
  /** Whether it ever had a provider. */
  #isUsed = false

  constructor(deps: SenderDependencies) {
    const { application, platform, log } = deps
    this.#deps = deps
    this.#name = { application, platform }
    this.#badges = new StoredBadges({
      ...deps,
      onLeased: (push) => {
        const delivery = this.#backlog.find(push)
        if (delivery !== null) this.#backlog.enqueue(delivery)
        this.#dispatcher.pump()
      },
    })
    this.#trouble = new GatewayTrouble(log, application, platform)
    this.#backlog = new Backlog({
      ...deps,
      badges: this.#badges,
      onMore: () => this.#dispatcher.pump(),
      onCounted: (delivery, more) => {
        if (more !== null) this.#writer.address(delivery, more)
        this.#writer.finishOrPark(delivery)
        this.#timekeeper.check(delivery, deps.clock.now())
      },
      onTime: (delivery) => this.#timekeeper.check(delivery, deps.clock.now()),
    })
    this.#writer = new SettlementWriter({
      ...deps,
      isGood: (credential = this.#dispatcher.credential) =>
        credential === this.#dispatcher.credential && this.#dispatcher.health.isGood,
      onRetries: ({ record }, recipients) =>
        log.debug('to be sent again', { ...this.#name, push: record.pushId, recipients }),
      onWritten: (delivery) => {
        this.#backlog.enqueue(delivery)
        this.#dispatcher.pump()
      },
      onFinished: (delivery) => {
        const push = delivery.record.pushId
        const { abortReason, refused: reason } = delivery.end(this.#dispatcher.health.isGood)
        if (abortReason === null && reason !== null) log.warn('push refused', { ...this.#name, push, reason })
        log.debug('push sent', { ...this.#name, push })
        this.#backlog.drop(delivery)
        this.#dispatcher.pump()
      },
      onWaiting: (delivery, until) => {
        if (until === null) this.#backlog.drop(delivery)
        else this.#backlog.loaded.park(delivery, until)
        this.#dispatcher.pump()
      },
    })
    this.#outcomes = new OutcomeHandler({
      ...deps,
      backlog: this.#backlog,
      writer: this.#writer,
      reportTrouble: () => this.#trouble.report(this.#dispatcher.provider),
    })
    this.#dispatcher = new Dispatcher({
      ...deps,
      backlog: this.#backlog,
      outcomes: this.#outcomes,
      onEmpty: (delivery) => this.#writer.finishOrPark(delivery),
    })
    this.#timekeeper = new Timekeeper({
      ...deps,
      backlog: this.#backlog,
      writer: this.#writer,
      dispatcher: this.#dispatcher,
    })
  }

  /** Whether it can send, and why not. */
  get standing(): Pick<SenderState, 'state' | 'reason'> {
    return senderStateOf(this.#dispatcher.provider, this.#dispatcher.health)
  }

  get state(): SenderState {
    return {
      ...this.#name,
      ...this.standing,
      inFlight: this.#dispatcher.inFlight,
      open: this.#backlog.loaded.size + this.#backlog.loaded.waiting.pushes,
    }
  }

  stats(): SenderStats {
    const { clock } = this.#deps
    const now = clock.now()
    const { provider, health, inFlight, movedAt, counters: outcomes } = this.#dispatcher
    const { recipients, dueSince: since } = backlogStats(this.#backlog.all(), now)
    const isOpen = provider !== null && health.state === 'ready' && this.#dispatcher.size(now) > 0
    const dueSince = isOpen ? since : null
    // A project's quota may be used up for the moment.
    const mayMove = inFlight > 0 || provider?.mayTake?.(clock.monotonic()) !== false
    const stillSince = dueSince === null || !mayMove ? null : clock.wallAt(Math.max(dueSince, movedAt))
    const { connections = 0 } = provider ?? {}
    const all = recipients + this.#backlog.loaded.waiting.recipients
    const pausedServices = this.#dispatcher.pausedServices(now)
    return {
      ...this.state,
      outcomes,
      connections,
      pausedServices,
      recipients: all,
      dueSince: dueSince === null ? null : clock.wallAt(dueSince),
      stillSince,
    }
  }

  /** Whether there is nothing to send now. */
  get isIdle(): boolean {
    return this.#dispatcher.inFlight === 0 && this.#backlog.loaded.size === 0
  }

  /** Whether there will not be either, however much time passes. */
  get isDone(): boolean {
    return this.isIdle && !this.#backlog.loaded.expects
  }

  /**
   * Sends with `provider` from now on; `null` waits for one. The old one is closed when its requests are over.
   * `credential`: as in `CredentialKey`.
   */
  use(provider: Provider | null, credential: number): void {
    const { store } = this.#deps
    const { acceptance } = store
    const key = { ...this.#name, credential }
    const isProven = acceptance.hasAny(key)
    this.#dispatcher.use(provider, credential, {
      isProven,
      isSimulated: credential === 0,
      wasAccepted: (device) => acceptance.wasAccepted(key, device),
      onProven: (device) => void this.#settleHeld(key, device),
    })
    if (credential !== 0 && acceptance.hasOthers(key)) void this.#forgetOthers(key)
    if (isProven) void this.#settleHeld(key)
    else if (provider !== null && credential !== 0) void this.#giveBack(credential)
    // What the one before was refused, this one may send.
    if (provider !== null && this.#isUsed) void this.#timekeeper.makeAllDue()
    this.#isUsed ||= provider !== null
    this.#dispatcher.pump()
  }

  /**
   * The credential is good: tokens that were refused before that was known are bad, but for those of devices that it was
   * taken for since. `taken`: one whose acceptance is not on disk yet.
   */
  async #settleHeld(key: CredentialKey, taken: number | null = null): Promise<void> {
    const { store, persist, registry, clock } = this.#deps
    await inSteps(persist, () => {
      const held = store.acceptance.takeHeld(key)
      for (const refusal of held) {
        if (refusal.device === taken || store.acceptance.wasAccepted(key, refusal.device)) continue
        registry.apply({ ...refusal, kind: 'quarantine', token: '' }, clock.now())
      }
      return held.length > 0 || null
    })
  }

  async #forgetOthers(key: CredentialKey): Promise<void> {
    const { store, persist } = this.#deps
    await inSteps(persist, () => store.acceptance.forgetOthers(key) || null)
  }

  /** With a new credential, topic or environment: whom the one before was refused may be well. */
  async #giveBack(before: number): Promise<void> {
    const { application, platform, persist, registry } = this.#deps
    await inSteps(persist, () => registry.giveBack(application, platform, before) || null)
  }

  /** A push was stored; `push` where it may be older than what is loaded. */
  wake(push: number | null): void {
    this.#dispatcher.health.endPauseEarly()
    this.#backlog.wake(push)
    this.#dispatcher.pump()
  }

  /** Whether this push, `push.number`, is in memory: then it is to be cancelled here. */
  holds(push: number): boolean {
    return this.#backlog.find(push) !== null
  }

  /** Sends no more of this push; `false` where it is not in memory. */
  cancel(push: number): boolean {
    const delivery = this.#backlog.find(push)
    if (delivery === null) this.#backlog.loaded.forgetTimes()
    else this.#writer.cancel(delivery)
    return delivery !== null
  }

  /** A call sets the badge stored with a device. */
  badgeSet(): void {
    this.#badges.changed()
  }

  /** Time has passed: what is due, late, expired. */
  tick(): void {
    const now = this.#deps.clock.now()
    this.#dispatcher.tick()
    this.#trouble.report(this.#dispatcher.provider)
    this.#backlog.loaded.load()
    this.#timekeeper.tick(now)
    this.#dispatcher.pump()
  }

  /** For a while nothing was loaded: parked deliveries may have other times than they had. */
  loadAgain(): void {
    this.#backlog.loaded.forgetTimes()
    this.wake(null)
  }

  /** Sends nothing more, waits for what is in flight, and settles what was sent; resolves when that is on disk. */
  async stop(): Promise<void> {
    this.#dispatcher.stop()
    if (this.#dispatcher.inFlight > 0) {
      // An answer that never comes must not keep those of its page from the disk.
      const cancel = this.#deps.clock.after(STRAGGLER_MS, () => this.#settleSent())
      await this.#dispatcher.idle()
      cancel()
    }
    this.#settleSent()
    await this.#writer.written()
  }

  /** Notifications that were sent and are not on disk, by push, its UUID. The next start sends them again. */
  unwritten(): [push: string, notifications: number][] {
    const now = this.#deps.clock.now()
    return this.#backlog
      .all()
      .filter(({ abortReason, expiresAt }) => abortReason === null && expiresAt > now)
      .map((delivery) => [delivery.record.pushId, delivery.notWrittenDown])
  }

  /** The application is gone, and with it everything that was open: answers still to come are dropped. */
  forget(): void {
    this.#dispatcher.stop()
    this.#backlog.clear()
    this.close()
  }

  /** Closes the connections when their requests are over, and waits for none of them: their answers are dropped. */
  close(): void {
    this.#dispatcher.close()
  }

  /** Settles every page as far as it was sent. */
  #settleSent(): void {
    for (const delivery of this.#backlog.all()) {
      for (const page of delivery.sentPages()) this.#writer.settlePage(delivery, page)
    }
  }
}
