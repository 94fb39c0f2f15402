import { MINUTE_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { backoffMs } from '../../network/backoff.ts'
import { DEADLINE, PLENTY, WINDOW_CLOSED } from './transport.ts'
import type { ConnectionWatch, TransportAnswer } from './transport.ts'

/** Free connections. Google needs ten for one credential's full window. */
const SPARE = 12

/** Answers that earn a connection. Gateways close connections after about 1000. */
const ANSWERS_EACH = 50

/** Time that earns a connection, in ms. */
const MS_EACH = 6000

/** The wait when none is left, in ms. */
const WAIT = { firstMs: 1000, longestMs: MINUTE_MS }

/** Outliving the wait by this ends the limit. */
const LASTING_MS = 30_000

/** Silent connections in a row before `trouble` says so. */
const MAX_SILENT = 3

/**
 * Limits the connections of one credential to one gateway: Apple takes rapid ones for an attack (developer.apple.com,
 * "Establishing a connection to APNs"). Twelve are free. Fifty answers earn another, and so do six seconds; a
 * connection cut off before `PLENTY` answers earns nothing. When none is left, the next waits 1 s, doubling up to 60 s,
 * until a connection brings `PLENTY` answers or lasts.
 */
export class ConnectionLimiter implements ConnectionWatch {
  readonly isBounding = true
  readonly #clock: Clock
  #connections = 0
  #spare = SPARE
  #openedAt: number
  /** Answers since the last connection was opened, and in the period before. */
  #brought = 0
  #broughtBefore = 0
  /** The part of `#brought` on connections that were cut off. */
  #cutOff = 0
  /** 0: not limited. */
  #waitMs = 0
  #waits = 0
  /** Connections in a row without an answer, and why the last one was given up. */
  #silent = 0
  #silence = DEADLINE

  constructor(clock: Clock) {
    this.#clock = clock
    this.#openedAt = clock.monotonic()
  }

  get connections(): number {
    return this.#connections
  }

  get trouble(): string | null {
    this.#releaseIfLasting()
    if (this.#waitMs > 0) return this.#sentence()
    if (this.#silent < MAX_SILENT) return null
    return this.#silence === WINDOW_CLOSED
      ? 'it takes no data: its flow-control window stays closed'
      : `it answers nothing: on ${this.#silent} connections in a row no request was answered in time`
  }

  refusal(): (TransportAnswer & { readonly kind: 'failed' }) | null {
    this.#releaseIfLasting()
    const afterMs = this.#openedAt + this.#waitMs - this.#clock.monotonic()
    if (afterMs <= 0) return null
    return { kind: 'failed', reason: this.#sentence(), sent: 'no', afterMs }
  }

  opened(): void {
    const now = this.#clock.monotonic()
    this.#releaseIfLasting()
    this.#connections++
    const answers = Math.max(this.#brought - this.#cutOff, 0)
    const earned = answers / ANSWERS_EACH + (now - this.#openedAt) / MS_EACH
    this.#openedAt = now
    this.#broughtBefore = this.#brought
    this.#brought = 0
    this.#cutOff = 0
    if (this.#waitMs === 0) {
      this.#spare = Math.min(this.#spare + earned, SPARE) - 1
      if (this.#spare >= 0) return
      this.#spare = 0
    }
    this.#waits++
    // All connections belong to one credential.
    this.#waitMs = backoffMs(WAIT, this.#waits, 1)
  }

  answered(): void {
    this.#brought++
    this.#silent = 0
    if (this.#waitMs > 0 && this.#brought >= PLENTY) this.#release()
  }

  lost(reason: string, answers: number): void {
    if (answers < PLENTY) this.#cutOff += answers
    if (answers > 0 || (reason !== DEADLINE && reason !== WINDOW_CLOSED)) return
    this.#silent++
    this.#silence = reason
  }

  parted(): void {
    this.#spare = Math.min(this.#spare + 1, SPARE)
    this.#release()
  }

  #releaseIfLasting(): void {
    if (this.#waitMs > 0 && this.#clock.monotonic() - this.#openedAt >= this.#waitMs + LASTING_MS) this.#release()
  }

  #release(): void {
    this.#waitMs = 0
    this.#waits = 0
  }

  #sentence(): string {
    const answers = this.#broughtBefore === 1 ? 'after 1 answer' : `after ${this.#broughtBefore} answers`
    const ended = this.#broughtBefore === 0 ? 'without an answer' : answers
    return `it closes connections ${ended}: at most one new connection every ${this.#waitMs / 1000} s`
  }
}
