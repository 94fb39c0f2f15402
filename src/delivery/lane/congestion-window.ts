import { HOUR_MS, MINUTE_MS } from '../../clock.ts'
import { DEADLINE_MS } from '../../gateway/transport/transport.ts'
import { backoffMs } from '../../network/backoff.ts'
import { GATEWAY_RETRY, MISCONFIGURED_RETRY } from '../verdict.ts'
import type { Pause, Trouble } from '../verdict.ts'

/** APNs allows about 1000 streams a connection, FCM 100: one connection or two, or ten. */
const MAX_SIZE = 1000

/** Added by each success: fourfold a round trip, so five round trips to 1000. */
const GROWTH = 3

/** Added to the useful size by each success after this process was the bottleneck: 1/32 a round trip. */
const RISE = 1 / 32

/**
 * Upper bound on requests in flight when this process is the bottleneck: what it could send in the time of the fastest
 * answer (in flight = rate × latency), and no less than it sends in one go. More would wait in its own queues. Measured
 * beside a gateway on the same machine, 40,000 devices on 2 busy cores: 0.90 of the CPU time a push.
 */
const SENDS_A_MS = 100
const MIN_AT_LIMIT = 128

const CUT = 0.7

/** Answers slower than this, and than four times the fastest, are a sign of strain. */
const SLOW_MS = 1000
const SLOW_TIMES = 4

/** How long a wait that a gateway asks for is believed; from a minute on, one request is tried halfway. */
const MAX_ASKED_MS = HOUR_MS
const PROBE_FROM_MS = MINUTE_MS

const SMOOTHING = 1 / 32

/**
 * How much one lane may have in flight.
 *
 * ready → (the gateway cannot be reached, or asks for a pause) → unreachable → (after a wait) one request alone:
 * accepted → ready, else a longer wait. ready → (the credential is refused) → misconfigured → (after a long wait) one
 * request alone. The success of a request from before a pause does not end it.
 *
 * The first request goes alone until it is accepted, because APNs allows one stream until then (developer.apple.com,
 * "Establishing a connection to APNs"). Each success, or refused token, opens the window by three. Strain (broken
 * streams, ever slower answers) closes it by a third, once for each window sent.
 */
export class CongestionWindow {
  #trouble: Trouble | null = null
  #size = 1
  #usefulSize = MAX_SIZE
  #resumeAt = 0
  #probeAt: number | null = null
  #isProbing = false
  #earliestAt: number | null = null
  #setbacks = 0
  /** Answers still to come from requests sent before the last cut: they say nothing new. */
  #stale = 0
  #meanMs = 0
  #fastestMs = Number.POSITIVE_INFINITY

  get trouble(): Trouble | null {
    return this.#trouble
  }

  /** Requests that may be in flight at `now`. */
  size(now: number): number {
    if (now >= this.#resumeAt) return Math.trunc(this.#size)
    return this.#probeAt !== null && now >= this.#probeAt ? 1 : 0
  }

  sent(now: number): void {
    if (now >= this.#resumeAt) return
    this.#probeAt = null
    this.#isProbing = true
  }

  mayGo(now: number): boolean {
    return now >= this.#resumeAt || this.#isProbing
  }

  isPaused(now: number): boolean {
    return now < this.#resumeAt
  }

  /** When its last pause ends, or ended. */
  get resumeAt(): number {
    return this.#resumeAt
  }

  /** `latencyMs`: since the send. Returns whether that ended a pause. */
  succeeded(latencyMs: number, now: number): boolean {
    this.#stale--
    if (!this.mayGo(now)) return false
    this.#resumeAt = Math.min(this.#resumeAt, now)
    this.#isProbing = false
    // Else the process was suspended: six hours in the mean would slow the next 300 requests.
    if (latencyMs <= 2 * DEADLINE_MS) {
      this.#fastestMs = Math.min(this.#fastestMs, latencyMs)
      this.#meanMs += (latencyMs - this.#meanMs) * SMOOTHING
    }
    if (this.#meanMs > SLOW_MS && this.#meanMs > this.#fastestMs * SLOW_TIMES) this.#cut()
    else {
      this.#usefulSize = Math.min(this.#usefulSize + RISE, MAX_SIZE)
      this.#size = Math.min(this.#size + GROWTH, this.#usefulSize)
    }
    this.#setbacks = 0
    const hasResumed = this.#trouble !== null
    this.#trouble = null
    return hasResumed
  }

  /** This process, not the gateway, is the bottleneck. */
  crowded(inFlight: number): void {
    this.#usefulSize = Math.min(Math.max(inFlight, this.#fastestMs * SENDS_A_MS, MIN_AT_LIMIT), this.#usefulSize)
    this.#size = Math.min(this.#size, this.#usefulSize)
  }

  strained(): void {
    this.#stale--
    this.#cut()
  }

  /**
   * Returns for how many ms it pauses; `null` if it was paused already: a request from before the pause says nothing
   * new, unless it asks for a longer one. `random`: in [0, 1).
   */
  pause({ state, reason, answer, ofDevices, ...pause }: Pause, now: number, random: number): number | null {
    const retry = state === 'misconfigured' ? MISCONFIGURED_RETRY : GATEWAY_RETRY
    const askedMs = pause.askedMs === null ? null : Math.min(pause.askedMs, MAX_ASKED_MS)
    this.#isProbing = false
    if (now < this.#resumeAt) {
      const until = now + (askedMs ?? 0)
      if (until <= this.#resumeAt) return null
      this.#resumeAt = until
      this.#earliestAt = null
      return null
    }
    this.#setbacks++
    const waitMs = backoffMs(retry, this.#setbacks, random, askedMs)
    this.#trouble = { state, reason, ...(answer !== undefined && { answer }) }
    this.#resumeAt = now + waitMs
    this.#earliestAt = ofDevices === true ? now + backoffMs(retry, 1, random, askedMs) : null
    this.#probeAt = askedMs !== null && askedMs > PROBE_FROM_MS ? now + askedMs / 2 : null
    this.#size = 1
    this.#usefulSize = MAX_SIZE
    return waitMs
  }

  /** A new device can be tried before a pause that has doubled several times is over. */
  endPauseEarly(): void {
    if (this.#earliestAt !== null) this.#resumeAt = Math.min(this.#resumeAt, this.#earliestAt)
  }

  #cut(): void {
    if (this.#stale > 0) return
    this.#stale = Math.trunc(this.#size)
    this.#size = Math.max(Math.trunc(this.#size * CUT), 1)
  }
}
