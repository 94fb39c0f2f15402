import type { Log } from '../log.ts'
import { retryAfterMs } from '../network/retry-after.ts'
import type { ServiceClock } from '../time/service-clock.ts'
import type { EventStore, StoredEvent } from './event-store.ts'
import { waitMs } from './event.ts'
import type { PostOutcome } from './post.ts'
import type { Receiver, WebhookStore } from './webhook-store.ts'

/** Events in flight to one receiver. */
const FIRST_SIZE = 4
const MAX_SIZE = 32

/** A failure shrinks the window to this share. With one failure in ten calls it stays at its maximum. */
const CUT = 0.75

/** More failures in a row are the receiver's fault, not single events'. */
const FAILURES_IN_A_ROW = 10

/** Interval of probes to a failing receiver. */
const PROBE_MS = 5000

const GONE = 410

/** Statuses whose `Retry-After` is about the receiver, not one event (RFC 6585, 4; RFC 9110, 15.6.4). */
const ASKS_FOR_REST: ReadonlySet<number> = new Set([429, 503])

/**
 * How many events one receiver gets at once: one more for each success, a quarter less for each failure.
 *
 * closed → (ten failures in a row) → open: one probe every 5 s → (a success) → closed, as at first.
 */
export class ReceiverWindow {
  #size = FIRST_SIZE
  #failures = 0
  #notBefore = 0

  /** Events allowed in flight at `now`, ms of service time. */
  size(now: number): number {
    return now < this.#notBefore ? 0 : this.#size
  }

  get failures(): number {
    return this.#failures
  }

  /** Returns whether the receiver has just recovered. */
  succeeded(): boolean {
    const wasOpen = this.#failures >= FAILURES_IN_A_ROW
    this.#failures = 0
    this.#size = wasOpen ? FIRST_SIZE : Math.min(this.#size + 1, MAX_SIZE)
    return wasOpen
  }

  /** Returns whether the receiver has just stopped accepting events. */
  failed(now: number): boolean {
    this.#failures++
    this.#size = Math.max(1, Math.floor(this.#size * CUT))
    if (this.#failures < FAILURES_IN_A_ROW) return false
    this.#size = 1
    this.pauseUntil(now + PROBE_MS)
    return this.#failures === FAILURES_IN_A_ROW
  }

  /** Sends nothing before `time`, ms of service time. */
  pauseUntil(time: number): void {
    this.#notBefore = Math.max(this.#notBefore, time)
  }
}

export interface Settling {
  readonly clock: ServiceClock
  readonly log: Log
  /** In [0, 1). */
  readonly random: () => number
  readonly events: Pick<EventStore, 'erase' | 'putOff'>
  readonly webhooks: Pick<WebhookStore, 'disable' | 'eraseUnwanted'>
  /** Retries until it succeeds. */
  readonly persist: <T>(operation: () => T) => Promise<T>
  /** `application`: `application.number`. */
  readonly onTry?: (application: number, outcome: 'delivered' | 'failed' | 'given-up') => void
}

export function createEventSettlement({ clock, log, random, events, webhooks, persist, onTry }: Settling) {
  /** `window`: `null` if the webhook has changed since. `application`: `application.number`. */
  return async function settle(
    application: number,
    receiver: Receiver,
    window: ReceiverWindow | null,
    event: StoredEvent,
    outcome: PostOutcome,
  ): Promise<void> {
    const name = { application: receiver.application, id: event.id, type: event.type }
    if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300) {
      if (window?.succeeded() === true) {
        log.info('a webhook receiver accepts events again', { application: receiver.application })
      }
      onTry?.(application, 'delivered')
      await persist(() => events.erase(event.number))
      log.debug('webhook event delivered', name)
      return
    }
    const now = clock.now()
    if (outcome.kind === 'answered' && outcome.status === GONE) {
      onTry?.(application, 'failed')
      const { changedAt } = receiver
      const disabled = await persist(() => webhooks.disable(application, changedAt, clock.wallAt(now)))
      if (disabled) log.warn('webhook disabled: its receiver answered 410', { application: receiver.application })
      while (await persist(() => webhooks.eraseUnwanted(application)));
      return
    }
    const asked = outcome.kind === 'answered' ? retryAfterMs(outcome.retryAfter, clock.wallAt(now)) : null
    const attempt = event.attempt + 1
    const wait = waitMs(attempt, random(), asked)
    onTry?.(application, wait === null ? 'given-up' : 'failed')
    if (window?.failed(now) === true) {
      const what = `a webhook receiver accepts nothing: one event at a time is tried, every ${PROBE_MS / 1000} s`
      log.warn(what, { application: receiver.application, failures: window.failures })
    }
    if (outcome.kind === 'answered' && ASKS_FOR_REST.has(outcome.status)) window?.pauseUntil(now + (asked ?? 0))
    const reason = outcome.kind === 'answered' ? String(outcome.status) : outcome.reason
    await persist(() => (wait === null ? events.erase(event.number) : events.putOff(event.number, attempt, now + wait)))
    if (wait === null) log.error('gave up on a webhook event', { ...name, attempt, reason })
    else log.warn('webhook event not delivered', { ...name, attempt, reason, waitMs: wait })
  }
}
