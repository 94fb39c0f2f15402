import type { Provider } from '../gateway/gateway.ts'
import { CredentialInUse } from './credential.ts'
import { Dispatcher } from './dispatcher.ts'
import type { Equipment } from './dispatcher.ts'
import { Lanes } from './lane/lanes.ts'
import { Notices } from './lane/notices.ts'
import { STRAGGLER_MS } from './open/batch.ts'
import { Outbox } from './queue/outbox.ts'
import type { SenderContext } from './sender-context.ts'
import { backlogStats } from './sender-stats.ts'
import type { SenderStats, SenderState } from './sender-stats.ts'
import { StoredBadges } from './stored-badges.ts'

/**
 * Sends everything of one application to one platform, as fast as the windows of its gateways allow.
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
 * |            | was taken (`lane/breaker.ts`)         |                         |                      |                           |                          |
 * | push       | asks for time; no connection; breaks  | its own browsers        | all other push       | log, explain              | it takes another         |
 * | service    | requests (`lane/lanes.ts`)            |                         | services             |                           |                          |
 * | gateway    | no connection; ten were answered 503  | all that is sent there  | the same             | /readyz (warning),        | it takes another device  |
 * |            | or the like, and none was taken       | with the credential     |                      | status, explain, log      |                          |
 * | machine    | what became of notifications cannot   | what goes beyond 16     | what is on its way;  | /readyz 503, log, the     | the disk takes writes    |
 * |            | be written down                       | pages of each push, or  | what only reads      | exit code of a stop       |                          |
 * |            |                                       | changes badges          |                      |                           |                          |
 */
export class Sender {
  readonly #deps: SenderContext
  readonly #name: Pick<SenderContext, 'application' | 'platform'>
  readonly #badges: StoredBadges
  readonly #outbox: Outbox
  readonly #dispatcher: Dispatcher
  #equipment: Equipment
  /** Whether it ever had a provider. */
  #isUsed = false

  constructor(deps: SenderContext) {
    const { application, platform } = deps
    this.#deps = deps
    this.#name = { application, platform }
    this.#badges = new StoredBadges(deps)
    this.#equipment = this.#equip(null, -1)
    this.#outbox = new Outbox({
      ...deps,
      badges: this.#badges,
      isGood: (credential) => {
        const { number, isGood } = this.#equipment.lanes.credential
        return isGood && (credential ?? number) === number
      },
      onMore: () => this.#dispatcher.pump(),
      onExpired: (recipients) => this.#dispatcher.counters.countExpired(recipients),
    })
    this.#dispatcher = new Dispatcher({ ...deps, badges: this.#badges, outbox: this.#outbox }, this.#equipment)
  }

  /** Whether it can send, and why not. */
  get standing(): Pick<SenderState, 'state' | 'reason'> {
    const { provider, lanes } = this.#equipment
    const { state, reason } = lanes.standing
    if (provider === null) return { state: 'no-credential', reason }
    // Trouble on the way to the gateway outlasts a pause.
    const trouble = state === 'ready' ? (provider.trouble ?? null) : null
    return trouble === null ? { state, reason } : { state: 'unreachable', reason: trouble }
  }

  stats(): SenderStats {
    const { clock } = this.#deps
    const now = clock.now()
    const { inFlight, movedAt, counters: outcomes } = this.#dispatcher
    const { provider, lanes } = this.#equipment
    const { loaded } = this.#outbox
    const waiting = loaded.waiting(now)
    const standing = this.standing
    // The end of the others is being written.
    const open = loaded.all().filter(({ phase }) => phase !== 'over')
    const { recipients, dueSince: since } = backlogStats(open.map((delivery) => delivery.summary(now)))
    const dueSince = standing.state === 'ready' && !this.#dispatcher.isPaused(now) ? since : null
    // A project's quota may be used up for the moment.
    const mayMove = inFlight > 0 || provider?.mayTake?.(clock.monotonic()) !== false
    const stillSince = dueSince === null || !mayMove ? null : clock.wallAt(Math.max(dueSince, movedAt))
    return {
      ...this.#name,
      ...standing,
      inFlight,
      open: open.length + waiting.pushes,
      outcomes,
      connections: provider?.connections ?? 0,
      pausedServices: provider?.isOpen === true ? lanes.paused(now) : [],
      recipients: recipients + waiting.recipients,
      dueSince: dueSince === null ? null : clock.wallAt(dueSince),
      stillSince,
    }
  }

  /** Sending; waiting, for time to pass; or without anything to send, however much time passes. */
  get activity(): 'sending' | 'waiting' | 'done' {
    if (this.#dispatcher.inFlight > 0 || this.#outbox.loaded.size > 0) return 'sending'
    return this.#outbox.loaded.expects ? 'waiting' : 'done'
  }

  /**
   * Sends with `provider` from now on; `null` waits for one. The old one is closed when its requests are over.
   * `credential`: as in `CredentialKey`.
   */
  use(provider: Provider | null, credential: number): void {
    this.#equipment = this.#equip(provider, credential)
    this.#dispatcher.use(this.#equipment)
    if (provider !== null) void this.#equipment.lanes.credential.begin()
    // What the one before was refused, this one may send.
    if (provider !== null && this.#isUsed) void this.#outbox.makeAllDue()
    this.#isUsed ||= provider !== null
    this.#dispatcher.pump()
  }

  /** A push was stored; `null`: any may be there by now, and parked deliveries may have other times than they had. */
  wake(push: number | null): void {
    if (push === null) this.#outbox.loaded.forgetTimes()
    for (const { window } of this.#equipment.lanes.all) window.endPauseEarly()
    this.#outbox.wake(push)
    this.#dispatcher.pump()
  }

  /** Whether this push, `push.number`, is in memory: then it is to be cancelled here. */
  holds(push: number): boolean {
    return this.#outbox.loaded.find(push) !== null
  }

  /** Sends no more of this push; `false` where it is not in memory. */
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

  /** Time has passed: what is due, late, expired. */
  tick(): void {
    this.#dispatcher.tick()
    this.#equipment.lanes.notices.trouble()
    this.#outbox.tick(this.#dispatcher.isPaused(this.#deps.clock.now()))
    this.#dispatcher.pump()
  }

  /** Sends nothing more, waits for what is in flight, and settles what was sent; resolves when that is on disk. */
  async stop(): Promise<void> {
    this.#dispatcher.stop()
    if (this.#dispatcher.inFlight > 0) {
      // An answer that never comes must not keep those of its batch from the disk.
      const cancel = this.#deps.clock.after(STRAGGLER_MS, () => this.#outbox.stop())
      await this.#dispatcher.idle()
      cancel()
    }
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
   * Closes the connections when their requests are over, and waits for none of them: their answers are dropped.
   * `isForgotten`: the application is gone, and with it everything that was open.
   */
  close(isForgotten = false): void {
    if (isForgotten) {
      this.#dispatcher.stop()
      this.#outbox.clear()
    }
    this.#dispatcher.close()
  }

  #equip(provider: Provider | null, number: number): Equipment {
    const { random } = this.#deps
    const credential = new CredentialInUse(this.#deps, { ...this.#name, credential: number })
    const notices = new Notices(this.#deps, credential, provider)
    return { provider, lanes: new Lanes({ random, credential, notices, isOpen: provider?.isOpen === true }) }
  }
}
