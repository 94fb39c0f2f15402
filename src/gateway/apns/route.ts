import type { Clock } from '../../clock.ts'
import type { Environment } from '../../device/device.ts'
import type { Outcome } from '../gateway.ts'
import type { AnswerListener, Transport, TransportRequest } from '../transport/transport.ts'
import { TokenUpdates } from './token-updates.ts'

/** What an environment has asked for as the second one asked, which is no pause for all. */
interface Rest {
  /** Ms since the Unix epoch. */
  readonly from: number
  readonly ms: number
  readonly reason: string
}

/**
 * How long a word about the credential is believed without another connection, in ms. The shortest pause of a credential
 * that is misconfigured is no shorter, so that each trial after one is a real one.
 */
const REFUSAL_MS = 15_000

/** Second tries on their way to an environment, of tokens that the other one does not know, that hold up nobody. */
const MAX_SECOND_TRIES = 512

/** The same of an environment that has taken nothing yet: until it does, Apple allows a connection one request at a time. */
const MAX_SECOND_TRIES_UNPROVEN = 32

/** How long who finds no room is put off, in ms, and each longer than the one before: about as fast as room comes free. */
const NO_ROOM_MS = 2000
const NO_ROOM_STEP_MS = 5

/** The connection to one environment of APNs, with what its answers say of it. */
export class ApnsRoute {
  readonly environment: Environment
  readonly transport: Transport
  readonly tokenUpdates = new TokenUpdates()
  /** The provider token of the last request. */
  #authorization: string | undefined
  /** The one that it was last retired for. */
  #wedgedBy: string | null = null
  /** The device that the last answer was 503 for; `null`: it was taken. */
  #unavailableTo: number | null = null
  #rest: Rest | null = null
  #hasTaken = false
  #secondTries = 0
  /** Of whom there was no room for since there were none on their way. */
  #putOff = 0
  /** The word about the credential with which the environment ended the last connection, and until when it is believed. */
  #refusal: { readonly word: string; readonly until: number } | null = null

  constructor(environment: Environment, transport: Transport) {
    this.environment = environment
    this.transport = transport
  }

  /** `authorization`: the provider token; `undefined`: the connection has a certificate. */
  send(authorization: string | undefined, request: TransportRequest & AnswerListener): void {
    // A connection that has seen one token minds another one within 20 minutes, however old the first was before.
    if (this.#authorization !== undefined && this.#authorization !== authorization) this.transport.retire()
    this.#authorization = authorization
    this.transport.send(request, request)
  }

  taken(): void {
    this.#hasTaken = true
    this.#unavailableTo = null
    this.tokenUpdates.taken()
  }

  /** Ends a connection where another one may be served better. */
  refused(status: number, reason: string | null, device: number): void {
    // Of 503 that takes two devices: one alone may be the reason itself.
    const isUnavailable = status === 503 && this.#unavailableTo !== null && this.#unavailableTo !== device
    if (reason === 'IdleTimeout' || reason === 'Shutdown' || isUnavailable) this.transport.retire()
    if (status === 503) this.#unavailableTo = device
  }

  /** The token was refused for its time. */
  refusedToken(authorization: string): void {
    // From then on the connection is wedged: it refuses every token, good ones too (observed by the makers of pushy).
    if (this.#wedgedBy !== authorization) this.transport.retire()
    this.#wedgedBy = authorization
  }

  /** It has ended a connection with a word about the credential, at `monotonic`. */
  refusedCredential(word: string, monotonic: number): void {
    this.#refusal = { word, until: monotonic + REFUSAL_MS }
  }

  /** The word that another connection would end with; `null`: that is not known. */
  refusalBy(clock: Pick<Clock, 'monotonic'>): string | null {
    // Nearly always, and then the clock need not be asked for each notification.
    if (this.#refusal === null) return null
    return clock.monotonic() < this.#refusal.until ? this.#refusal.word : null
  }

  /**
   * Makes room for a second try, which ends with `leaveSecondTry`. Without a bound, made-up tokens would fill the window
   * of the first environment while they wait for the second, ahead of every good one.
   *
   * @returns how many ms to wait where there is no room; `null`: there is
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

  /** It has asked to be left alone. */
  noteRest(rest: Rest): void {
    this.#rest = rest
  }

  /** What is left of a rest, for whoever would be sent to in it; `null`: nothing. A clock that was put back ends it. */
  restAt(now: number): (Outcome & { kind: 'deferred' }) | null {
    if (this.#rest === null) return null
    const { from, ms, reason } = this.#rest
    const afterMs = from + ms - now
    if (afterMs <= 0 || afterMs > ms) return null
    return { kind: 'deferred', afterMs, scope: 'device', reason }
  }
}
