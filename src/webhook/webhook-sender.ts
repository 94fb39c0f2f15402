import type { Clock } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import { retryAfterMs } from '../delivery/transport/retry-after.ts'
import type { Log } from '../log.ts'
import { waitMs } from './event.ts'
import type { EventStore, StoredEvent } from './event-store.ts'
import type { Post, PostOutcome } from './post.ts'
import { secretBytes, signatureOf } from './signature.ts'
import type { Receiver, WebhookStore } from './webhook-store.ts'

/** How often it is looked for events that are due; also how soon a changed webhook is followed. */
const TICK_MS = 250

/** Events of one application on their way at once; of one whose last try failed, a single one. */
const MAX_IN_FLIGHT = 4

/** How long an application is left alone after a failed try, whatever else is due. */
const PAUSE_MS = 5000

/** How long a write waits before it is tried again, when the disk would not take it. */
const WRITE_AGAIN_MS = 1000

/** The same of a read that has failed: the database is damaged, or the disk is. */
const READ_AGAIN_MS = 10_000

/** A clock may wander this much between two ticks. */
const CLOCK_TOLERANCE_MS = 1000

/** How long a stop waits for answers: an event that is sent again is known by its id. */
const STOP_MS = 2000

const GONE = 410

interface Dependencies {
  readonly clock: Clock
  readonly log: Log
  /** In [0, 1). */
  readonly random: () => number
  readonly commit: Commit
  readonly events: Pick<
    EventStore,
    'receivers' | 'due' | 'erase' | 'putOff' | 'shiftDue' | 'takeDropped' | 'hasDropped'
  >
  readonly webhooks: Pick<WebhookStore, 'receiver' | 'disable'>
  readonly post: Post
  /** Hears of each try: `application` is `application.number`. */
  readonly onTry?: (application: number, outcome: 'delivered' | 'failed' | 'given-up') => void
}

export interface WebhookSender {
  /** Sends nothing more; resolves when what is in flight is answered and written down, or two seconds later. */
  stop(): Promise<void>
  /** Ends what is in flight. It is sent again by the next process. */
  close(): void
}

/** What is known of a receiver beside its rows; lost at the end of the process. */
interface Line {
  /** The webhook's `changedAt` that the rest speaks of. */
  version: number
  /** `event.number` of those on their way. */
  readonly inFlight: Set<number>
  failing: boolean
  /** Ms since the Unix epoch. */
  notBefore: number
}

/**
 * Takes events to their receivers, each application by itself.
 *
 * waiting (a row) → (due) → on its way → (2xx) → erased; (410) → the webhook is disabled, and its events are erased;
 * (anything else) → waiting, with a later time, until it has been tried ten times → erased. The row stays until then,
 * so a crash repeats what was on its way and loses nothing.
 */
export function startWebhookSender(on: Dependencies): WebhookSender {
  const { clock, log, commit, events, webhooks } = on
  const lines = new Map<number, Line>()
  const open = new Set<Promise<void>>()
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
      for (const line of lines.values()) line.notBefore -= backMs
      track(persist(() => events.shiftDue(backMs)))
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

  function pump(application: number): void {
    try {
      sendDue(application)
    } catch (error) {
      lineOf(application).notBefore = clock.now() + READ_AGAIN_MS
      log.error('the webhook events of an application cannot be read; trying again', {
        application,
        error: String(error),
      })
    }
  }

  /** Throws where its events cannot be read. */
  function sendDue(application: number): void {
    if (stopped) return
    const receiver = webhooks.receiver(application)
    if (receiver === null) return
    const line = lineOf(application)
    // Another address, perhaps: what the old one has done is not its fault.
    if (line.version !== receiver.changedAt) {
      Object.assign(line, { version: receiver.changedAt, failing: false, notBefore: 0 })
    }
    const now = clock.now()
    const room = (line.failing ? 1 : MAX_IN_FLIGHT) - line.inFlight.size
    if (room <= 0 || now < line.notBefore) return
    const due = events
      .due(application, now, MAX_IN_FLIGHT + line.inFlight.size)
      .filter(({ number }) => !line.inFlight.has(number))
    if (due.length === 0) return
    const secret = receiver.secret === null ? null : secretBytes(receiver.secret)
    if (secret === null) {
      line.notBefore = now + PAUSE_MS
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
    const timestamp = Math.floor(clock.now() / 1000)
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Bellhop',
      'webhook-id': event.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf({ id: event.id, timestamp, body: event.body }, secret),
    }
    const outcome = await on.post(receiver.url, headers, event.body, ending.signal)
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
      if (line.version === receiver.changedAt) line.failing = false
      on.onTry?.(application, 'delivered')
      await persist(() => events.erase(event.number))
      log.debug('webhook event delivered', name)
      return
    }
    const now = clock.now()
    if (outcome.kind === 'answered' && outcome.status === GONE) {
      on.onTry?.(application, 'failed')
      const { changedAt } = receiver
      const disabled = await persist(() => webhooks.disable(application, changedAt, now))
      if (disabled) log.warn('webhook disabled: its receiver answered 410', { application: receiver.application })
      return
    }
    const asked = outcome.kind === 'answered' ? retryAfterMs(outcome.retryAfter, now) : null
    const attempt = event.attempt + 1
    const wait = waitMs(attempt, on.random(), asked)
    on.onTry?.(application, wait === null ? 'given-up' : 'failed')
    if (line.version === receiver.changedAt) {
      line.failing = true
      line.notBefore = Math.max(line.notBefore, now + Math.max(PAUSE_MS, asked ?? 0))
    }
    const reason = outcome.kind === 'answered' ? String(outcome.status) : outcome.reason
    await persist(() => (wait === null ? events.erase(event.number) : events.putOff(event.number, attempt, now + wait)))
    if (wait === null) log.error('webhook event given up', { ...name, attempt, reason })
    else log.warn('webhook event not delivered', { ...name, attempt, reason, waitMs: wait })
  }

  /** Writes until it succeeds: what is delivered is not to be sent again because the disk was full for a moment. */
  async function persist<T>(operation: () => T): Promise<T> {
    for (;;) {
      try {
        return await (commit as (operation: () => T) => Promise<T>)(operation)
      } catch (error) {
        if (ending.signal.aborted) return new Promise<never>(() => {})
        log.error('a webhook event could not be written down; trying again', { error: String(error) })
        await new Promise<void>((resolve) => clock.after(WRITE_AGAIN_MS, resolve))
      }
    }
  }

  function tellDropped(dropped: readonly { readonly application: string; readonly events: number }[]): void {
    for (const each of dropped) log.warn('webhook events dropped: too many wait', each)
  }

  function lineOf(application: number): Line {
    const known = lines.get(application)
    if (known !== undefined) return known
    const line = { version: 0, inFlight: new Set<number>(), failing: false, notBefore: 0 }
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
      let cancel = () => {}
      const late = new Promise<void>((resolve) => (cancel = clock.after(STOP_MS, resolve)))
      await Promise.race([Promise.all(open), late])
      cancel()
    },
    close() {
      stopped = true
      cancelTick()
      ending.abort()
    },
  }
}
