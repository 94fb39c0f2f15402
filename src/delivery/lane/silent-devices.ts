import { MINUTE_MS } from '../../clock.ts'
import type { Outcome } from '../../gateway/gateway.ts'
import { backoffMs } from '../../network/backoff.ts'

/** A request without an answer for so long is put down to its device. */
const SILENT_MS = 2000

/** As many as trip a breaker: the silence of more is the gateway's. */
const MAX_SILENT = 10

const WAIT = { firstMs: 2000, longestMs: MINUTE_MS }

/** For a device with a request on its way, which may be answered any time. */
const UNDER_WAY = { firstMs: 2000, longestMs: 15_000 }

const MAX_REMEMBERED = 1000

export interface Sending {
  readonly device: number
  readonly nth: number
  readonly at: number
  /** Ms of the monotonic clock. */
  readonly sentAt: number
  excused: boolean
}

/**
 * Devices whose requests are not answered. Until its deadline such a request takes no place in the window and is no
 * sign of strain, and its device has one at a time.
 *
 * sent → (`SILENT_MS` without an answer) → silent → (deadline) → the device waits, then has one request → … → (an
 * answer) → forgotten.
 */
export class SilentDevices {
  readonly #sendings = new Set<Sending>()
  readonly #silent = new Map<number, number>()
  /** Devices that did not answer `times` in a row, or for which the gateway asked for time. */
  readonly #waiting = new Map<number, { readonly times: number; readonly until: number }>()
  #excused = 0

  get excused(): number {
    return this.#excused
  }

  waitsUntil(device: number, now: number): number | null {
    if (this.#silent.size + this.#waiting.size === 0) return null
    const { times, until } = this.#waiting.get(device) ?? NEVER
    if (this.#silent.has(device)) return now + backoffMs(UNDER_WAY, Math.max(times, 1), 1)
    return until > now ? until : null
  }

  putOff(device: number, until: number, now: number): void {
    const { times, until: before } = this.#waiting.get(device) ?? NEVER
    this.#remember(device, times, Math.max(Math.min(until, now + WAIT.longestMs), before))
  }

  sent(device: number, nth: number, at: number, sentAt: number): Sending {
    const sending = { device, nth, at, sentAt, excused: false }
    this.#sendings.add(sending)
    // It has been silent before: no need to wait and see.
    if ((this.#waiting.get(device) ?? NEVER).times > 0) this.#excuse(sending)
    return sending
  }

  /** Returns the outcome, without the strain if the device is silent. */
  answered(sending: Sending, outcome: Outcome, now: number): Outcome {
    const { device, excused } = sending
    this.withdrawn(sending)
    if (!excused) return outcome
    if (outcome.kind !== 'deferred' || outcome.strain !== true) {
      this.#waiting.delete(device)
      return outcome
    }
    const { times, until } = this.#waiting.get(device) ?? NEVER
    // Concurrent timeouts count once.
    if (times === 0 || until <= now) this.#remember(device, times + 1, now + backoffMs(WAIT, times + 1, 1))
    const { kind, afterMs, scope, reason } = outcome
    return { kind, afterMs, scope, reason }
  }

  withdrawn(sending: Sending): void {
    this.#sendings.delete(sending)
    if (!sending.excused) return
    this.#excused--
    const left = (this.#silent.get(sending.device) ?? 1) - 1
    if (left > 0) this.#silent.set(sending.device, left)
    else this.#silent.delete(sending.device)
  }

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

  #remember(device: number, times: number, until: number): void {
    this.#waiting.delete(device)
    this.#waiting.set(device, { times, until })
    if (this.#waiting.size > MAX_REMEMBERED) this.#waiting.delete(this.#waiting.keys().next().value ?? 0)
  }
}

const NEVER = { times: 0, until: Number.NEGATIVE_INFINITY }
