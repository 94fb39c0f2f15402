import { HOUR_MS, MINUTE_MS } from '../../clock.ts'
import { DEADLINE_MS } from '../../gateway/transport/transport.ts'
import { backoffMs } from '../../network/backoff.ts'
import { GATEWAY_RETRY, MISCONFIGURED_RETRY } from '../retry.ts'

/**
 * Requests in flight of one credential at the most. APNs allows about 1000 streams a connection, so this is one
 * connection or two; FCM allows 100, so it is ten.
 */
const MAX_SIZE = 1000

/** By how much each success opens the window: fourfold a round trip, so that 1000 take five of them. */
const GROWTH = 3

/** By how much each success raises what is of use again, once this process was at its limit: a thirty-second a round trip. */
const RISE = 1 / 32

/**
 * What in flight is of use where this process is at its limit: as many as it could send, in the best case, in the time of
 * the fastest answer (in flight = rate × latency), and no fewer than it sends at a time. What is more waits in its own
 * queues, and grows cold in the processor's caches. Measured beside a gateway on the same machine, 40,000 devices on 2 busy
 * cores, ten turns: 0.90 of the CPU time a push.
 */
const SENDS_A_MS = 100
const MIN_AT_LIMIT = 128

/** What is left of the window when the gateway shows strain. */
const CUT = 0.7

/** Answers slower than this, and than four times the fastest, are strain. In ms. */
const SLOW_MS = 1000
const SLOW_TIMES = 4

/** How long a gateway's wish is believed, in ms; one that is longer than a minute is tried half way, by one request. */
const MAX_ASKED_MS = HOUR_MS
const PROBE_FROM_MS = MINUTE_MS

/** The weight of one answer in the mean latency. */
const SMOOTHING = 1 / 32

export type WindowState = 'ready' | 'unreachable' | 'misconfigured'

/** Why nothing is to be sent with a credential for a time. */
export interface Pause {
  readonly misconfigured: boolean
  /** The gateway's own wish; `null` if it gave none. */
  readonly askedMs: number | null
  readonly reason: string
  /** Devices have complained; another one may be taken. */
  readonly ofDevices?: true
}

/**
 * How much of one credential may be in flight.
 *
 * ready → (its gateway cannot be reached, or asks for a pause) → unreachable → (after a wait) one request alone:
 * taken → ready, else a longer wait. ready → (the credential is refused) → misconfigured → (after a long wait) one
 * request alone. Replacing the credential makes a new window. It is never ready before its pause is over: what was sent
 * before the pause and is taken in it says nothing new.
 *
 * The first request goes alone until it is taken, because APNs allows one stream until then
 * (developer.apple.com, "Establishing a connection to APNs"); from then on each success opens the window by three, as
 * does a refusal that shows that the credential is taken (410, 400 of a token), and strain — streams that break, answers that take ever longer — closes it by a third, once for each window sent.
 * Where this process cannot keep up with the answers, no more than is in flight is of use, and the window ends there: that
 * says nothing of the gateway, and after a strain it opens as fast as ever.
 */
export class CongestionWindow {
  #state: WindowState = 'ready'
  #reason: string | null = null
  #size = 1
  /** Requests in flight that are of use: more would wait in this process and not at the gateway. */
  #ofUse = MAX_SIZE
  #resumeAt = 0
  /** When one request is sent in the pause, to see; `null`: none is. */
  #probeAt: number | null = null
  #isProbing = false
  /** The earliest end of the pause for a new device; `null`: for none. */
  #earliestAt: number | null = null
  #setbacks = 0
  /** Answers still to come from what was in flight at the last cut: they say nothing new. */
  #stale = 0
  #meanMs = 0
  #fastestMs = Number.POSITIVE_INFINITY

  get state(): WindowState {
    return this.#state
  }

  /** Why it is not ready; `null` when it is. */
  get reason(): string | null {
    return this.#reason
  }

  /** Requests that may be in flight at `now`, ms of service time. */
  size(now: number): number {
    if (now >= this.#resumeAt) return Math.trunc(this.#size)
    return this.#probeAt !== null && now >= this.#probeAt ? 1 : 0
  }

  /** A request is sent. */
  sent(now: number): void {
    if (now >= this.#resumeAt) return
    this.#probeAt = null
    this.#isProbing = true
  }

  /** Whether a request that was sent, and held back on its way, may go. */
  mayGo(now: number): boolean {
    return now >= this.#resumeAt || this.#isProbing
  }

  /** Whether nothing may be sent at `now`, ms of service time. */
  isPaused(now: number): boolean {
    return now < this.#resumeAt
  }

  /** When its last pause ends, or has ended; ms of service time. */
  get resumeAt(): number {
    return this.#resumeAt
  }

  /** The gateway took the credential, `latencyMs` after one was sent; `true` if that ended a pause. */
  succeeded(latencyMs: number, now: number): boolean {
    this.#stale--
    if (!this.mayGo(now)) return false
    this.#resumeAt = Math.min(this.#resumeAt, now)
    this.#isProbing = false
    this.#weigh(latencyMs)
    if (this.#meanMs > SLOW_MS && this.#meanMs > this.#fastestMs * SLOW_TIMES) this.#cut()
    else {
      this.#ofUse = Math.min(this.#ofUse + RISE, MAX_SIZE)
      this.#size = Math.min(this.#size + GROWTH, this.#ofUse)
    }
    this.#setbacks = 0
    if (this.#state === 'ready') return false
    this.#state = 'ready'
    this.#reason = null
    return true
  }

  /**
   * No request is waited for that long: the process stood still meanwhile, which says nothing of the gateway. Six hours in
   * the mean would have the next 300 requests go one by one.
   */
  #weigh(latencyMs: number): void {
    if (latencyMs > 2 * DEADLINE_MS) return
    this.#fastestMs = Math.min(this.#fastestMs, latencyMs)
    this.#meanMs += (latencyMs - this.#meanMs) * SMOOTHING
  }

  /** More answers have come than this process handles at a time. `inFlight`: requests that are not answered. */
  crowded(inFlight: number): void {
    this.#ofUse = Math.min(Math.max(inFlight, this.#fastestMs * SENDS_A_MS, MIN_AT_LIMIT), this.#ofUse)
    this.#size = Math.min(this.#size, this.#ofUse)
  }

  /** A stream broke, or took too long. */
  strained(): void {
    this.#stale--
    this.#cut()
  }

  /**
   * Pauses; says for how many milliseconds, `null` when it was paused already: what was sent before a pause and
   * answered in it says nothing new, but for a longer wait that it asks for. `askedMs`: the gateway's own wish. `random`
   * is in [0, 1).
   */
  pause({ misconfigured, reason, ofDevices, ...pause }: Pause, now: number, random: number): number | null {
    const retry = misconfigured ? MISCONFIGURED_RETRY : GATEWAY_RETRY
    const askedMs = pause.askedMs === null ? null : Math.min(pause.askedMs, MAX_ASKED_MS)
    this.#isProbing = false
    if (now < this.#resumeAt) {
      if (askedMs !== null) this.#extend(now + backoffMs(retry, 1, random, askedMs))
      return null
    }
    this.#setbacks++
    const waitMs = backoffMs(retry, this.#setbacks, random, askedMs)
    this.#state = misconfigured ? 'misconfigured' : 'unreachable'
    this.#reason = reason
    this.#resumeAt = now + waitMs
    this.#earliestAt = ofDevices === true && askedMs === null ? now + retry.firstMs : null
    this.#probeAt = askedMs !== null && askedMs > PROBE_FROM_MS ? now + askedMs / 2 : null
    this.#size = 1
    this.#ofUse = MAX_SIZE
    return waitMs
  }

  /** A new device can be tried: a pause that has doubled again and again is not waited out. */
  endPauseEarly(): void {
    if (this.#earliestAt !== null) this.#resumeAt = Math.min(this.#resumeAt, this.#earliestAt)
  }

  /** Only a gateway's own wish lengthens a pause, and then no new device ends it early. */
  #extend(until: number): void {
    if (until <= this.#resumeAt) return
    this.#resumeAt = until
    this.#earliestAt = null
  }

  #cut(): void {
    if (this.#stale > 0) return
    this.#stale = Math.trunc(this.#size)
    this.#size = Math.max(Math.trunc(this.#size * CUT), 1)
  }
}
