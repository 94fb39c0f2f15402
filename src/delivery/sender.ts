import type { Provider } from '../gateway/gateway.ts'
import { CredentialInUse } from './credential.ts'
import { Dispatcher } from './dispatcher.ts'
import { Lanes } from './lane/lanes.ts'
import { Notices } from './lane/notices.ts'
import { STRAGGLER_MS } from './open/batch.ts'
import { Outbox } from './queue/outbox.ts'
import type { SenderContext } from './sender-context.ts'
import type { OutcomeCounts, SenderStats } from './sender-stats.ts'
import { StoredBadges } from './stored-badges.ts'

/**
 * Sends everything of one application to one platform, as fast as the windows of its gateways allow. A device, a push,
 * a credential, a gateway and this machine can each be at fault: manual/faults.md has what waits for each, and what
 * does not.
 */
export class Sender {
  readonly #deps: SenderContext
  readonly #badges: StoredBadges
  readonly #outbox: Outbox
  readonly #dispatcher: Dispatcher
  readonly #outcomes: OutcomeCounts = {
    accepted: 0,
    gone: 0,
    rejected: 0,
    deferred: 0,
    misconfigured: 0,
    expired: 0,
  }
  /** Whether it ever had a provider. */
  #isUsed = false

  constructor(context: SenderContext) {
    const deps = { ...context, badges: new StoredBadges(context), outcomes: this.#outcomes }
    this.#deps = context
    this.#badges = deps.badges
    this.#outbox = new Outbox({
      ...deps,
      isGood: (credential) => {
        const { number, isGood } = this.#dispatcher.lanes.credential
        return isGood && (credential ?? number) === number
      },
      onMore: () => this.#dispatcher.pump(),
    })
    this.#dispatcher = new Dispatcher({ ...deps, outbox: this.#outbox }, this.#lanesOf(null, -1))
  }

  /** Whether it can send, and why not. */
  get standing(): Pick<SenderStats, 'state' | 'reason'> {
    const { standing, provider } = this.#dispatcher.lanes
    if (provider === null) return { state: 'no-credential', reason: standing.reason }
    // Trouble on the way to the gateway outlasts a pause.
    const trouble = standing.state === 'ready' ? (provider.trouble ?? null) : null
    return trouble === null ? standing : { state: 'unreachable', reason: trouble }
  }

  stats(): SenderStats {
    const { clock, application, platform } = this.#deps
    const now = clock.now()
    const { inFlight, movedAt, lanes } = this.#dispatcher
    const { provider } = lanes
    const { loaded } = this.#outbox
    const { pushes, recipients } = loaded.waiting(now)
    const { state, reason } = this.standing
    // The end of the others is being written.
    const open = loaded.all().filter(({ phase }) => phase !== 'over')
    const summaries = open.map((delivery) => delivery.summary(now))
    const since = summaries.flatMap(({ dueSince }) => dueSince ?? []).sort((a, b) => a - b)
    const dueSince = state === 'ready' && !this.#dispatcher.isPaused(now) ? (since[0] ?? null) : null
    // A project's quota may be used up for the moment.
    const mayMove = inFlight > 0 || provider?.mayTake?.(clock.monotonic()) !== false
    return {
      application,
      platform,
      state,
      reason,
      inFlight,
      open: open.length + pushes,
      recipients: summaries.reduce((sum, summary) => sum + summary.recipients, recipients),
      outcomes: this.#outcomes,
      connections: provider?.connections ?? 0,
      pausedServices: provider?.isOpen === true ? lanes.paused(now) : [],
      dueSince: dueSince && clock.wallAt(dueSince),
      stillSince: dueSince === null || !mayMove ? null : clock.wallAt(Math.max(dueSince, movedAt)),
    }
  }

  /** Sending; waiting for time to pass; or without anything to send, however much time passes. */
  get activity(): 'sending' | 'waiting' | 'done' {
    if (this.#dispatcher.inFlight > 0 || this.#outbox.loaded.size > 0) return 'sending'
    return this.#outbox.loaded.expects ? 'waiting' : 'done'
  }

  /**
   * Sends with `provider` from now on; `null` waits for one. The old one closes when its requests are over.
   * `credential`: as in `CredentialKey`.
   */
  use(provider: Provider | null, credential: number): void {
    const lanes = this.#lanesOf(provider, credential)
    this.#dispatcher.use(lanes)
    if (provider !== null) {
      void lanes.credential.begin()
      // It may send what the one before could not.
      if (this.#isUsed) void this.#outbox.makeAllDue()
      this.#isUsed = true
    }
    this.#dispatcher.pump()
  }

  /** A push was stored; `null`: any may have been, and the times of waiting deliveries may have changed. */
  wake(push: number | null): void {
    if (push === null) this.#outbox.loaded.forgetTimes()
    for (const { window } of this.#dispatcher.lanes.all) window.endPauseEarly()
    this.#outbox.wake(push)
    this.#dispatcher.pump()
  }

  /** Whether this push, `push.number`, is in memory: then it is to be cancelled here. */
  holds(push: number): boolean {
    return this.#outbox.loaded.find(push) !== null
  }

  /** Sends no more of this push; `false` if it is not in memory. */
  cancel(push: number): boolean {
    const delivery = this.#outbox.loaded.find(push)
    if (delivery === null) this.#outbox.loaded.forgetTimes()
    else this.#outbox.pass(delivery, { kind: 'aborted', reason: 'cancelled', refused: null })
    return delivery !== null
  }

  /** A call sets the badge stored with a device. */
  badgeSet(): void {
    this.#badges.changed()
  }

  /** Time has passed. */
  tick(): void {
    this.#dispatcher.tick()
    this.#dispatcher.lanes.notices.trouble()
    this.#outbox.tick(this.#dispatcher.isPaused(this.#deps.clock.now()))
    this.#dispatcher.pump()
  }

  /** Sends nothing more, waits for what is in flight, and settles what was sent; resolves when that is on disk. */
  async stop(): Promise<void> {
    const idle = this.#dispatcher.stop()
    // An answer that never comes must not keep those of its batch from the disk.
    const cancel = this.#deps.clock.after(STRAGGLER_MS, () => this.#outbox.stop())
    await idle
    cancel()
    this.#outbox.stop()
    await this.#outbox.written()
  }

  /** Notifications that were sent and are not on disk, by push, its UUID. The next start sends them again. */
  unwritten(): [push: string, notifications: number][] {
    const now = this.#deps.clock.now()
    return this.#outbox.loaded
      .all()
      .filter(({ phase, messages }) => phase !== 'aborted' && messages.expiresAt > now)
      .map((delivery) => [delivery.record.pushId, delivery.summary(now).notWrittenDown])
  }

  /**
   * Closes the connections when their requests are over, without waiting: answers are dropped. `isForgotten`: the
   * application is deleted, with everything that was open.
   */
  close(isForgotten = false): void {
    if (isForgotten) {
      void this.#dispatcher.stop()
      this.#outbox.clear()
    }
    this.#dispatcher.close()
  }

  #lanesOf(provider: Provider | null, number: number): Lanes {
    const { random, application, platform } = this.#deps
    const credential = new CredentialInUse(this.#deps, { application, platform, credential: number })
    return new Lanes({ random, credential, notices: new Notices(this.#deps, credential, provider), provider })
  }
}
