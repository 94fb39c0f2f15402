import { MINUTE_MS } from '../../clock.ts'
import type { Outcome } from '../../gateway/gateway.ts'
import { backoffMs } from '../../network/backoff.ts'

/** A request without an answer for so long, in ms, is put down to its device, and others are sent to meanwhile. */
const SILENT_MS = 2000

/** Devices whose silence is put down to them, as many as trip a credential's breaker. Of more it is the gateway's. */
const MAX_SILENT = 10

/** How long a device waits whose request was not answered, in ms: doubling with each. */
const WAIT = { firstMs: 2000, longestMs: MINUTE_MS }

/**
 * How long a device with a request on its way is held back, in ms: briefly, since the answer may come at once, and the
 * longer the more often it was silent in a row, up to the deadline of the request.
 */
const UNDER_WAY = { firstMs: 2000, longestMs: 15_000 }

/** Devices remembered at the most. */
const MAX_REMEMBERED = 1000

/** A request on its way. */
export interface Sending {
  readonly device: number
  /** Its place in the order of sending. */
  readonly nth: number
  /** When it was sent, ms of service time. */
  readonly at: number
  /**
   * Of the monotonic clock, in ms: with a time of day that was put ahead meanwhile, the gateway would seem to take a
   * day, and one request would go at a time until hundreds were answered.
   */
  readonly sentAt: number
  /** Whether the request has no place in the window: its device is silent. */
  excused: boolean
}

/**
 * Devices whose requests are not answered. Each such request takes as long as its deadline: it must neither keep others
 * from being sent to, nor count as strain, and a device that is silent is asked once at a time.
 *
 * sent → (`SILENT_MS` without an answer) → silent, its requests have no place in the window → (past the deadline) → to
 * wait, and then to be asked once → … → (an answer) → forgotten. Times are service time, unless they are
 * called monotonic.
 */
export class SilentDevices {
  /** In the order they were sent. */
  readonly #sendings = new Set<Sending>()
  /** Devices with a request that is excused, and how many they have. */
  readonly #silent = new Map<number, number>()
  /** Devices that did not answer, how often in a row, and when they may be asked again. */
  readonly #waiting = new Map<number, { readonly times: number; readonly until: number }>()
  /** Devices that a gateway has put off, and until when. */
  readonly #putOff = new Map<number, number>()
  #excused = 0

  /** Requests without a place in the window. */
  get excused(): number {
    return this.#excused
  }

  /** When a device may be sent to, which is not now; `null`: now. */
  heldBackUntil(device: number, now: number): number | null {
    if (this.#silent.size + this.#waiting.size + this.#putOff.size === 0) return null
    const waiting = this.#waiting.get(device)
    if (this.#silent.has(device)) return now + backoffMs(UNDER_WAY, waiting?.times ?? 1, 1)
    const until = Math.max(waiting?.until ?? now, this.#putOff.get(device) ?? now)
    return until > now ? until : null
  }

  /**
   * The gateway says of this device alone that it is to be sent to later: the rest of its notifications waits with the one
   * that was answered so, since each would be answered so.
   */
  putOff(device: number, until: number, now: number): void {
    this.#putOff.delete(device)
    this.#putOff.set(device, Math.min(until, now + WAIT.longestMs))
    forgetOldest(this.#putOff)
  }

  /** As the fields of `Sending`. */
  sent(device: number, nth: number, at: number, sentAt: number): Sending {
    const sending = { device, nth, at, sentAt, excused: false }
    this.#sendings.add(sending)
    // The device has been silent before: others need not wait to see.
    if (this.#waiting.has(device)) this.#excuse(sending)
    return sending
  }

  /** A request is over; gives its outcome, which of a silent device is no sign of strain. */
  answered(sending: Sending, outcome: Outcome, now: number): Outcome {
    const { device, excused } = sending
    this.withdrawn(sending)
    if (!excused) return outcome
    if (outcome.kind !== 'deferred' || outcome.strain !== true) {
      this.#waiting.delete(device)
      return outcome
    }
    this.#wait(device, now)
    const { kind, afterMs, scope, reason } = outcome
    return { kind, afterMs, scope, reason }
  }

  /** A request that was not sent in the end. */
  withdrawn(sending: Sending): void {
    this.#sendings.delete(sending)
    if (!sending.excused) return
    this.#excused--
    const left = (this.#silent.get(sending.device) ?? 1) - 1
    if (left > 0) this.#silent.set(sending.device, left)
    else this.#silent.delete(sending.device)
  }

  /** Excuses requests that have had no answer for too long. */
  excuseSilent(monotonic: number): void {
    for (const sending of this.#sendings) {
      if (sending.sentAt + SILENT_MS > monotonic) return
      if (!sending.excused) this.#excuse(sending)
    }
  }

  #excuse(sending: Sending): void {
    const { device } = sending
    const requests = this.#silent.get(device) ?? 0
    if (requests === 0 && this.#silent.size >= MAX_SILENT) return
    sending.excused = true
    this.#silent.set(device, requests + 1)
    this.#excused++
  }

  #wait(device: number, now: number): void {
    const before = this.#waiting.get(device)
    // Of many that were on their way at once it was silent to all: that is once.
    if (before !== undefined && before.until > now) return
    const times = (before?.times ?? 0) + 1
    this.#waiting.delete(device)
    this.#waiting.set(device, { times, until: now + backoffMs(WAIT, times, 1) })
    forgetOldest(this.#waiting)
  }
}

function forgetOldest(devices: Map<number, unknown>): void {
  for (const oldest of devices.keys()) {
    if (devices.size <= MAX_REMEMBERED) return
    devices.delete(oldest)
  }
}
