import type { Outcome, Provider } from '../gateway/gateway.ts'
import { CurrentRecipients } from './current-recipients.ts'
import { Lane } from './lane/lane.ts'
import type { Lanes } from './lane/lanes.ts'
import { OnItsWay } from './on-its-way.ts'
import type { Owner } from './on-its-way.ts'
import type { Task } from './open/delivery.ts'
import type { Outbox } from './queue/outbox.ts'
import type { SenderContext } from './sender-context.ts'
import type { OutcomeCounts } from './sender-stats.ts'
import type { StoredBadges } from './stored-badges.ts'
import { deviceFindingOf } from './verdict.ts'
import type { DeviceFinding, FinalVerdict, Ruling } from './verdict.ts'

interface Dependencies extends SenderContext {
  readonly outbox: Pick<Outbox, 'take' | 'pass' | 'isSearching'>
  readonly badges: Pick<StoredBadges, 'shownTo'>
  /** Which it counts. */
  readonly outcomes: OutcomeCounts
}

/**
 * Sends what the outbox has, with one credential, as fast as the windows of its lanes, the share of this sender and the
 * send budget allow; passes answers back to the outbox.
 */
export class Dispatcher {
  readonly #deps: Dependencies
  readonly #recipients: CurrentRecipients
  #lanes: Lanes
  #inFlight = 0
  #movedAt: number
  #isStopped = false
  #isClosed = false
  #isPumping = false
  readonly #onIdle: (() => void)[] = []
  readonly #owner: Owner
  readonly #pumpAgain = () => this.pump()

  constructor(deps: Dependencies, lanes: Lanes) {
    this.#deps = deps
    this.#owner = {
      clock: deps.clock,
      uses: (its) => its === this.#lanes,
      over: (sent, outcome) => this.#over(sent, outcome),
      faulted: (sent, error) => {
        deps.log.error('provider failed', { provider: sent.lanes.provider?.name, error: String(error) })
        this.#over(sent, { kind: 'deferred', afterMs: null, scope: 'device', reason: 'internal error' })
      },
    }
    this.#recipients = new CurrentRecipients(deps)
    this.#lanes = lanes
    this.#movedAt = deps.clock.now()
  }

  get lanes(): Lanes {
    return this.#lanes
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** When the last answer came, or the provider began; ms of service time. */
  get movedAt(): number {
    return this.#movedAt
  }

  /** Sends by other lanes from now on; the old provider closes when its requests are over. */
  use(lanes: Lanes): void {
    for (const task of this.#lanes.release(() => true)) this.#putBack(task)
    const old = this.#lanes.provider
    this.#lanes = lanes
    this.#movedAt = this.#deps.clock.now()
    if (old !== null) void old[Symbol.asyncDispose]()
  }

  /** Whether nothing can be sent now, because every lane pauses or there is no credential. */
  isPaused(now: number): boolean {
    const { provider, all } = this.#lanes
    return provider === null || (all.length > 0 && all.every(({ window }) => window.size(now) === 0))
  }

  /** Sends what can be sent now. */
  pump(): void {
    const { clock } = this.#deps
    this.#pumpAt(clock.now(), clock.monotonic())
  }

  /** Time has passed. */
  tick(): void {
    const monotonic = this.#deps.clock.monotonic()
    for (const { silent } of this.#lanes.all) silent.excuseSilent(monotonic)
    for (const task of this.#lanes.release(({ delivery }) => delivery.phase === 'aborted')) this.#putBack(task)
  }

  /** Sends nothing more; resolves when nothing is in flight. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const task of this.#lanes.release(() => true)) this.#putBack(task)
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }

  /** Closes the connections when their requests are over, without waiting; answers are dropped. */
  close(): void {
    this.#isClosed = true
    void this.#lanes.provider?.[Symbol.asyncDispose]()
  }

  /** The clocks are read once an answer: twice would cost a hundredth of a broadcast. */
  #pumpAt(now: number, monotonic: number): void {
    const lanes = this.#lanes
    const { provider } = lanes
    // An answer that comes at once would otherwise send the next from within itself, and so on.
    if (this.#isPumping || this.#isStopped || provider === null) return
    this.#isPumping = true
    try {
      const isThrough = this.#sendNext(provider, lanes, now, monotonic)
      const isDoubtful = isThrough && lanes.all.some(({ breaker }) => breaker.isDoubtful)
      if (isDoubtful && !this.#deps.outbox.isSearching) for (const lane of lanes.all) lane.nobodyLeft(now)
    } finally {
      this.#isPumping = false
    }
  }

  /** Returns whether nobody is left, and nothing is in flight. */
  #sendNext(provider: Provider, lanes: Lanes, now: number, monotonic: number): boolean {
    const { sendBudget, outbox, random, share } = this.#deps
    const room = lanes.room(now)
    const most = share() + lanes.excused
    const samples = lanes.wantsSamples
    for (let sent = 0; sent < room && this.#inFlight < most && provider.mayTake?.(monotonic) !== false;) {
      if (!sendBudget.take(this.#pumpAgain, provider.weight)) {
        // Browsers mostly wait for a key agreement, which another thread makes.
        if (provider.isOpen !== true) for (const { window, inFlight } of lanes.all) window.crowded(inFlight)
        return false
      }
      const waiting = lanes.next(now)
      const task = waiting ?? outbox.take(now, samples ? random() : null)
      if (task === null) return this.#inFlight === 0
      if (task === 'full') return false
      if (this.#send(provider, lanes, task, now, monotonic)) sent++
    }
    return false
  }

  /** Sends, or has the recipient wait; returns whether that takes a place in the window. */
  #send(provider: Provider, lanes: Lanes, task: Task, now: number, monotonic: number): boolean {
    if (task.delivery.phase === 'aborted') {
      // While it waited for room.
      this.#putBack(task)
      return false
    }
    const current = this.#recipients.asItIs(task, now)
    if ('kind' in current) {
      this.#closeUntried(task, current)
      return false
    }
    const { recipient, delivery } = current
    const lane = lanes.admit(provider.originOf(recipient), current, now)
    if (!(lane instanceof Lane)) {
      const { until, says } = lane
      if (until !== null) this.#closeUntried(current, { kind: 'retry', dueAt: until, reason: says })
      return false
    }
    this.#inFlight++
    delivery.sent()
    const sending = lane.sent(recipient.device, now, monotonic)
    // The task must be released whatever happens, or its batch never settles.
    const onItsWay = new OnItsWay(this.#owner, current, sending, lane, lanes)
    try {
      provider.send(delivery.messages.in(recipient.language), recipient, onItsWay)
    } catch (error) {
      if (onItsWay.isOver) throw error
      onItsWay.onFault(error)
    }
    // Some are answered at once.
    return !onItsWay.isOver && !sending.excused
  }

  /** A request is over, and its place is free; `null`: it waited, and was not sent after all. */
  #over(sent: OnItsWay, outcome: Outcome | null): void {
    if (this.#isClosed) return
    this.#inFlight--
    const { clock } = this.#deps
    const monotonic = clock.monotonic()
    const now = clock.now()
    if (outcome === null) {
      sent.lane.withdrawn(sent.sending)
      this.#putBack(sent.task, 'withdrawn')
    } else this.#answered(sent, outcome, now, monotonic)
    if (this.#inFlight === 0) for (const resolve of this.#onIdle.splice(0)) resolve()
    this.#pumpAt(now, monotonic)
  }

  #answered(sent: OnItsWay, outcome: Outcome, now: number, at: number) {
    const { task, lane, lanes, sending } = sent
    const { clock, latency, outcomes } = this.#deps
    const latencyMs = at - sending.sentAt
    latency.observe(latencyMs / 1000)
    this.#movedAt = now
    const { verdict, isAttempt } = this.#rule(sent, outcome, latencyMs, now)
    outcomes[outcome.kind === 'unregistered' ? 'gone' : outcome.kind]++
    if (verdict?.kind === 'failed' && verdict.state === 'expired') outcomes.expired++
    // Those waiting for room in a lane that pauses now wait on disk.
    if (lane.window.isPaused(now)) for (const one of lanes.release((_, its) => its === lane)) this.#putBack(one)
    if (verdict === null) return this.#putBack(task, outcome)
    const credential = lanes === this.#lanes ? lanes.credential : null
    const finding = deviceFindingOf(task.recipient, outcome, verdict, credential, clock.wallAt(sending.at))
    this.#close(isAttempt ? task : notTried(task), outcome, verdict, finding)
  }

  /** What follows from an answer; if something cannot be read for it, the recipient is tried again. */
  #rule(sent: OnItsWay, outcome: Outcome, latencyMs: number, now: number): Ruling {
    try {
      const ruling = sent.lane.answered(sent, outcome, latencyMs, now, sent.lanes !== this.#lanes)
      const { verdict } = ruling
      // A device that has lost only an old token is sent to by its new one.
      if (verdict?.kind !== 'failed' || verdict.device === 'keep' || !this.#recipients.hasMoved(sent.task))
        return ruling
      return { ...ruling, verdict: { kind: 'retry', dueAt: now, reason: verdict.reason } }
    } catch (error) {
      return { verdict: this.#recipients.unreadable(error, now), isAttempt: false }
    }
  }

  #closeUntried(task: Task, verdict: FinalVerdict): void {
    this.#close(notTried(task), null, verdict, null)
  }

  /** `answer`: it says nothing about the recipient; `null`: nothing was sent. */
  #putBack(task: Task, answer: Outcome | 'withdrawn' | null = null): void {
    const reason = answer === null || answer === 'withdrawn' || answer.kind === 'accepted' ? null : answer.reason
    this.#deps.outbox.pass(task.delivery, { kind: 'put back', task, wasSent: answer !== null, reason })
  }

  #close(task: Task, outcome: Outcome | null, verdict: FinalVerdict, finding: DeviceFinding | null): void {
    const { delivery, attempt } = task
    this.#deps.outbox.pass(delivery, { kind: 'answered', task, outcome, attempt, verdict, finding })
  }
}

const notTried = (task: Task): Task => ({ ...task, attempt: Math.max(task.attempt - 1, 1) })
