import type { Clock } from '../clock.ts'
import type { Platform } from '../device/device.ts'
import { DEVICE_REMOVED } from '../gateway/gateway.ts'
import type { Outcome, Provider } from '../gateway/gateway.ts'
import type { Log } from '../log.ts'
import type { ActiveDelivery } from './active-delivery.ts'
import { Backlog } from './backlog.ts'
import { CredentialHealth } from './credential-health.ts'
import { OutcomeCounters } from './outcome-counters.ts'
import { OutcomeHandler } from './outcome-handler.ts'
import type { Health } from './outcome-handler.ts'
import { STRAGGLER_MS } from './page.ts'
import { PendingBadges } from './pending-badges.ts'
import type { SendBudget } from './send-budget.ts'
import { backlogStats, senderStateOf } from './sender-stats.ts'
import type { SenderStats, SenderState } from './sender-stats.ts'
import { SettlementWriter } from './settlement-writer.ts'
import type { DeliveryEvents, DeviceRegistry } from './settlement-writer.ts'
import { SilentDevices } from './silent-devices.ts'
import type { Sending } from './silent-devices.ts'
import type { ClockJump } from './steady-clock.ts'
import type { DeliveryStore } from './store/delivery-store.ts'
import type { ExpiryKey } from './store/expiry-scan.ts'
import type { Task } from './task.ts'
import type { FinalVerdict } from './verdict.ts'

export interface SenderDependencies {
  readonly application: number
  readonly platform: Platform
  readonly clock: Clock
  readonly log: Log
  /** In [0, 1). */
  readonly random: () => number
  readonly store: DeliveryStore
  /** Whether the times in the database are those of the clock as it is. */
  readonly mayLoad: () => boolean
  /** Writes until it succeeds. */
  readonly persist: <T>(operation: () => T) => Promise<T>
  readonly registry: DeviceRegistry
  readonly events: DeliveryEvents
  /** Shared by all senders. */
  readonly sendBudget: SendBudget
  /** Requests this sender may have in flight, of what all share. */
  readonly share: () => number
  /** The gateway has taken a first notification with this credential. */
  readonly onProven: () => void
  /** Hears how long each answer took, in seconds. */
  readonly latency: { observe(seconds: number): void }
}

/** Notifications for one device that are passed over to find one for another. */
const MAX_SAME = 64

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
 * | credential | no device had a part; ten complained, | all that is sent with   | the other platform,  | /readyz 503, status,      | it takes another device, |
 * |            | or fifty had bad tokens, and none was | it                      | other applications   | explain, webhook, log     | or is replaced           |
 * |            | taken (`credential-breaker.ts`)       |                         |                      |                           |                          |
 * | gateway    | no connection; ten were answered 503  | all that is sent there  | the same             | /readyz (warning),        | it takes another device  |
 * |            | or the like, and none was taken       | with the credential     |                      | status, explain, log      |                          |
 * | machine    | what became of notifications cannot   | what goes beyond 16     | what is on its way;  | /readyz 503, log, the     | the disk takes writes    |
 * |            | be written down                       | pages of each push      | what only reads      | exit code of a stop       |                          |
 */
export class Sender {
  readonly #deps: SenderDependencies
  readonly #name: { readonly application: number; readonly platform: Platform }
  readonly #backlog: Backlog
  readonly #writer: SettlementWriter
  #provider: Provider | null = null
  #health: Health
  readonly #outcomes: OutcomeHandler
  readonly #badges: PendingBadges
  readonly #silent = new SilentDevices()
  #inFlight = 0
  /** How many were sent, ever. */
  #sent = 0
  readonly #counters = new OutcomeCounters()
  /** When the last answer came, or this sender or its provider began; ms since the Unix epoch. */
  #movedAt: number
  #stopped = false
  /** Whether the log was told of trouble on the way to the gateway. */
  #inTrouble = false
  #closed = false
  /** Whether it ever had a provider. */
  #used = false
  #idle: (() => void)[] = []
  readonly #onEmpty = (delivery: ActiveDelivery) => this.#writer.finishOrPark(delivery)
  readonly #nextTurn = () => this.#pump()

  constructor(deps: SenderDependencies) {
    const { application, platform, log } = deps
    this.#deps = deps
    this.#name = { application, platform }
    this.#movedAt = deps.clock.now()
    this.#health = new CredentialHealth(deps, true)
    this.#badges = new PendingBadges(deps.store.badgeOf)
    this.#backlog = new Backlog({
      ...deps,
      badges: this.#badges,
      onMore: () => this.#pump(),
      onCounted: (delivery) => {
        this.#writer.finishOrPark(delivery)
        this.#keepTime(delivery, deps.clock.now())
      },
      onTime: (delivery) => this.#keepTime(delivery, deps.clock.now()),
    })
    this.#writer = new SettlementWriter({
      ...deps,
      badges: this.#badges,
      onRetries: ({ record: of }, recipients) =>
        log.debug('to be sent again', { ...this.#name, push: of.pushId, recipients }),
      onWritten: (delivery) => {
        this.#backlog.enqueue(delivery)
        this.#pump()
      },
      onFinished: (delivery) => {
        log.debug('push sent', { ...this.#name, push: delivery.record.pushId })
        this.#backlog.drop(delivery)
        this.#pump()
      },
      onWaiting: (delivery, until) => {
        if (until === null) this.#backlog.drop(delivery)
        else this.#backlog.loaded.park(delivery, until)
        this.#pump()
      },
    })
    this.#outcomes = new OutcomeHandler({
      ...deps,
      backlog: this.#backlog,
      writer: this.#writer,
      lookForTrouble: () => this.#lookForTrouble(),
    })
  }

  /** Whether it can send, and why not. */
  get standing(): Pick<SenderState, 'state' | 'reason'> {
    return senderStateOf(this.#provider, this.#health)
  }

  get state(): SenderState {
    return {
      ...this.#name,
      ...this.standing,
      inFlight: this.#inFlight,
      open: this.#backlog.loaded.size + this.#backlog.loaded.waiting.pushes,
    }
  }

  /** `now` is ms since the Unix epoch. */
  figures(now: number): SenderStats {
    const { recipients, dueSince: since } = backlogStats(this.#backlog.all(), now)
    const isOpen = this.#provider !== null && this.#health.state === 'ready' && this.#size(now) > 0
    const dueSince = isOpen ? since : null
    // A project's quota may be used up for the moment.
    const mayMove = this.#inFlight > 0 || this.#provider?.mayTake?.(now) !== false
    const stillSince = dueSince === null || !mayMove ? null : Math.max(dueSince, this.#movedAt)
    const { connections = 0 } = this.#provider ?? {}
    const all = recipients + this.#backlog.loaded.waiting.recipients
    return { ...this.state, outcomes: this.#counters, connections, recipients: all, dueSince, stillSince }
  }

  /** Whether there is nothing to send now. */
  get isIdle(): boolean {
    return this.#inFlight === 0 && this.#backlog.loaded.size === 0
  }

  /** Whether there will not be either, however much time passes. */
  get isDone(): boolean {
    return this.isIdle && !this.#backlog.loaded.expects
  }

  /**
   * Sends with `provider` from now on; `null` waits for one. The old one is closed when its requests are over.
   * `proven`: its credential is known to be good.
   */
  use(provider: Provider | null, proven: boolean): void {
    const old = this.#provider
    this.#outcomes.releaseAside(this.#health, this.#deps.clock.now())
    this.#provider = provider
    this.#health = new CredentialHealth(this.#deps, proven)
    this.#movedAt = this.#deps.clock.now()
    if (old !== null) void old[Symbol.asyncDispose]()
    // What the one before was refused, this one may send.
    if (provider !== null && this.#used) void this.#retryAllNow()
    this.#used ||= provider !== null
    this.#pump()
  }

  /** Something was stored; `push` where it is one that may be older than what is loaded. */
  wake(push: number | null): void {
    this.#health.endPauseEarly()
    this.#backlog.wake(push)
    this.#pump()
  }

  /** Whether this push, `push.number`, is in memory: then it is to be called off here. */
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

  /** A call sets the count stored with a device, `device.id`; the returned function undoes it. */
  badgeSet(device: number): () => void {
    return this.#badges.set(device)
  }

  /** Time has passed: what is due, late, expired. */
  tick(): void {
    const now = this.#deps.clock.now()
    this.#silent.excuseSilent(now)
    this.#lookForTrouble()
    this.#backlog.loaded.load()
    for (const delivery of this.#backlog.all()) {
      this.#keepTime(delivery, now)
      const paused = this.#size(now) === 0
      if (paused) {
        this.#backlog.readForEnd(delivery)
        this.#writer.finishOrPark(delivery)
      }
      // What is set aside has its answer: the end does not wait for what becomes of others.
      if (delivery.calledOff !== null && this.#inFlight === 0) this.#outcomes.releaseAside(this.#health, now)
      for (const page of delivery.latePages(now, paused)) {
        this.#writer.settlePage(delivery, page)
        this.#backlog.enqueue(delivery)
      }
    }
    this.#pump()
  }

  /** Ends a delivery whose time to live is over; of another one sends to who is due. */
  #keepTime(delivery: ActiveDelivery, now: number): void {
    if (delivery.expiresAt <= now) {
      const expired = this.#writer.expire(delivery)
      if (expired) {
        this.#counters.countExpired(expired.unreached)
        this.#deps.log.warn('push expired', { ...this.#name, push: delivery.record.pushId, ...expired })
      }
    } else if (delivery.nextDueAt <= now && this.#size(now) > 0) {
      void this.#backlog.loadDue(delivery, now).then((dead) => {
        for (const { device, badge, attempt } of dead) {
          // Unregistered, or declared gone by another push, while it waited.
          const recipient = { device, badge, attempt, token: '', environment: null, storedBadge: 0 }
          const task = { delivery, recipient, page: null, index: -1, attempt, sentAt: now }
          this.#writer.settleAlone(task, NOT_THERE, null, now)
        }
      })
    }
  }

  /** The clock was put back by `byMs`. */
  shift(byMs: number): void {
    this.#health.shift(byMs)
    this.#silent.shift(byMs)
    this.#movedAt -= byMs
    this.#writer.shift(byMs)
    for (const delivery of this.#backlog.all()) delivery.shift(byMs)
  }

  /** The clock has jumped, and no time to live is to end by that. */
  extend(jump: ClockJump): void {
    for (const delivery of this.#backlog.all()) {
      delivery.extend(jump)
      // It may have been passed over as expired.
      this.#backlog.enqueue(delivery)
    }
  }

  /** Of those who wait in the database some may be due now. */
  dueAgain(): void {
    this.#backlog.dueAgain(this.#deps.clock.now())
  }

  /** What waits in the database has other times than it had. */
  forgetTimes(): void {
    this.#backlog.loaded.forgetTimes()
  }

  /** Sends nothing more, waits for what is in flight, and settles what was sent; resolves when that is on disk. */
  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#inFlight > 0) {
      // An answer that never comes must not keep those of its page from the disk.
      const cancel = this.#deps.clock.after(STRAGGLER_MS, () => this.#settleSent())
      await new Promise<void>((resolve) => this.#idle.push(resolve))
      cancel()
    }
    this.#settleSent()
    await this.#writer.written()
  }

  /** What was sent and is not on disk: by push, the UUID, how many notifications. The next start sends them again. */
  unwritten(): [push: string, notifications: number][] {
    const now = this.#deps.clock.now()
    return this.#backlog
      .all()
      .filter(({ calledOff, expiresAt }) => calledOff === null && expiresAt > now)
      .map((delivery) => [delivery.record.pushId, delivery.notWrittenDown])
  }

  /** The application is gone, and with it everything that was open: what is in flight is answered to nobody. */
  forget(): void {
    this.#stopped = true
    this.#backlog.clear()
    this.close()
  }

  /** Closes the connections when their requests are over, and waits for none of them: their answers are not heard. */
  close(): void {
    this.#closed = true
    void this.#provider?.[Symbol.asyncDispose]()
  }

  /** Settles every page as far as it was sent. */
  #settleSent(): void {
    this.#outcomes.releaseAside(this.#health, this.#deps.clock.now())
    for (const delivery of this.#backlog.all()) {
      for (const page of delivery.sentPages()) this.#writer.settlePage(delivery, page)
    }
  }

  #pump(): void {
    const provider = this.#provider
    if (provider === null || this.#stopped) return
    const now = this.#deps.clock.now()
    let isThrough = false
    while (this.#inFlight - this.#silent.excused < this.#size(now) && provider.mayTake?.(now) !== false) {
      // Neither through nor empty: it goes on in the next turn.
      if (!this.#deps.sendBudget.take(this.#nextTurn)) return
      const task = this.#next(now)
      if (task === null) {
        isThrough = this.#inFlight === 0
        break
      }
      const until = this.#silent.heldBackUntil(task.recipient.device, now)
      if (until === null) this.#send(provider, task)
      else this.#outcomes.postpone(task, until, now)
    }
    if (isThrough && this.#health.isDoubtful && !this.#backlog.isSearching) this.#outcomes.nobodyLeft(this.#health, now)
  }

  /** Has everybody asked again now who waits for another attempt, on disk or on a page that is not. */
  async #retryAllNow(): Promise<void> {
    const { store, persist, clock, application, platform } = this.#deps
    for (const delivery of this.#backlog.all()) delivery.makeDue(clock.now())
    this.#writer.makeDue(clock.now())
    let from: ExpiryKey | null = null
    do {
      const at: ExpiryKey | null = from
      from = await persist(() => store.makeDue(application, platform, clock.now(), at))
    } while (from !== null)
    this.#backlog.dueAgain(clock.now())
    this.#pump()
  }

  /** Whoever is sent to next: after a pause another device than the one that began it, where there is another. */
  #next(now: number): Task | null {
    const { asksAround, askedLast } = this.#health
    const first = this.#backlog.take(now, asksAround, this.#onEmpty)
    if (first?.recipient.device !== askedLast) return first
    const same: Task[] = []
    let task: Task | null = first
    while (task?.recipient.device === askedLast && same.push(task) < MAX_SAME) {
      task = this.#backlog.take(now, asksAround, this.#onEmpty)
    }
    const other = task?.recipient.device === askedLast ? null : task
    const next = other ?? same.shift() ?? null
    for (const one of same) {
      one.delivery.requeue(one)
      this.#backlog.enqueue(one.delivery)
    }
    return next
  }

  /** Tells of trouble on the way to the gateway once, and once of its end. Whether there is any. */
  #lookForTrouble(): boolean {
    const reason = this.#provider?.trouble ?? null
    if ((reason !== null) !== this.#inTrouble) {
      this.#inTrouble = reason !== null
      if (reason !== null) this.#deps.log.warn('trouble with the gateway', { ...this.#name, reason })
      else this.#deps.log.info('no more trouble with the gateway', this.#name)
    }
    return this.#inTrouble
  }

  /** Requests that may be in flight now. */
  #size(now: number): number {
    return this.#provider === null ? 0 : Math.min(this.#health.size(now), this.#deps.share())
  }

  #send(provider: Provider, task: Task): void {
    this.#inFlight++
    const nth = ++this.#sent
    task.delivery.sent()
    const sent = this.#badged(task)
    const sending = this.#silent.sent(task.recipient.device, task.sentAt)
    // The task must be released whatever happens, or its page never settles.
    provider.send(sent.delivery.message, sent.recipient).then(
      (outcome) => this.#answered(provider, sent, nth, sending, outcome),
      (error: unknown) => {
        this.#deps.log.error('provider failed', { provider: provider.name, error: String(error) })
        this.#answered(provider, sent, nth, sending, {
          kind: 'deferred',
          afterMs: null,
          scope: 'device',
          reason: 'internal error',
        })
      },
    )
  }

  /** With the badge that the device is to show now. */
  #badged(task: Task): Task {
    const { delivery, recipient } = task
    const change = delivery.record.notification.badge
    if (change === null) return task
    const badge = this.#badges.send(delivery.record.push, recipient.device, change, delivery.storedBadge(task))
    const same = badge.badge === recipient.badge
    return { ...task, recipient: same ? recipient : { ...recipient, badge: badge.badge }, badge }
  }

  #answered(provider: Provider, task: Task, nth: number, sending: Sending, answer: Outcome): void {
    if (this.#closed) return
    this.#inFlight--
    const outcome = this.#silent.answered(sending, answer, this.#deps.clock.now())
    // What was taken is still to be written down.
    if (outcome.kind !== 'accepted' && task.badge !== undefined) this.#badges.refused(task.badge)
    const { clock, latency } = this.#deps
    const now = clock.now()
    const latencyMs = now - task.sentAt
    latency.observe(latencyMs / 1000)
    this.#movedAt = now
    // Of a credential that has been replaced an answer says nothing of the new one.
    const health = provider === this.#provider ? this.#health : null
    const situation = { sent: { nth, latencyMs }, provider: provider.name, health, now }
    this.#counters.count(outcome, this.#outcomes.handle(task, outcome, situation))
    // It may have room for another page, or somebody to send to again.
    this.#backlog.enqueue(task.delivery)
    if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve()
    this.#pump()
  }
}

const NOT_THERE: FinalVerdict = { kind: 'failed', state: 'gone', reason: DEVICE_REMOVED, device: 'keep', since: null }
