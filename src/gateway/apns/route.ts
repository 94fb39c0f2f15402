import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { Environment } from '../../device/device.ts'
import type { Outcome } from '../gateway.ts'
import type { AnswerListener, Transport, TransportRequest } from '../transport/transport.ts'

/** Refusals in a row that concern only their devices. */
const MAX_BY_CHANCE = 3

/** Pauses after further refusals. Apple wants 20 minutes between two tokens. */
const PAUSES_MS = [2 * SECOND_MS, 30 * SECOND_MS, 5 * MINUTE_MS, 20 * MINUTE_MS]

/**
 * 429 TooManyProviderTokenUpdates. APNs sends a few among 200s even with an unchanged token (36 of 2,600:
 * AndrewBarba/apns2#44). After three in a row, sending pauses, longer each time, until APNs accepts a notification.
 */
export class TokenUpdates {
  #refusals = 0
  #pauses = 0
  /** On the monotonic clock. */
  #pausedUntil = Number.NEGATIVE_INFINITY

  taken(): void {
    if (this.#refusals === 0) return
    this.#refusals = 0
    this.#pauses = 0
  }

  /** The pause in ms; `null`: only this device waits. */
  refused(monotonic: number): number | null {
    if (monotonic < this.#pausedUntil) return this.#pausedUntil - monotonic
    if (++this.#refusals <= MAX_BY_CHANCE) return null
    const pauseMs = PAUSES_MS[Math.min(this.#pauses++, PAUSES_MS.length - 1)] ?? 0
    this.#pausedUntil = monotonic + pauseMs
    return pauseMs
  }
}

/** A wait that concerns only devices of the environment tried second. */
interface Rest {
  readonly from: number
  readonly ms: number
  readonly reason: string
}

/**
 * How long a closed connection's reason counts. At most the shortest pause for a bad credential, so each trial after a
 * pause really connects.
 */
const REFUSAL_MS = 15_000

const MAX_SECOND_TRIES = 512

/** Until its first success Apple allows one request at a time. */
const MAX_SECOND_TRIES_UNPROVEN = 32

/** The wait without a free place. Each device waits a little longer than the last, as places come free. */
const NO_ROOM_MS = 2000
const NO_ROOM_STEP_MS = 5

/** How long the first environment's refusal counts, while its token waits for a place here. */
const REFUSED_MS = 10 * MINUTE_MS

const MAX_REFUSED = 10_000

export class ApnsRoute {
  readonly environment: Environment
  readonly transport: Transport
  readonly tokenUpdates = new TokenUpdates()
  #authorization: string | undefined
  /** The expired token that retired the last connection. */
  #wedgedBy: string | null = null
  /** The last answer's device, if that was 503. */
  #unavailableTo: number | null = null
  #rest: Rest | null = null
  #hasTaken = false
  #secondTries = 0
  #putOff = 0
  /** By token. `until`: on the monotonic clock. */
  readonly #refusedFirst = new Map<string, { readonly outcome: Outcome; readonly until: number }>()
  #refusal: { readonly word: string; readonly until: number } | null = null

  constructor(environment: Environment, transport: Transport) {
    this.environment = environment
    this.transport = transport
  }

  /** `authorization`: `undefined` with a certificate. */
  send(authorization: string | undefined, request: TransportRequest & AnswerListener): void {
    // APNs refuses a second token on a connection within 20 minutes.
    if (this.#authorization !== undefined && this.#authorization !== authorization) this.transport.retire()
    this.#authorization = authorization
    this.transport.send(request, request)
  }

  taken(): void {
    this.#hasTaken = true
    this.#unavailableTo = null
    this.tokenUpdates.taken()
  }

  refused(status: number, reason: string | null, device: number): void {
    // One device alone may be the cause.
    const isUnavailable = status === 503 && this.#unavailableTo !== null && this.#unavailableTo !== device
    if (reason === 'IdleTimeout' || reason === 'Shutdown' || isUnavailable) this.transport.retire()
    if (status === 503) this.#unavailableTo = device
  }

  refusedToken(authorization: string): void {
    // A wedged connection rejects even valid tokens (observed by the makers of pushy).
    if (this.#wedgedBy !== authorization) this.transport.retire()
    this.#wedgedBy = authorization
  }

  refusedCredential(word: string, monotonic: number): void {
    this.#refusal = { word, until: monotonic + REFUSAL_MS }
  }

  /** Why APNs would close the next connection; `null`: unknown. */
  refusalBy(clock: Pick<Clock, 'monotonic'>): string | null {
    if (this.#refusal === null) return null
    return clock.monotonic() < this.#refusal.until ? this.#refusal.word : null
  }

  /**
   * Reserves a second try for a token that `outcome` refused in the first environment; `leaveSecondTry` frees it. The
   * limit keeps made-up tokens from filling the first environment's window. Returns the wait in ms if none is free, for
   * which `refusedFirst` knows the token; `null`: reserved.
   */
  enterSecondTry(token: string, outcome: Outcome, monotonic: number): number | null {
    const limit = this.#hasTaken ? MAX_SECOND_TRIES : MAX_SECOND_TRIES_UNPROVEN
    const refused = this.#refusedFirst
    if (this.#secondTries >= limit) {
      if (!refused.has(token)) refused.set(token, { outcome, until: monotonic + REFUSED_MS })
      if (refused.size > MAX_REFUSED) refused.delete(refused.keys().next().value ?? '')
      return NO_ROOM_MS + this.#putOff++ * NO_ROOM_STEP_MS
    }
    refused.delete(token)
    this.#secondTries++
    return null
  }

  /** What the first environment said of a token that waits for its second try; `null`: it is to be asked. */
  refusedFirst(token: string, monotonic: number): Outcome | null {
    const refused = this.#refusedFirst.get(token)
    if (refused === undefined) return null
    if (monotonic < refused.until) return refused.outcome
    this.#refusedFirst.delete(token)
    return null
  }

  leaveSecondTry(): void {
    this.#secondTries--
    if (this.#secondTries === 0) this.#putOff = 0
  }

  noteRest(rest: Rest): void {
    this.#rest = rest
  }

  /** The rest of the wait; `null`: none. Setting the clock back ends it. */
  restAt(now: number): (Outcome & { kind: 'deferred' }) | null {
    if (this.#rest === null) return null
    const { from, ms, reason } = this.#rest
    const afterMs = from + ms - now
    if (afterMs <= 0 || afterMs > ms) return null
    return { kind: 'deferred', afterMs, scope: 'device', reason }
  }
}
