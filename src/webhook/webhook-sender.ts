import { sleep, within } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import type { Log } from '../log.ts'
import { retryAfterMs } from '../network/retry-after.ts'
import type { EventStore, StoredEvent } from './event-store.ts'
import { waitMs } from './event.ts'
import type { Post, PostOutcome } from './post.ts'
import { PROBE_MS, ReceiverWindow } from './receiver-window.ts'
import { secretBytes, signatureOf } from './signature.ts'
import type { Receiver, WebhookStore } from './webhook-store.ts'

/** How often it is looked for events that are due; also how soon a changed webhook is followed. */
const TICK_MS = 250

/** Calls open at once, of all applications together; each may have one beyond that, so that none waits for others. */
const MAX_OPEN = 256

/** How long an application whose secret does not open is left alone. */
const SEALED_MS = 5000

/** How long a write waits before it is tried again, when the disk would not take it. */
const WRITE_AGAIN_MS = 1000

/** The same of a read that has failed: the database is damaged, or the disk is. */
const READ_AGAIN_MS = 10_000

/** A clock may wander this much between two ticks. */
const CLOCK_TOLERANCE_MS = 1000

/** How long a stop waits for answers: an event that is sent again is known by its id. */
const STOP_MS = 2000

const GONE = 410

/** With these, `Retry-After` speaks of the receiver and not of one event (RFC 6585, 4; RFC 9110, 15.6.4). */
const ASKS_FOR_REST: ReadonlySet<number> = new Set([429, 503])

interface Dependencies {
  readonly clock: Clock
  readonly log: Log
  /** In [0, 1). */
  readonly random: () => number
  readonly commit: Commit
  readonly events: Pick<
    EventStore,
    'receivers' | 'due' | 'erase' | 'putOff' | 'lastNumber' | 'shiftDue' | 'takeDropped' | 'hasDropped'
  >
  readonly webhooks: Pick<WebhookStore, 'receiver' | 'disable' | 'eraseUnwanted'>
  readonly post: Post
  /** Hears of each try: `application` is `application.number`. */
  readonly onTry?: (application: number, outcome: 'delivered' | 'failed' | 'given-up') => void
}

export interface WebhookSender {
  /** Sends nothing more; resolves when what is in flight is answered and written down, or two seconds later. */
  stop(): Promise<void>
  /** Ends what is in flight; the next process sends it again. */
  close(): void
}

/** What is known of a receiver beside its rows; lost at the end of the process. */
interface Line {
  /** The webhook's `changedAt` that the rest speaks of. */
  version: number
  /** `event.number` of events on their way. */
  readonly inFlight: Set<number>
  window: ReceiverWindow
}

/**
 * Takes events to their receivers, each application by itself.
 *
 * waiting (a row) → (due) → on its way → (2xx) → erased; (410) → the webhook is disabled, and its events are erased;
 * (anything else) → waiting, with a later time, until it has been tried ten times → erased. The row stays until then,
 * so a crash repeats what was on its way and loses nothing. The others of its application go on meanwhile, unless
 * `ReceiverWindow` says that the receiver takes nothing; no order is promised.
 */
export function startWebhookSender(deps: Dependencies): WebhookSender {
  const { clock, log, commit, events, webhooks } = deps
  const lines = new Map<number, Line>()
  const open = new Set<Promise<void>>()
  let calls = 0
  const ending = new AbortController()
  let stopped = false
  let tickedAt = clock.now()
  let cancelTick = clock.after(TICK_MS, tick)

  function tick(): void {
    cancelTick = clock.after(TICK_MS, tick)
    const now = clock.now()
    const backMs = tickedAt - now
    tickedAt = now
    if (backMs >= CLOCK_TOLERANCE_MS) {
      for (const line of lines.values()) line.window.shift(backMs)
      track(shiftDue(backMs))
    }
    try {
      for (const application of events.receivers(now)) pump(application)
      if (events.hasDropped()) track(persist(() => events.takeDropped()).then(tellDropped))
    } catch (error) {
      log.error('webhook events cannot be read; trying again', { error: String(error) })
      cancelTick()
      cancelTick = clock.after(READ_AGAIN_MS, tick)
    }
  }

  async function shiftDue(byMs: number): Promise<void> {
    const last = events.lastNumber()
    let after: number | null = 0
    while (after !== null) {
      const from: number = after
      after = await persist(() => events.shiftDue(byMs, from, last))
    }
  }

  function pump(application: number): void {
    try {
      sendDue(application)
    } catch (error) {
      lineOf(application).window.pauseUntil(clock.now() + READ_AGAIN_MS)
      log.error('the webhook events of an application cannot be read; trying again', {
        application,
        error: String(error),
      })
    }
  }

  /** Throws where the webhook's events cannot be read. */
  function sendDue(application: number): void {
    if (stopped) return
    const receiver = webhooks.receiver(application)
    if (receiver === null) return
    const line = lineOf(application)
    // Another address, perhaps: what the old one has done is not its fault.
    if (line.version !== receiver.changedAt) {
      Object.assign(line, { version: receiver.changedAt, window: new ReceiverWindow() })
    }
    const now = clock.now()
    const max = line.window.size(now)
    const room = Math.min(max - line.inFlight.size, Math.max(MAX_OPEN - calls, line.inFlight.size === 0 ? 1 : 0))
    if (room <= 0) return
    const due = events
      .due(application, now, room + line.inFlight.size)
      .filter(({ number }) => !line.inFlight.has(number))
    if (due.length === 0) return
    const secret = receiver.secret === null ? null : secretBytes(receiver.secret)
    if (secret === null) {
      line.window.pauseUntil(now + SEALED_MS)
      log.error('the secret of a webhook does not open: it was sealed with another key', {
        application: receiver.application,
      })
      return
    }
    for (const event of due.slice(0, room)) {
      line.inFlight.add(event.number)
      track(send(application, receiver, secret, event))
    }
  }

  async function send(application: number, receiver: Receiver, secret: Uint8Array, event: StoredEvent): Promise<void> {
    // What was read may not be on disk yet: a power cut would undo what the receiver has been told of, and it would be
    // told again by another id. What comes by way of a commit comes after the sync that covers it.
    calls++
    await persist(() => undefined)
    if (ending.signal.aborted) return
    const timestamp = Math.floor(clock.now() / 1000)
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Bellhop',
      'webhook-id': event.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf({ id: event.id, timestamp, body: event.body }, secret),
    }
    const outcome = await deps.post(receiver.url, headers, event.body, ending.signal)
    calls--
    // The row is as it was: the next process sends it again.
    if (ending.signal.aborted) return
    await answered(application, receiver, event, outcome)
    lineOf(application).inFlight.delete(event.number)
    pump(application)
  }

  async function answered(
    application: number,
    receiver: Receiver,
    event: StoredEvent,
    outcome: PostOutcome,
  ): Promise<void> {
    const line = lineOf(application)
    const name = { application: receiver.application, id: event.id, type: event.type }
    if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300) {
      if (line.version === receiver.changedAt && line.window.taken() === 'closed') {
        log.info('a webhook receiver takes events again', { application: receiver.application })
      }
      deps.onTry?.(application, 'delivered')
      await persist(() => events.erase(event.number))
      log.debug('webhook event delivered', name)
      return
    }
    const now = clock.now()
    if (outcome.kind === 'answered' && outcome.status === GONE) {
      deps.onTry?.(application, 'failed')
      const { changedAt } = receiver
      const disabled = await persist(() => webhooks.disable(application, changedAt, now))
      if (disabled) log.warn('webhook disabled: its receiver answered 410', { application: receiver.application })
      while (await persist(() => webhooks.eraseUnwanted(application)));
      return
    }
    const asked = outcome.kind === 'answered' ? retryAfterMs(outcome.retryAfter, now) : null
    const attempt = event.attempt + 1
    const wait = waitMs(attempt, deps.random(), asked)
    deps.onTry?.(application, wait === null ? 'given-up' : 'failed')
    if (line.version === receiver.changedAt) noteFailure(line, receiver, outcome, now + (asked ?? 0))
    const reason = outcome.kind === 'answered' ? String(outcome.status) : outcome.reason
    await persist(() => (wait === null ? events.erase(event.number) : events.putOff(event.number, attempt, now + wait)))
    if (wait === null) log.error('webhook event given up', { ...name, attempt, reason })
    else log.warn('webhook event not delivered', { ...name, attempt, reason, waitMs: wait })
  }

  /** `restUntil`: what its `Retry-After` says, ms since the Unix epoch. */
  function noteFailure({ window }: Line, { application }: Receiver, outcome: PostOutcome, restUntil: number): void {
    const opened = window.failed(clock.now()) === 'opened'
    if (outcome.kind === 'answered' && ASKS_FOR_REST.has(outcome.status)) window.pauseUntil(restUntil)
    if (!opened) return
    const what = `a webhook receiver takes nothing: one event at a time is tried, every ${PROBE_MS / 1000} s`
    log.warn(what, { application, failures: window.failures })
  }

  /** Writes until it succeeds: what is delivered is not to be sent again because the disk was full for a moment. */
  async function persist<T>(operation: () => T): Promise<T> {
    for (;;) {
      try {
        return await (commit as (operation: () => T) => Promise<T>)(operation)
      } catch (error) {
        if (ending.signal.aborted) return new Promise<never>(() => {})
        log.error('a webhook event could not be written down; trying again', { error: String(error) })
        await sleep(clock, WRITE_AGAIN_MS)
      }
    }
  }

  function tellDropped(dropped: readonly { readonly application: string; readonly events: number }[]): void {
    for (const each of dropped) log.warn('webhook events dropped: too many wait', each)
  }

  function lineOf(application: number): Line {
    const known = lines.get(application)
    if (known !== undefined) return known
    const line = { version: 0, inFlight: new Set<number>(), window: new ReceiverWindow() }
    lines.set(application, line)
    return line
  }

  function track(work: Promise<void>): void {
    open.add(work)
    void work.finally(() => open.delete(work))
  }

  return {
    async stop() {
      stopped = true
      cancelTick()
      await within(clock, STOP_MS, Promise.all(open), null)
    },
    close() {
      stopped = true
      cancelTick()
      ending.abort()
    },
  }
}
