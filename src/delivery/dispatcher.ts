import type { Outcome, Provider } from '../gateway/gateway.ts'
import { DEADLINE } from '../gateway/transport/transport.ts'
import { CurrentRecipients, UNREADABLE } from './current-recipients.ts'
import type { Lane } from './lane/lane.ts'
import type { Lanes } from './lane/lanes.ts'
import { OnItsWay } from './on-its-way.ts'
import type { Owner } from './on-its-way.ts'
import type { DeviceFinding } from './open/batch.ts'
import type { Task } from './open/delivery.ts'
import { OutcomeCounters } from './outcome-counters.ts'
import type { Outbox } from './queue/outbox.ts'
import type { SenderContext } from './sender-context.ts'
import type { StoredBadges } from './stored-badges.ts'
import { deviceFindingOf, judgeReplaced, REMOVED } from './verdict.ts'
import type { FinalVerdict, Ruling } from './verdict.ts'

interface Dependencies extends SenderContext {
  readonly outbox: Pick<Outbox, 'take' | 'pass' | 'isSearching'>
  readonly badges: Pick<StoredBadges, 'shownTo'>
}

/** What it is sent with. */
export interface Equipment {
  readonly provider: Provider | null
  readonly lanes: Lanes
}

/**
 * Sends what the outbox gives, with one credential, as fast as the windows of its lanes, the share of this sender and the
 * send budget allow; and passes what is answered back to the outbox.
 */
export class Dispatcher {
  readonly #deps: Dependencies
  readonly #recipients: CurrentRecipients
  #equipment: Equipment
  readonly counters = new OutcomeCounters()
  #inFlight = 0
  #movedAt: number
  #isStopped = false
  #isClosed = false
  #isPumping = false
  readonly #onIdle: (() => void)[] = []
  readonly #pumpAgain = () => this.pump()

  constructor(deps: Dependencies, equipment: Equipment) {
    this.#deps = deps
    this.#recipients = new CurrentRecipients(deps)
    this.#equipment = equipment
    this.#movedAt = deps.clock.now()
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** When the last answer came, or the provider began; ms of service time. */
  get movedAt(): number {
    return this.#movedAt
  }

  /** Sends with another provider from now on; the old one is closed when its requests are over. */
  use(equipment: Equipment): void {
    const { provider: old, lanes } = this.#equipment
    for (const task of lanes.release(() => true)) this.#putBack(task)
    this.#equipment = equipment
    this.#movedAt = this.#deps.clock.now()
    if (old !== null) void old[Symbol.asyncDispose]()
  }

  /** Whether nobody is sent to now, because of pauses or for want of a credential. */
  isPaused(now: number): boolean {
    const { provider, lanes } = this.#equipment
    return provider === null || (lanes.all.length > 0 && lanes.all.every(({ window }) => window.size(now) === 0))
  }

  /** Sends to whoever may be sent to now. */
  pump(): void {
    const { clock } = this.#deps
    this.#pumpAt(clock.now(), clock.monotonic())
  }

  /** Time has passed: requests that are late are put down to their devices. */
  tick(): void {
    const { lanes } = this.#equipment
    const { clock } = this.#deps
    const monotonic = clock.monotonic()
    for (const { silent } of lanes.all) silent.excuseSilent(monotonic)
    for (const task of lanes.release(({ delivery }) => delivery.phase === 'aborted')) this.#putBack(task)
  }

  /** Sends nothing more. */
  stop(): void {
    this.#isStopped = true
    for (const task of this.#equipment.lanes.release(() => true)) this.#putBack(task)
  }

  /** Resolves when nothing is in flight. */
  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }

  /** Closes the connections when their requests are over, and waits for none of them: their answers are dropped. */
  close(): void {
    this.#isClosed = true
    void this.#equipment.provider?.[Symbol.asyncDispose]()
  }

  /** Both clocks are read once an answer: twice would cost a hundredth of a broadcast. */
  #pumpAt(now: number, monotonic: number): void {
    const { provider, lanes } = this.#equipment
    // What is answered at once would else send the next from within itself, and so on.
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

  /** Whether nobody is left, and nothing is in flight. */
  #sendNext(provider: Provider, lanes: Lanes, now: number, monotonic: number): boolean {
    const { sendBudget, outbox, random, share } = this.#deps
    const room = lanes.room(now)
    const most = share() + lanes.excused
    const samples = lanes.wantsSamples
    for (let sent = 0; sent < room && this.#inFlight < most && provider.mayTake?.(monotonic) !== false;) {
      // Neither through nor empty: it goes on in the next turn of the event loop.
      if (!sendBudget.take(this.#pumpAgain, provider.weight)) {
        // Of browsers most wait for an agreement on keys, which another thread makes.
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

  /** Sends, or has the recipient wait; whether that has taken a place in the window. */
  #send(provider: Provider, lanes: Lanes, task: Task, now: number, monotonic: number): boolean {
    if (task.delivery.phase === 'aborted') {
      // While it waited for room.
      this.#putBack(task)
      return false
    }
    const current = this.#asItIs(task, now)
    if (current === null) return false
    const { device } = current.recipient
    const admission = lanes.admit(provider.originOf(current.recipient), current, now)
    if (admission.kind === 'later') this.#putOff(current, admission.dueAt, admission.reason)
    if (admission.kind !== 'go') return false
    const { lane } = admission
    const until = lane.silent.heldBackUntil(device, now)
    if (until !== null) {
      this.#putOff(current, until, DEADLINE)
      return false
    }
    this.#inFlight++
    current.delivery.sent()
    const sending = lane.sent(device, now, monotonic)
    // The task must be released whatever happens, or its batch never settles.
    const onItsWay = new OnItsWay(this.#owner, provider, current, sending, lane, lanes)
    try {
      provider.send(current.delivery.messages.in(current.recipient.language), current.recipient, onItsWay)
    } catch (error) {
      if (onItsWay.isOver) throw error
      onItsWay.onFault(error)
    }
    // Some are answered at once.
    return !onItsWay.isOver && !sending.excused
  }

  /** The task with its device and badge as they are now; `null`: nothing is sent to it now. */
  #asItIs(task: Task, now: number): Task | null {
    try {
      const current = this.#recipients.asItIs(task, now)
      if (current === null) this.#close(task, null, REMOVED, null)
      return current
    } catch (error) {
      this.#putOff(task, this.#recipients.againAfter(error, now), UNREADABLE)
      return null
    }
  }

  readonly #owner: Owner = {
    // Its delivery is not aborted, its credential neither replaced nor paused meanwhile.
    mayGo: ({ task, lanes, lane }) =>
      task.delivery.phase !== 'aborted' && this.#equipment.lanes === lanes && lane.window.mayGo(this.#deps.clock.now()),
    restOf: ({ lanes }, origin) => {
      const now = this.#deps.clock.now()
      const paused = lanes.all.find((lane) => lane.origin === origin && lane.window.isPaused(now))?.window
      return paused === undefined ? null : { afterMs: paused.resumeAt - now, reason: paused.reason ?? '' }
    },
    over: (sent, outcome) => this.#over(sent, outcome),
    faulted: (sent, error) => {
      this.#deps.log.error('provider failed', { provider: sent.provider.name, error: String(error) })
      this.#over(sent, { kind: 'deferred', afterMs: null, scope: 'device', reason: 'internal error' })
    },
  }

  /** A request is over, and its place is free; `null`: while it waited there came a reason not to send it. */
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
    const { clock, latency } = this.#deps
    const latencyMs = at - sending.sentAt
    latency.observe(latencyMs / 1000)
    this.#movedAt = now
    const { verdict, isAttempt } = this.#rule(sent, outcome, latencyMs, now)
    this.counters.count(outcome, verdict)
    if (lane.window.isPaused(now)) this.#putBackWaiting(lanes, lane)
    if (verdict === null) return this.#putBack(task, outcome)
    const credential = lanes === this.#equipment.lanes ? lanes.credential : null
    const finding = deviceFindingOf(task.recipient, outcome, verdict, credential, clock.wallAt(sending.at))
    this.#close(isAttempt ? task : notTried(task), outcome, verdict, finding)
  }

  /** What follows from an answer; where something cannot be read for it, the recipient is asked again. */
  #rule(sent: OnItsWay, outcome: Outcome, latencyMs: number, now: number): Ruling {
    const { task, lane, lanes, sending, provider } = sent
    try {
      if (lanes === this.#equipment.lanes) return this.#follow(task, lane.answered(sent, outcome, latencyMs, now), now)
      lane.withdrawn(sending)
      const { expiresAt } = task.delivery.messages
      const situation = { retry: provider.retry, now, attempt: task.attempt, expiresAt, random: this.#deps.random() }
      return this.#follow(task, judgeReplaced(outcome, situation), now)
    } catch (error) {
      return {
        verdict: { kind: 'retry', dueAt: this.#recipients.againAfter(error, now), reason: UNREADABLE },
        isAttempt: false,
      }
    }
  }

  /** A device that has lost no more than the token of before is sent to by its new one. */
  #follow(task: Task, ruling: Ruling, now: number): Ruling {
    const { verdict } = ruling
    if (verdict?.kind !== 'failed' || verdict.device === 'keep' || !this.#recipients.hasMoved(task)) return ruling
    return { ...ruling, verdict: { kind: 'retry', dueAt: now, reason: verdict.reason } }
  }

  /** Whoever waits for room in a lane that is paused by now waits on disk. */
  #putBackWaiting(lanes: Lanes, lane: Lane): void {
    for (const waiting of lanes.release((_, its) => its === lane)) this.#putBack(waiting)
  }

  /** Postpones a send, since the device answers nothing, or its gateway takes nothing. It is no attempt. */
  #putOff(task: Task, dueAt: number, reason: string): void {
    this.#close(notTried(task), null, { kind: 'retry', dueAt, reason }, null)
  }

  /** `answer`: it says nothing of the recipient; `null`: nothing was sent. */
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
