import type { Clock } from '../../clock.ts'
import { fetchTransport } from './fetch-transport.ts'
import { IdlePools } from './idle-pools.ts'
import type { Place } from './idle-pools.ts'
import { proxiedTransport } from './proxied-transport.ts'
import { UNWATCHED } from './transport.ts'
import type {
  ConnectionWatch,
  OpenTransport,
  Transport,
  TransportAnswer,
  TransportOptions,
  TransportRequest,
} from './transport.ts'

/** A session that breaks takes all requests in flight with it. Once is an accident. */
const MAX_BREAKS = 2
const WITHIN_MS = 60_000

/** Connections in a row that end without an answer before the other transport is tried. */
const MAX_BARREN = 3

/** Where the second did no better, how long before it is tried again, in ms. */
const TRY_AGAIN_MS = 600_000

/** Told when requests to `origin` go by the second transport from now on. `reason` is what became of the first. */
export type OnSwitch = (origin: string, reason: string) => void

/**
 * fetch, with http2-wrapper behind it, for what fetch does not get along with: it resets streams that some gateways
 * answer in an unusual shape, and those count resets as an attack; and it leaves peers that others can talk to.
 */
export function resilientTransport(clock: Clock, onSwitch: OnSwitch): OpenTransport {
  const pools = new IdlePools()
  return (origin, options) => new ResilientTransport({ clock, onSwitch, pools, origin, options })
}

interface ResilientOptions {
  readonly clock: Clock
  readonly onSwitch: OnSwitch
  readonly pools: IdlePools
  readonly origin: string
  readonly options: TransportOptions
}

/**
 * fetch → (two sessions break within a minute: GOAWAY with an error, or a fault in the protocol) → http2-wrapper, for
 * the rest of its life.
 * fetch → (three connections in a row end without an answer) → http2-wrapper on trial → (it is answered) → fetch once
 * more, since the gateway may have come back meanwhile → (another ends without an answer) → http2-wrapper for good.
 * On trial → (three of its connections end without an answer too) → fetch, for ten minutes at least.
 */
class ResilientTransport implements Transport {
  readonly #on: ResilientOptions
  readonly #watch: ConnectionWatch
  /** `null`: fetch has no room for its certificate's connections. */
  readonly #place: Place | null
  readonly #first: Transport | null
  #second: Transport | null = null
  #current: Transport
  #state: 'first' | 'trial' | 'doubted' | 'second' = 'first'
  /** In the last minute. */
  #breaks = 0
  /** Connections in a row, of the transport in use. */
  #barren = 0
  #mayTry = true
  #firstIsOver: Promise<void> | null = null

  constructor(on: ResilientOptions) {
    const { clock, pools, origin, options } = on
    this.#on = on
    this.#watch = options.watch ?? UNWATCHED
    this.#place = pools.take(options)
    const watch = this.#heard(this.#firstAnswered, this.#firstLost)
    this.#first = this.#place && fetchTransport(clock, this.#place.secureOptions)(origin, { ...options, watch })
    this.#current = this.#first ?? this.#openSecond()
    if (this.#first === null) this.#state = 'second'
  }

  request(request: TransportRequest): Promise<TransportAnswer> {
    return this.#current.request(request)
  }

  retire(): void {
    this.#current.retire()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#endFirst(), this.#second?.[Symbol.asyncDispose]()])
  }

  /** What the transport is watched by, with ears of our own. */
  #heard(answered: () => void, lost: ConnectionWatch['lost']): ConnectionWatch {
    const watch = this.#watch
    return {
      refusal: () => watch.refusal(),
      opened: () => watch.opened(),
      answered() {
        watch.answered()
        answered()
      },
      lost(reason, wasAnswered) {
        watch.lost(reason, wasAnswered)
        lost(reason, wasAnswered)
      },
    }
  }

  readonly #firstAnswered = (): void => {
    this.#barren = 0
    if (this.#state === 'doubted') this.#state = 'first'
  }

  readonly #firstLost = (reason: string, answered: boolean): void => {
    if (this.#state !== 'first' && this.#state !== 'doubted') return
    if (BREAKS.test(reason)) {
      this.#breaks++
      this.#on.clock.after(WITHIN_MS, () => this.#breaks--)
      if (this.#breaks >= MAX_BREAKS) return this.#settle(reason)
    }
    if (answered) return
    this.#barren++
    if (this.#state === 'doubted') return this.#settle(reason)
    if (this.#barren >= MAX_BARREN && this.#mayTry) this.#use('trial')
  }

  readonly #secondAnswered = (): void => {
    this.#barren = 0
    if (this.#state === 'trial') this.#use('doubted')
  }

  readonly #secondLost = (_reason: string, answered: boolean): void => {
    if (this.#state !== 'trial' || answered) return
    this.#barren++
    if (this.#barren < MAX_BARREN) return
    this.#mayTry = false
    this.#on.clock.after(TRY_AGAIN_MS, () => (this.#mayTry = true))
    this.#use('first')
  }

  #use(state: 'first' | 'trial' | 'doubted'): void {
    this.#state = state
    this.#barren = 0
    this.#current = (state === 'trial' ? null : this.#first) ?? this.#openSecond()
  }

  #settle(reason: string): void {
    this.#state = 'second'
    this.#current = this.#openSecond()
    // What it has taken on it still answers.
    void this.#endFirst()
    this.#on.onSwitch(this.#on.origin, reason)
  }

  #openSecond(): Transport {
    const { clock, origin, options } = this.#on
    const watch = this.#heard(this.#secondAnswered, this.#secondLost)
    return (this.#second ??= proxiedTransport(clock, null)(origin, { ...options, watch }))
  }

  #endFirst(): Promise<void> {
    this.#firstIsOver ??= Promise.resolve(this.#first?.[Symbol.asyncDispose]()).then(() => this.#place?.leave())
    return this.#firstIsOver
  }
}

/** Faults in the talk itself, with which another client may get along. */
const BREAKS = /^HTTP2/
