import type { Clock } from '../../clock.ts'
import { fetchTransport } from './fetch-transport.ts'
import { proxiedTransport } from './proxied-transport.ts'
import type { OpenTransport, Transport, TransportAnswer, TransportOptions, TransportRequest } from './transport.ts'

/** GOAWAY with an error takes all requests in flight with it. Once is an accident. */
const MAX_DEATHS = 2
const WITHIN_MS = 60_000

/** Told when requests to `origin` go by the second transport from now on. `reason` is what became of the first. */
export type OnSwitch = (origin: string, reason: string) => void

/**
 * fetch, with http2-wrapper behind it: fetch resets streams that some gateways answer in an unusual shape, and those
 * count resets as an attack and end the session with an error.
 */
export function resilientTransport(clock: Clock, onSwitch: OnSwitch): OpenTransport {
  return (origin, options) => new ResilientTransport(clock, origin, options, onSwitch)
}

/** fetch → (two sessions end by GOAWAY with an error within a minute) → http2-wrapper, for the rest of its life. */
class ResilientTransport implements Transport {
  readonly #clock: Clock
  readonly #origin: string
  readonly #options: TransportOptions
  readonly #onSwitch: OnSwitch
  readonly #first: Transport
  #second: Transport | null = null
  /** In the last minute. */
  #deaths = 0
  #firstIsOver: Promise<void> | null = null

  constructor(clock: Clock, origin: string, options: TransportOptions, onSwitch: OnSwitch) {
    this.#clock = clock
    this.#origin = origin
    this.#options = options
    this.#onSwitch = onSwitch
    this.#first = fetchTransport(clock, () => this.#died())(origin, options)
  }

  request(request: TransportRequest): Promise<TransportAnswer> {
    return (this.#second ?? this.#first).request(request)
  }

  retire(): void {
    const current = this.#second ?? this.#first
    current.retire()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#firstIsOver ??= Promise.resolve(this.#first[Symbol.asyncDispose]())
    await Promise.all([this.#firstIsOver, this.#second?.[Symbol.asyncDispose]()])
  }

  #died(): void {
    if (this.#firstIsOver !== null) return
    this.#deaths++
    this.#clock.after(WITHIN_MS, () => this.#deaths--)
    if (this.#deaths < MAX_DEATHS) return
    this.#second = proxiedTransport(this.#clock, null)(this.#origin, this.#options)
    // What it has taken on it still answers.
    this.#firstIsOver = Promise.resolve(this.#first[Symbol.asyncDispose]())
    this.#onSwitch(this.#origin, 'HTTP2GoAway')
  }
}
