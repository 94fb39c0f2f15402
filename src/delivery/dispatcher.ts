import type { Outcome, Provider } from '../gateway/gateway.ts'
import type { CurrentRecipients } from './current-recipients.ts'
import { Lane } from './lane/lane.ts'
import type { Lanes } from './lane/lanes.ts'
import { OnItsWay } from './on-its-way.ts'
import type { Owner } from './on-its-way.ts'
import { sendsTo } from './open/batch.ts'
import type { Task } from './open/delivery.ts'
import type { Outbox } from './queue/outbox.ts'
import type { SenderContext } from './sender-context.ts'
import { deviceFindingOf } from './verdict.ts'
import type { DeviceFinding, FinalVerdict, Ruling } from './verdict.ts'

export type Dispatcher = ReturnType<typeof createDispatcher>

/** Sends what the outbox has, as fast as lanes, share and send budget allow, and passes answers back. */
export function createDispatcher(context: SenderContext, outbox: Outbox, recipients: CurrentRecipients, first: Lanes) {
  const { clock, log, random, share, sendBudget, latency, outcomes, store } = context
  let lanes = first
  let inFlight = 0
  let movedAt = clock.now()
  let isStopped = false
  let isClosed = false
  let isPumping = false
  const onIdle: (() => void)[] = []
  const owner: Owner = {
    clock,
    uses: (its) => its === lanes,
    over,
    faulted(sent, error) {
      log.error('provider failed', { provider: sent.lanes.provider?.name, error: String(error) })
      over(sent, { kind: 'deferred', afterMs: null, scope: 'device', reason: 'internal error' })
    },
  }

  const pump = (): void => pumpAt(clock.now(), clock.monotonic())

  /** Reads the clocks once per answer: twice would cost 1 % of a broadcast. */
  function pumpAt(now: number, monotonic: number): void {
    const { provider } = lanes
    // An immediate answer would recurse.
    if (isPumping || isStopped || provider === null) return
    isPumping = true
    try {
      const isThrough = sendNext(provider, lanes, now, monotonic)
      const isDoubtful = isThrough && lanes.all.some(({ breaker }) => breaker.isDoubtful)
      if (isDoubtful && !outbox.isSearching) for (const lane of lanes.all) lane.nobodyLeft(now)
    } finally {
      isPumping = false
    }
  }

  /** Returns whether nobody is left, and nothing is in flight. */
  function sendNext(provider: Provider, lanes: Lanes, now: number, monotonic: number): boolean {
    const room = lanes.room(now)
    const most = share() + lanes.excused
    const samples = lanes.wantsSamples
    for (let sent = 0; sent < room && inFlight < most && provider.mayTake?.(monotonic) !== false;) {
      if (!sendBudget.take(pump, provider.weight)) {
        // Browsers mostly wait for a key agreement, which another thread makes.
        if (provider.isOpen !== true) for (const { window, inFlight } of lanes.all) window.crowded(inFlight)
        return false
      }
      const task = lanes.next(now) ?? outbox.take(now, samples ? random() : null)
      if (task === null) return inFlight === 0
      if (task === 'full') return false
      if (send(provider, lanes, task, now, monotonic)) sent++
    }
    return false
  }

  /** Sends, or has the recipient wait; returns whether that takes a place in the window. */
  function send(provider: Provider, lanes: Lanes, task: Task, now: number, monotonic: number): boolean {
    if (task.delivery.phase === 'aborted') {
      putBack(task)
      return false
    }
    const current = recipients.asItIs(task, now)
    if ('kind' in current) {
      close(notTried(task), null, current, null)
      return false
    }
    const { recipient, delivery } = current
    const lane = lanes.admit(provider.originOf(recipient), current, now)
    if (!(lane instanceof Lane)) {
      if (lane.until !== null) waits(current, lane.until, lane.says)
      return false
    }
    inFlight++
    delivery.sent()
    const sending = lane.sent(recipient.device, now, monotonic)
    // The task must be released whatever happens, or its batch never settles.
    const onItsWay = new OnItsWay(owner, current, sending, lane, lanes)
    try {
      provider.send(delivery.messageIn(recipient.language), recipient, onItsWay)
    } catch (error) {
      if (onItsWay.isOver) throw error
      onItsWay.onFault(error)
    }
    return !onItsWay.isOver && !sending.excused
  }

  function waits(task: Task, dueAt: number, says: string): void {
    const { batch, index } = task
    const verdict: FinalVerdict = { kind: 'retry', dueAt, reason: batch.reasons.get(index) ?? says }
    close({ ...task, attempt: sendsTo(batch, index) }, null, verdict, null)
  }

  /** `null`: it waited, and was not sent after all. */
  function over(sent: OnItsWay, outcome: Outcome | null): void {
    if (isClosed) return
    inFlight--
    const monotonic = clock.monotonic()
    const now = clock.now()
    if (outcome === null) {
      sent.lane.withdrawn(sent.sending)
      putBack(sent.task, true)
    } else answered(sent, outcome, now, monotonic)
    if (inFlight === 0) for (const resolve of onIdle.splice(0)) resolve()
    pumpAt(now, monotonic)
  }

  function answered(sent: OnItsWay, outcome: Outcome, now: number, at: number): void {
    const { task, lane, sending } = sent
    const latencyMs = at - sending.sentAt
    latency.observe(latencyMs / 1000)
    movedAt = now
    const { verdict, isAttempt } = rule(sent, outcome, latencyMs, now)
    outcomes[outcome.kind === 'unregistered' ? 'gone' : outcome.kind]++
    if (verdict?.kind === 'failed' && verdict.state === 'expired') outcomes.expired++
    // Those waiting for room wait on disk during a pause.
    if (lane.window.isPaused(now)) putBackWaiting((_, its) => its === lane, sent.lanes)
    if (verdict === null) return putBack(task, true, outcome.kind === 'accepted' ? null : outcome.reason)
    const credential = sent.lanes === lanes ? lanes.credential : null
    const finding = deviceFindingOf(task.recipient, outcome, verdict, credential, clock.wallAt(sending.at))
    close(isAttempt ? task : notTried(task), outcome, verdict, finding)
  }

  /** If the database cannot be read for it, the recipient is tried again. */
  function rule(sent: OnItsWay, outcome: Outcome, latencyMs: number, now: number): Ruling {
    const { device, token } = sent.task.recipient
    try {
      const ruling = sent.lane.answered(sent, outcome, latencyMs, now, sent.lanes !== lanes)
      const { verdict } = ruling
      // Only an old token is bad: it is sent to by the new one.
      if (verdict?.kind !== 'failed' || verdict.device === 'keep' || !store.hasMoved(device, token)) return ruling
      return { ...ruling, verdict: { kind: 'retry', dueAt: now, reason: verdict.reason } }
    } catch (error) {
      return { verdict: recipients.unreadable(error, now), isAttempt: false }
    }
  }

  function putBackWaiting(belongs: Parameters<Lanes['release']>[0], from = lanes): void {
    for (const task of from.release(belongs)) putBack(task)
  }

  /** `reason`: an answer that says nothing about the recipient. */
  function putBack(task: Task, wasSent = false, reason: string | null = null): void {
    outbox.pass(task.delivery, { kind: 'put back', task, wasSent, reason })
  }

  function close(task: Task, outcome: Outcome | null, verdict: FinalVerdict, finding: DeviceFinding | null): void {
    outbox.pass(task.delivery, { kind: 'answered', task, outcome, verdict, finding })
  }

  return {
    pump,

    get lanes(): Lanes {
      return lanes
    },

    get inFlight(): number {
      return inFlight
    },

    /** When the last answer came, or the provider began. */
    get movedAt(): number {
      return movedAt
    },

    /** The old provider closes when its requests are over. */
    use(others: Lanes): void {
      putBackWaiting(() => true)
      const old = lanes.provider
      lanes = others
      movedAt = clock.now()
      if (old !== null) void old[Symbol.asyncDispose]()
    },

    isPaused(now: number): boolean {
      const { provider, all } = lanes
      return provider === null || (all.length > 0 && all.every(({ window }) => window.size(now) === 0))
    },

    tick(): void {
      const monotonic = clock.monotonic()
      for (const { silent } of lanes.all) silent.excuseSilent(monotonic)
      putBackWaiting(({ delivery }) => delivery.phase === 'aborted')
    },

    async stop(): Promise<void> {
      isStopped = true
      putBackWaiting(() => true)
      if (inFlight > 0) await new Promise<void>((resolve) => onIdle.push(resolve))
    },

    close(): void {
      isClosed = true
      void lanes.provider?.[Symbol.asyncDispose]()
    },
  }
}

const notTried = (task: Task): Task => ({ ...task, attempt: Math.max(task.attempt - 1, 1) })
