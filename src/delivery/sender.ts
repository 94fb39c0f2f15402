import type { Clock } from '../clock.ts'
import type { Platform } from '../device/device.ts'
import type { Log } from '../log.ts'
import type { DeviceVerdict, Task } from './active-delivery.ts'
import { Backlog } from './backlog.ts'
import { Books } from './books.ts'
import type { DeviceRegistry, Final } from './books.ts'
import type { Outcome, Provider, Recipient } from './delivery.ts'
import type { DeliveryStore } from './delivery-store.ts'
import { judge } from './verdict.ts'
import type { Verdict } from './verdict.ts'
import { Window } from './window.ts'
import type { WindowState } from './window.ts'

export interface SenderDependencies {
  readonly application: number
  readonly platform: Platform
  readonly clock: Clock
  readonly log: Log
  /** In [0, 1). */
  readonly random: () => number
  readonly store: DeliveryStore
  /** Writes until it succeeds. */
  readonly persist: <T>(operation: () => T) => Promise<T>
  readonly registry: DeviceRegistry
  /** Requests this sender may have in flight, of what all share. */
  readonly share: () => number
}

/** What an operator may want to know of a credential. */
export interface SenderState {
  readonly application: number
  readonly platform: Platform
  readonly state: WindowState | 'no-credential'
  readonly reason: string | null
  readonly inFlight: number
  /** Pushes that are not finished. */
  readonly open: number
}

/** Sends everything of one application to one platform, as fast as the window of its credential allows. */
export class Sender {
  readonly #on: SenderDependencies
  readonly #name: { readonly application: number; readonly platform: Platform }
  readonly #backlog: Backlog
  readonly #books: Books
  #provider: Provider | null = null
  #window = new Window()
  #inFlight = 0
  #stopped = false
  #idle: (() => void)[] = []

  constructor(on: SenderDependencies) {
    const { application, platform, log } = on
    this.#on = on
    this.#name = { application, platform }
    this.#backlog = new Backlog({ ...on, onMore: () => this.#pump() })
    this.#books = new Books({
      ...on,
      onRetries: ({ of }, recipients) => log.debug('to be sent again', { ...this.#name, push: of.pushId, recipients }),
      onFinished: (delivery) => {
        log.debug('push sent', { ...this.#name, push: delivery.of.pushId })
        this.#backlog.drop(delivery)
        this.#pump()
      },
    })
  }

  get state(): SenderState {
    const state = this.#provider === null ? 'no-credential' : this.#window.state
    return {
      ...this.#name,
      state,
      reason: this.#window.reason,
      inFlight: this.#inFlight,
      open: this.#backlog.size,
    }
  }

  get isIdle(): boolean {
    return this.#inFlight === 0 && this.#backlog.size === 0
  }

  /** Sends with `provider` from now on; `null` waits for one. The old one is closed when its requests are over. */
  use(provider: Provider | null): void {
    const old = this.#provider
    this.#provider = provider
    this.#window = new Window()
    if (old !== null) void old[Symbol.asyncDispose]()
    this.#pump()
  }

  /** Something new was stored. */
  wake(): void {
    this.#backlog.wake()
    this.#pump()
  }

  /** Time has passed: what is due, late, expired. */
  tick(): void {
    const now = this.#on.clock.now()
    for (const delivery of this.#backlog.all()) {
      if (delivery.of.expiresAt <= now) {
        const expired = this.#books.expire(delivery, now)
        if (expired) this.#on.log.warn('push expired', { ...this.#name, push: delivery.of.pushId, ...expired })
      } else if (delivery.nextDueAt <= now) {
        void this.#backlog.loadDue(delivery, now).then((dead) => {
          for (const { device, badge, attempt } of dead) {
            // Unregistered, or declared gone by another push, while it waited.
            const recipient = { device, badge, attempt, token: '', environment: null }
            this.#books.settleOne({ delivery, recipient, page: null, index: -1, attempt }, NOT_THERE, null, now)
          }
        })
      }
      for (const page of delivery.stragglers(now)) {
        delivery.detach(page, now)
        this.#books.settlePage(delivery, page)
        this.#backlog.line(delivery)
      }
    }
    this.#pump()
  }

  /** Sends nothing more, waits for what is in flight, and settles what was sent. */
  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
    for (const delivery of this.#backlog.all()) {
      for (const page of delivery.pages) {
        if (page.pending === 0 && page.unsent > 0) this.#books.settlePage(delivery, page)
      }
    }
  }

  /** The application is gone, and with it everything that was open: what is in flight is answered to nobody. */
  forget(): void {
    this.#stopped = true
    this.#backlog.clear()
  }

  async close(): Promise<void> {
    await this.#provider?.[Symbol.asyncDispose]()
  }

  #pump(): void {
    const provider = this.#provider
    if (provider === null || this.#stopped) return
    const now = this.#on.clock.now()
    while (this.#inFlight < Math.min(this.#window.size(now), this.#on.share())) {
      const task = this.#backlog.take(now, (delivery) => this.#books.finishIfDone(delivery))
      if (task === null) return
      this.#send(provider, task)
    }
  }

  #send(provider: Provider, task: Task): void {
    this.#inFlight++
    // The task must be released whatever happens, or its page never settles.
    provider.send(task.delivery.message, task.recipient).then(
      (outcome) => this.#answered(provider, task, outcome),
      (error: unknown) => {
        this.#on.log.error('provider failed', { provider: provider.name, error: String(error) })
        this.#answered(provider, task, { kind: 'deferred', afterMs: null, scope: 'device', reason: 'internal error' })
      },
    )
  }

  #answered(provider: Provider, task: Task, outcome: Outcome): void {
    this.#inFlight--
    const { clock, random } = this.#on
    const { delivery, recipient, page, attempt } = task
    const now = clock.now()
    const { expiresAt } = delivery.of
    const verdict = judge(outcome, { provider: provider.name, attempt, now, expiresAt, random: random() })
    if (verdict.kind === 'hold') {
      this.#pause(provider, verdict, now)
      // A page that was settled without it has it written down as due again.
      if (page?.detached !== true) delivery.hold(task)
    } else {
      if (verdict.kind === 'accepted') this.#succeeded(provider)
      const says = verdictOn(recipient, outcome, verdict)
      if (page === null || page.detached) this.#books.settleOne(task, verdict, says, now)
      else {
        if (says !== null) page.verdicts.push(says)
        if (delivery.note(task, verdict, now)) this.#books.settlePage(delivery, page)
      }
    }
    // It may have room for another page, or somebody to send to again.
    this.#backlog.line(delivery)
    if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve()
    this.#pump()
  }

  /** An answer to a credential that has been replaced says nothing of the new one. */
  #succeeded(provider: Provider): void {
    if (provider === this.#provider && this.#window.succeeded()) this.#on.log.info('sending again', this.#name)
  }

  #pause(provider: Provider, hold: Verdict & { kind: 'hold' }, now: number): void {
    if (provider !== this.#provider) return
    const waitMs = this.#window.pause(hold, now, this.#on.random())
    if (waitMs === null) return
    this.#on.log.warn('sending paused', { ...this.#name, state: this.#window.state, reason: hold.reason, waitMs })
  }
}

const NOT_THERE: Final = { kind: 'failed', state: 'gone', reason: 'Unregistered', device: 'keep', since: null }

/** What an answer says of the device itself; `null` if nothing new. */
function verdictOn({ device, environment }: Recipient, outcome: Outcome, verdict: Final): DeviceVerdict | null {
  if (verdict.kind === 'failed') {
    const { reason, since } = verdict
    if (verdict.device === 'gone') return { kind: 'gone', device, since, reason }
    return verdict.device === 'quarantine' ? { kind: 'quarantine', device, reason } : null
  }
  if (outcome.kind !== 'accepted' || outcome.environment === undefined || outcome.environment === environment) {
    return null
  }
  return { kind: 'environment', device, environment: outcome.environment }
}
