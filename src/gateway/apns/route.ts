import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { Environment } from '../../device/device.ts'
import type { Outcome } from '../gateway.ts'
import type { AnswerListener, Transport, TransportRequest } from '../transport/transport.ts'

/** Refusals in a row that concern only their devices. */
const MAX_BY_CHANCE = 3

/** How long nothing is sent after more of them, in ms, longer each time. Apple wants 20 minutes between two tokens. */
const PAUSES_MS = [2 * SECOND_MS, 30 * SECOND_MS, 5 * MINUTE_MS, 20 * MINUTE_MS]

/**
 * 429 TooManyProviderTokenUpdates. APNs sends a few among answers of 200, though the provider token is the same (36 of
 * 2,600: AndrewBarba/apns2#44). If it means all requests, refusals continue: after three in a row sending pauses,
 * longer each time, until a notification is taken.
 */
export class TokenUpdates {
  #refusals = 0
  #pauses = 0
  /** By the monotonic clock. */
  #pausedUntil = Number.NEGATIVE_INFINITY

  taken(): void {
    // The usual case: a broadcast calls this for each notification.
    if (this.#refusals === 0) return
    this.#refusals = 0
    this.#pauses = 0
  }

  /** A refusal at `monotonic`. Returns the pause in ms; `null`: the refusal concerns only this device. */
  refused(monotonic: number): number | null {
    if (monotonic < this.#pausedUntil) return this.#pausedUntil - monotonic
    if (++this.#refusals <= MAX_BY_CHANCE) return null
    const pauseMs = PAUSES_MS[Math.min(this.#pauses++, PAUSES_MS.length - 1)] ?? 0
    this.#pausedUntil = monotonic + pauseMs
    return pauseMs
  }
}

/** A wait that an environment asked for when it was tried second: it holds up only its own devices. */
interface Rest {
  /** Ms since the Unix epoch. */
  readonly from: number
  readonly ms: number
  readonly reason: string
}

/**
 * How long the reason of a closed connection is believed before the next one is opened, in ms. Not longer than the
 * shortest pause for a bad credential, so that each trial after a pause is a real one.
 */
const REFUSAL_MS = 15_000

const MAX_SECOND_TRIES = 512

/** The same before its first success: until then Apple allows one request at a time. */
const MAX_SECOND_TRIES_UNPROVEN = 32

/**
 * The wait of a device that finds no room, in ms; each waits a little longer than the one before, as room comes free.
 */
const NO_ROOM_MS = 2000
const NO_ROOM_STEP_MS = 5

export class ApnsRoute {
  readonly environment: Environment
  readonly transport: Transport
  readonly tokenUpdates = new TokenUpdates()
  #authorization: string | undefined
  /** The expired provider token for which the connection was retired last. */
  #wedgedBy: string | null = null
  /** The device of the last answer, if that was 503. */
  #unavailableTo: number | null = null
  #rest: Rest | null = null
  #hasTaken = false
  #secondTries = 0
  /** Devices that found no room since second tries were in flight. */
  #putOff = 0
  /** Why the environment closed the last connection, and until when that is believed. */
  #refusal: { readonly word: string; readonly until: number } | null = null

  constructor(environment: Environment, transport: Transport) {
    this.environment = environment
    this.transport = transport
  }

  /** `authorization`: the provider token; `undefined`: the connection has a certificate. */
  send(authorization: string | undefined, request: TransportRequest & AnswerListener): void {
    // APNs refuses a second token on a connection within 20 minutes, however old the first one is.
    if (this.#authorization !== undefined && this.#authorization !== authorization) this.transport.retire()
    this.#authorization = authorization
    this.transport.send(request, request)
  }

  taken(): void {
    this.#hasTaken = true
    this.#unavailableTo = null
    this.tokenUpdates.taken()
  }

  /** Retires a connection if another one may do better. */
  refused(status: number, reason: string | null, device: number): void {
    // Two devices must be answered 503: one alone may be the cause.
    const isUnavailable = status === 503 && this.#unavailableTo !== null && this.#unavailableTo !== device
    if (reason === 'IdleTimeout' || reason === 'Shutdown' || isUnavailable) this.transport.retire()
    if (status === 503) this.#unavailableTo = device
  }

  refusedToken(authorization: string): void {
    // Such a connection is wedged: it refuses every token, also good ones (observed by the makers of pushy).
    if (this.#wedgedBy !== authorization) this.transport.retire()
    this.#wedgedBy = authorization
  }

  refusedCredential(word: string, monotonic: number): void {
    this.#refusal = { word, until: monotonic + REFUSAL_MS }
  }

  /** Why another connection would be closed too; `null`: not known. */
  refusalBy(clock: Pick<Clock, 'monotonic'>): string | null {
    if (this.#refusal === null) return null
    return clock.monotonic() < this.#refusal.until ? this.#refusal.word : null
  }

  /**
   * Takes a place for the second try of a device that neither environment has taken yet; `leaveSecondTry` frees it.
   * Without a limit, made-up tokens that wait for the second environment would fill the first one's window. Returns how
   * many ms to wait if no place is free; `null`: it is taken.
   */
  enterSecondTry(): number | null {
    const limit = this.#hasTaken ? MAX_SECOND_TRIES : MAX_SECOND_TRIES_UNPROVEN
    if (this.#secondTries >= limit) return NO_ROOM_MS + this.#putOff++ * NO_ROOM_STEP_MS
    this.#secondTries++
    return null
  }

  leaveSecondTry(): void {
    this.#secondTries--
    if (this.#secondTries === 0) this.#putOff = 0
  }

  noteRest(rest: Rest): void {
    this.#rest = rest
  }

  /** What is left of a wait; `null`: nothing. A clock that was put back ends it. */
  restAt(now: number): (Outcome & { kind: 'deferred' }) | null {
    if (this.#rest === null) return null
    const { from, ms, reason } = this.#rest
    const afterMs = from + ms - now
    if (afterMs <= 0 || afterMs > ms) return null
    return { kind: 'deferred', afterMs, scope: 'device', reason }
  }
}
