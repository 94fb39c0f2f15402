import { sleep, within } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import { createEventSettlement, ReceiverWindow } from './event-settlement.ts'
import type { Settling } from './event-settlement.ts'
import type { EventStore, StoredEvent } from './event-store.ts'
import type { Post } from './post.ts'
import { secretBytes, signedHeaders } from './signature.ts'
import type { Receiver, WebhookStore } from './webhook-store.ts'

/** How often to look for due events, and so the delay until a changed webhook is used. */
const TICK_MS = 250

/** Of all applications together. Each may have one more, so that no application waits for others. */
const MAX_OPEN = 256

/** After a secret that does not open, a failed write, and a failed read. */
const SEALED_MS = 5000
const WRITE_AGAIN_MS = 1000
const READ_AGAIN_MS = 10_000

/** How long a stop waits for answers. Receivers recognise a repeated event by its ID. */
const STOP_MS = 2000

interface Dependencies extends Omit<Settling, 'persist'> {
  readonly commit: Commit
  readonly events: Settling['events'] & Pick<EventStore, 'receivers' | 'due' | 'takeDropped' | 'hasDropped'>
  readonly webhooks: Settling['webhooks'] & Pick<WebhookStore, 'receiver'>
  readonly post: Post
}

export type WebhookSender = ReturnType<typeof startWebhookSender>

interface ReceiverState {
  /** `changedAt` of the webhook. */
  version: number
  /** `event.number` */
  readonly inFlight: Set<number>
  window: ReceiverWindow
}

/**
 * Sends events to their receivers, each application on its own.
 *
 * waiting (a row) → (due) → in flight → (2xx) → erased; (410) → the webhook is disabled, its events erased; (anything
 * else) → waiting for a later time, erased after ten tries. The row stays until then: a crash repeats events in flight
 * and loses none. Order is not guaranteed.
 */
export function startWebhookSender(deps: Dependencies) {
  const { clock, log, commit, events, webhooks } = deps
  const states = new Map<number, ReceiverState>()
  const open = new Set<Promise<void>>()
  /** Applications that `hold` stops. */
  const held = new Set<number>()
  /** Held applications that wait for their last answer. */
  const idle = new Map<number, PromiseWithResolvers<void>>()
  let calls = 0
  const ending = new AbortController()
  let stopped = false
  let cancelTick = clock.after(TICK_MS, tick)
  const settle = createEventSettlement({ ...deps, persist })

  function tick(): void {
    cancelTick = clock.after(TICK_MS, tick)
    try {
      for (const application of events.receivers(clock.now())) pump(application)
      if (events.hasDropped()) track(logDropped())
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
      stateOf(application).window.pauseUntil(clock.now() + READ_AGAIN_MS)
      const what = 'the webhook events of an application cannot be read; trying again'
      log.error(what, { application, error: String(error) })
    }
  }

  /** Throws if the events can't be read. */
  function sendDue(application: number): void {
    if (stopped || held.has(application)) return
    const receiver = webhooks.receiver(application)
    if (receiver === null) return
    const state = stateOf(application)
    // The address may have changed: failures of the old one do not count.
    if (state.version !== receiver.changedAt) {
      Object.assign(state, { version: receiver.changedAt, window: new ReceiverWindow() })
    }
    const now = clock.now()
    const max = state.window.size(now)
    const room = Math.min(max - state.inFlight.size, Math.max(MAX_OPEN - calls, state.inFlight.size === 0 ? 1 : 0))
    if (room <= 0) return
    const due = events
      .due(application, now, room + state.inFlight.size)
      .filter(({ number }) => !state.inFlight.has(number))
    if (due.length === 0) return
    const secret = receiver.secret === null ? null : secretBytes(receiver.secret)
    if (secret === null) {
      state.window.pauseUntil(now + SEALED_MS)
      const what = 'the secret of a webhook does not open: it was sealed with another key'
      return log.error(what, { application: receiver.application })
    }
    for (const event of due.slice(0, room)) {
      state.inFlight.add(event.number)
      track(send(application, receiver, secret, event))
    }
  }

  async function send(application: number, receiver: Receiver, secret: Uint8Array, event: StoredEvent): Promise<void> {
    // A commit resolves after the sync that covers it. An event sent before could get another ID after a power cut.
    calls++
    await persist(() => undefined)
    if (ending.signal.aborted) return
    const headers = signedHeaders(event.id, event.body, secret, clock.wallAt(clock.now()))
    const outcome = await deps.post(receiver.url, headers, event.body, ending.signal)
    calls--
    // The next process repeats it.
    if (ending.signal.aborted) return
    const state = stateOf(application)
    const window = state.version === receiver.changedAt ? state.window : null
    await settle(application, receiver, window, event, outcome)
    const { inFlight } = stateOf(application)
    inFlight.delete(event.number)
    if (inFlight.size === 0) idle.get(application)?.resolve()
    pump(application)
  }

  /** Retries until it succeeds: a full disk must not repeat delivered events. */
  async function persist<T>(operation: () => T): Promise<T> {
    for (;;) {
      try {
        return await (commit as (operation: () => T) => Promise<T>)(operation)
      } catch (error) {
        if (ending.signal.aborted) return new Promise<never>(() => {})
        log.error('a webhook event could not be stored; trying again', { error: String(error) })
        await sleep(clock, WRITE_AGAIN_MS)
      }
    }
  }

  async function logDropped(): Promise<void> {
    for (const each of await persist(() => events.takeDropped()))
      log.warn('webhook events dropped: too many are waiting', each)
  }

  function stateOf(application: number): ReceiverState {
    const known = states.get(application)
    if (known !== undefined) return known
    const state = { version: 0, inFlight: new Set<number>(), window: new ReceiverWindow() }
    states.set(application, state)
    return state
  }

  function track(work: Promise<void>): void {
    open.add(work)
    void work.finally(() => open.delete(work))
  }

  return {
    /** Stops an application's events; resolves when those in flight are answered and stored. */
    async hold(application: number): Promise<void> {
      held.add(application)
      const last = Promise.withResolvers<void>()
      idle.set(application, last)
      if (stateOf(application).inFlight.size === 0) last.resolve()
      await last.promise
    },

    /** Ends a `hold`. */
    release(application: number): void {
      held.delete(application)
      idle.delete(application)
    },

    /** Resolves when everything in flight is answered and stored, or after two seconds. */
    async stop(): Promise<void> {
      stopped = true
      cancelTick()
      await within(clock, STOP_MS, Promise.all(open), null)
    },
    /** Aborts everything in flight; the next process repeats it. */
    close(): void {
      stopped = true
      cancelTick()
      ending.abort()
    },
  }
}
