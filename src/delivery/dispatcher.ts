import type { Clock } from '../clock.ts'
import type { Outcome, OutcomeListener, Provider } from '../gateway/gateway.ts'
import type { Log } from '../log.ts'
import type { ActiveDelivery } from './active-delivery.ts'
import { CredentialHealth } from './credential/credential-health.ts'
import type { CredentialStanding, HealthDependencies } from './credential/credential-health.ts'
import type { SendBudget } from './credential/send-budget.ts'
import { ServiceLanes } from './credential/service-lanes.ts'
import type { PausedService } from './credential/service-lanes.ts'
import { SilentDevices } from './credential/silent-devices.ts'
import type { Sending } from './credential/silent-devices.ts'
import { OutcomeCounters } from './outcome-counters.ts'
import type { CredentialInUse, OutcomeHandler } from './outcome-handler.ts'
import { isHeldBack } from './page/task.ts'
import type { Task } from './page/task.ts'
import type { Backlog } from './queue/backlog.ts'
import type { DeliveryStore } from './store/delivery-store.ts'

interface Dependencies extends HealthDependencies {
  readonly clock: Clock
  readonly log: Log
  readonly backlog: Pick<Backlog, 'take' | 'enqueue' | 'isSearching'>
  readonly store: Pick<DeliveryStore, 'recipient'>
  readonly outcomes: Pick<OutcomeHandler, 'handle' | 'postpone' | 'requeue' | 'removed'>
  /** Shared by all senders. */
  readonly sendBudget: SendBudget
  /** Requests this sender may have in flight, of what all share. */
  readonly share: () => number
  /** Is told how long each answer took, in seconds. */
  readonly latency: { observe(seconds: number): void }
  /** A delivery has nobody to send to now. */
  readonly onEmpty: (delivery: ActiveDelivery) => void
}

/** One of several gateways; `lanes`: those of the credential that it is sent with. */
interface Lane {
  readonly lanes: ServiceLanes<Task>
  readonly service: string
}

/** What a dispatcher is told of a notification on its way. */
interface Owner {
  mayGo(sent: OnItsWay): boolean
  over(sent: OnItsWay, outcome: Outcome | null): void
  faulted(sent: OnItsWay, error: unknown): void
}

/** One notification that was sent. A class, since a broadcast makes one for each, and its functions are shared. */
class OnItsWay implements OutcomeListener {
  readonly #owner: Owner
  readonly provider: Provider
  readonly task: Task
  readonly sending: Sending
  /** `null`: there is one gateway. */
  readonly lane: Lane | null
  readonly credential: CredentialInUse
  #isOver = false

  constructor(owner: Owner, sent: Pick<OnItsWay, 'provider' | 'task' | 'sending' | 'lane' | 'credential'>) {
    this.#owner = owner
    this.provider = sent.provider
    this.task = sent.task
    this.sending = sent.sending
    this.lane = sent.lane
    this.credential = sent.credential
  }

  get isOver(): boolean {
    return this.#isOver
  }

  mayGo(): boolean {
    return this.#owner.mayGo(this)
  }

  onOutcome(outcome: Outcome | null): void {
    this.#isOver = true
    this.#owner.over(this, outcome)
  }

  onFault(error: unknown): void {
    this.#isOver = true
    this.#owner.faulted(this, error)
  }
}

/** Before there is a credential. */
const NO_CREDENTIAL: CredentialStanding = {
  isProven: false,
  isSimulated: false,
  wasAccepted: () => false,
  onProven: () => undefined,
}

/**
 * Sends what the backlog gives, with one credential, as fast as the congestion window, the share of this sender and the
 * send budget allow; and passes on what is answered.
 */
export class Dispatcher {
  readonly #deps: Dependencies
  #provider: Provider | null = null
  #credential: CredentialInUse
  readonly #silent = new SilentDevices()
  /** Of a credential that is for several gateways. */
  #lanes: ServiceLanes<Task>
  readonly #counters = new OutcomeCounters()
  #inFlight = 0
  /** How many were sent, ever. */
  #sent = 0
  /** When the last answer came, or the provider began; ms of service time. */
  #movedAt: number
  #isStopped = false
  #isClosed = false
  #isPumping = false
  readonly #onIdle: (() => void)[] = []
  readonly #pumpAgain = () => this.pump()

  constructor(deps: Dependencies) {
    this.#deps = deps
    this.#movedAt = deps.clock.now()
    this.#credential = { number: -1, health: new CredentialHealth(deps, NO_CREDENTIAL) }
    this.#lanes = this.#newLanes()
  }

  get provider(): Provider | null {
    return this.#provider
  }

  get health(): CredentialHealth {
    return this.#credential.health
  }

  /** Which credential is in use, as in `CredentialKey`. */
  get credential(): number {
    return this.#credential.number
  }

  /** Gateways of this credential that wait by themselves; `now` is ms of service time. */
  pausedServices(now: number): readonly PausedService[] {
    return this.#lanes.paused(now)
  }

  get counters(): OutcomeCounters {
    return this.#counters
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** When the last answer came, or the provider began; ms of service time. */
  get movedAt(): number {
    return this.#movedAt
  }

  /** Requests that may be in flight now. */
  size(now: number): number {
    return this.#provider === null ? 0 : Math.min(this.health.size(now), this.#deps.share())
  }

  /** Sends with another provider from now on; the old one is closed when its requests are over. */
  use(provider: Provider | null, credential: number, standing: CredentialStanding): void {
    const old = this.#provider
    const now = this.#deps.clock.now()
    this.#releaseAside(() => true, now)
    this.#lanes = this.#newLanes()
    this.#provider = provider
    this.#credential = { number: credential, health: new CredentialHealth(this.#deps, standing) }
    this.#movedAt = now
    if (old !== null) void old[Symbol.asyncDispose]()
  }

  /** Sends to whoever may be sent to now. */
  pump(): void {
    const { clock } = this.#deps
    this.#pumpAt(clock.now(), clock.monotonic())
  }

  /** Both clocks are read once an answer: twice would cost a hundredth of a broadcast. */
  #pumpAt(now: number, monotonic: number): void {
    // What is answered at once would else send the next from within itself, and so on.
    if (this.#isPumping) return
    this.#isPumping = true
    try {
      this.#sendNext(now, monotonic)
    } finally {
      this.#isPumping = false
    }
  }

  #sendNext(now: number, monotonic: number): void {
    const provider = this.#provider
    if (provider === null || this.#isStopped) return
    const { sendBudget, outcomes, backlog, onEmpty } = this.#deps
    let isThrough = false
    while (this.#inFlight - this.#silent.excused < this.size(now) && provider.mayTake?.(monotonic) !== false) {
      // Neither through nor empty: it goes on in the next turn of the event loop.
      if (!sendBudget.take(this.#pumpAgain, provider.weight)) {
        // Of several gateways each has a window of its own, and none is to be known by the latency of another.
        if (provider.serviceOf === undefined) this.health.crowded(this.#inFlight)
        return
      }
      const task = this.#lanes.next(now) ?? (this.#lanes.isFull(now) ? null : backlog.take(now, this.health, onEmpty))
      if (task === null) {
        isThrough = this.#inFlight + this.#lanes.aside === 0
        break
      }
      const until = this.#silent.heldBackUntil(task.recipient.device, now)
      if (until !== null) outcomes.postpone(task, until, now)
      else {
        const current = isHeldBack(task, now) ? this.#readAgain(task, now) : task
        if (current !== null) this.#admit(provider, current, now, monotonic)
      }
    }
    if (isThrough && this.health.isDoubtful && !backlog.isSearching) this.health.nobodyLeft(now)
  }

  /** Time has passed: requests that are late are put down to their devices. */
  tick(): void {
    const { clock } = this.#deps
    this.#silent.excuseSilent(clock.monotonic())
    this.#releaseAside(({ delivery }) => delivery.abortReason !== null, clock.now())
  }

  /** Sends nothing more. */
  stop(): void {
    this.#isStopped = true
    this.#releaseAside(() => true, this.#deps.clock.now())
  }

  /** Resolves when nothing is in flight. */
  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }

  /** Closes the connections when their requests are over, and waits for none of them: their answers are dropped. */
  close(): void {
    this.#isClosed = true
    void this.#provider?.[Symbol.asyncDispose]()
  }

  /**
   * The task with its device as it is now; `null` where nothing is to be sent: a device that has left gets nothing, as one
   * that waited on disk. The notification was for that device, also where the phone is back: it is another device, with
   * none of the labels that it was addressed by, and a badge that begins anew.
   */
  #readAgain(task: Task, now: number): Task | null {
    const { store, outcomes } = this.#deps
    const { recipient, delivery } = task
    const found = store.recipient(recipient.device, delivery.record.notification)
    // It gets the text that it counts with.
    if (found !== null) return { ...task, recipient: { ...recipient, ...found, language: recipient.language } }
    outcomes.removed(task, now)
    return null
  }

  /** Sends, or has the recipient wait for its gateway. */
  #admit(provider: Provider, task: Task, now: number, monotonic: number): void {
    const service = provider.serviceOf?.(task.recipient) ?? null
    const admission = service === null ? null : this.#lanes.admit(service, task, now)
    if (admission === null || admission.kind === 'go') this.#send(provider, task, service, monotonic)
    else if (admission.kind === 'later') this.#deps.outcomes.postpone(task, admission.dueAt, now, admission.reason)
  }

  #send(provider: Provider, task: Task, service: string | null, monotonic: number): void {
    this.#inFlight++
    const lanes = this.#lanes
    if (service !== null) lanes.sent(service)
    task.delivery.sent()
    const sent = this.#withBadge(task)
    const sending = this.#silent.sent(task.recipient.device, ++this.#sent, monotonic)
    const lane = service === null ? null : { lanes, service }
    // The task must be released whatever happens, or its page never settles.
    const onItsWay = new OnItsWay(this.#owner, { provider, task: sent, sending, lane, credential: this.#credential })
    try {
      provider.send(sent.delivery.messageIn(sent.recipient.language), sent.recipient, onItsWay)
    } catch (error) {
      if (onItsWay.isOver) throw error
      onItsWay.onFault(error)
    }
  }

  readonly #owner: Owner = {
    // Its delivery is not aborted, its credential neither replaced nor paused meanwhile.
    mayGo: ({ task, provider, credential: { health } }) =>
      task.delivery.abortReason === null && this.#provider === provider && !health.isPaused(this.#deps.clock.now()),
    over: (sent, outcome) => (outcome === null ? this.#withdrawn(sent) : this.#answered(sent, outcome)),
    faulted: (sent, error) => {
      this.#deps.log.error('provider failed', { provider: sent.provider.name, error: String(error) })
      this.#answered(sent, { kind: 'deferred', afterMs: null, scope: 'device', reason: 'internal error' })
    },
  }

  /** The task with the badge that the device is to show now. */
  #withBadge(task: Task): Task {
    const { delivery, recipient } = task
    const badge = delivery.badgeOf(task)
    return badge === recipient.badge ? task : { ...task, recipient: { ...recipient, badge } }
  }

  #answered({ provider, task, sending, lane, credential: sentWith }: OnItsWay, answer: Outcome): void {
    if (this.#isClosed) return
    this.#inFlight--
    const { clock, latency, outcomes } = this.#deps
    const monotonic = clock.monotonic()
    const now = clock.now()
    const latencyMs = monotonic - sending.sentAt
    const heard = this.#silent.answered(sending, answer, now)
    const outcome = lane === null ? heard : this.#heardOf(lane, heard, latencyMs, now)
    latency.observe(latencyMs / 1000)
    this.#movedAt = now
    // Of a credential that has been replaced an answer says nothing of the new one.
    const credential = sentWith === this.#credential ? sentWith : null
    // One slow gateway of several must not close the window of the others.
    const sent = { nth: sending.nth, latencyMs: lane === null ? latencyMs : 0 }
    const situation = { sent, retry: provider.retry, credential, now }
    const verdict = outcomes.handle(task, outcome, situation)
    const isPutOff =
      outcome.kind === 'deferred' && outcome.scope === 'device' && answer.kind === 'deferred' && !answer.strain
    if (isPutOff && verdict.kind === 'retry') this.#silent.putOff(task.recipient.device, verdict.dueAt, now)
    this.#counters.count(outcome, verdict)
    this.#over(task, now, monotonic)
  }

  /** What an answer means for its gateway; gives what it means for the credential. */
  #heardOf({ lanes, service }: Lane, answer: Outcome, latencyMs: number, now: number): Outcome {
    const { outcome, turnedAway } = lanes.answered(service, answer, latencyMs, now)
    const reason = outcome.kind === 'deferred' ? outcome.reason : ''
    for (const { task, dueAt } of turnedAway) this.#deps.outcomes.postpone(task, dueAt, now, reason)
    return outcome
  }

  /** Requeues those of the recipients set aside that `belong`. */
  #releaseAside(belongs: (task: Task) => boolean, now: number): void {
    const { outcomes, backlog } = this.#deps
    for (const task of this.#lanes.takeAside(belongs)) {
      outcomes.requeue(task, now)
      backlog.enqueue(task.delivery)
    }
  }

  #newLanes(): ServiceLanes<Task> {
    const { log, random, application, platform } = this.#deps
    return new ServiceLanes({ log, random, name: { application, platform } })
  }

  /** While the request waited there came a reason not to send it. */
  #withdrawn({ task, sending, lane }: OnItsWay): void {
    if (this.#isClosed) return
    this.#inFlight--
    const { clock, outcomes } = this.#deps
    this.#silent.withdrawn(sending)
    lane?.lanes.withdrawn(lane.service)
    const now = clock.now()
    outcomes.requeue(task, now)
    this.#over(task, now, clock.monotonic())
  }

  /** A request is over, and its place is free. */
  #over(task: Task, now: number, monotonic: number): void {
    // The delivery may have room for another page, or somebody to send to again.
    this.#deps.backlog.enqueue(task.delivery)
    if (this.#inFlight === 0) for (const resolve of this.#onIdle.splice(0)) resolve()
    this.#pumpAt(now, monotonic)
  }
}
