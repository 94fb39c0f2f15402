import type { Log } from '../log.ts'
import { retryAfterMs } from '../network/retry-after.ts'
import type { ServiceClock } from '../time/service-clock.ts'
import type { EventStore, StoredEvent } from './event-store.ts'
import { waitMs } from './event.ts'
import type { PostOutcome } from './post.ts'
import { PROBE_MS } from './receiver-window.ts'
import type { ReceiverWindow } from './receiver-window.ts'
import type { Receiver, WebhookStore } from './webhook-store.ts'

const GONE = 410

/** With these, `Retry-After` speaks of the receiver and not of one event (RFC 6585, 4; RFC 9110, 15.6.4). */
const ASKS_FOR_REST: ReadonlySet<number> = new Set([429, 503])

export interface Settling {
  readonly clock: ServiceClock
  readonly log: Log
  /** In [0, 1). */
  readonly random: () => number
  readonly events: Pick<EventStore, 'erase' | 'putOff'>
  readonly webhooks: Pick<WebhookStore, 'disable' | 'eraseUnwanted'>
  /** Writes until it succeeds. */
  readonly persist: <T>(operation: () => T) => Promise<T>
  /** Hears of each try: `application` is `application.number`. */
  readonly onTry?: (application: number, outcome: 'delivered' | 'failed' | 'given-up') => void
}

/** Makes what turns the outcome of a try into what is stored of the event, and known of its receiver. */
export function createEventSettlement({ clock, log, random, events, webhooks, persist, onTry }: Settling) {
  /** `window`: that of the receiver; `null` where its webhook has changed since. `application`: `application.number`. */
  return async function settle(
    application: number,
    receiver: Receiver,
    window: ReceiverWindow | null,
    event: StoredEvent,
    outcome: PostOutcome,
  ): Promise<void> {
    const name = { application: receiver.application, id: event.id, type: event.type }
    if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300) {
      if (window?.taken() === 'closed') {
        log.info('a webhook receiver takes events again', { application: receiver.application })
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
    if (window !== null) noteFailure(window, receiver, outcome, now + (asked ?? 0))
    const reason = outcome.kind === 'answered' ? String(outcome.status) : outcome.reason
    await persist(() => (wait === null ? events.erase(event.number) : events.putOff(event.number, attempt, now + wait)))
    if (wait === null) log.error('webhook event given up', { ...name, attempt, reason })
    else log.warn('webhook event not delivered', { ...name, attempt, reason, waitMs: wait })
  }

  /** `restUntil`: what its `Retry-After` says, ms of service time. */
  function noteFailure(
    window: ReceiverWindow,
    { application }: Receiver,
    outcome: PostOutcome,
    restUntil: number,
  ): void {
    const opened = window.failed(clock.now()) === 'opened'
    if (outcome.kind === 'answered' && ASKS_FOR_REST.has(outcome.status)) window.pauseUntil(restUntil)
    if (!opened) return
    const what = `a webhook receiver takes nothing: one event at a time is tried, every ${PROBE_MS / 1000} s`
    log.warn(what, { application, failures: window.failures })
  }
}
