import { MINUTE_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { fetchTransport } from './fetch-transport.ts'
import { http2Transport } from './http2-transport.ts'
import { IdlePools } from './idle-pools.ts'
import type { IdlePlace } from './idle-pools.ts'
import { Openings } from './openings.ts'
import { Lookups } from './strays.ts'
import { PLENTY, UNWATCHED_CONNECTIONS } from './transport.ts'
import type {
  ConnectionWatch,
  OpenTransport,
  Transport,
  TransportAnswer,
  TransportOptions,
  TransportRequest,
} from './transport.ts'

/** A connection that breaks takes all requests in flight with it. Once is an accident. */
const MAX_BREAKS = 2
const WITHIN_MS = MINUTE_MS

/** Connections within a minute that are lost before they brought plenty, before the other transport is tried. */
const MAX_POOR = 3

/** Told when requests to `origin` go by the second transport from now on. `reason` is what became of the first. */
export type OnSwitch = (origin: string, reason: string) => void

/**
 * fetch, with http2-wrapper behind it, for what fetch does not get along with: it resets streams that some gateways
 * answer in an unusual shape, and those count resets as an attack; and it leaves peers that others can talk to.
 */
export function fallbackTransport(clock: Clock, onSwitch: OnSwitch): OpenTransport {
  const pools = new IdlePools()
  const shared = { lookups: new Lookups(), openings: new Openings() }
  return (origin, options) => new FallbackTransport({ clock, onSwitch, pools, shared, origin, options })
}

interface FallbackOptions {
  readonly clock: Clock
  readonly onSwitch: OnSwitch
  readonly pools: IdlePools
  readonly shared: { readonly lookups: Lookups; readonly openings: Openings }
  readonly origin: string
  readonly options: TransportOptions
}

/**
 * fetch → (two connections break within a minute: GOAWAY with an error, or a fault in the protocol) → http2-wrapper, for
 * the rest of its life.
 * fetch → (three are lost within a minute, for whatever reason, that brought less than plenty) → http2-wrapper on trial,
 * which sees each connection that it opens → (one of them brings plenty) → fetch once more, since the gateway may have
 * come to its senses → (another is lost) → http2-wrapper for the rest of its life.
 * fetch → (its connections seem to end unseen) → http2-wrapper on trial.
 */
class FallbackTransport implements Transport {
  readonly #deps: FallbackOptions
  readonly #watch: ConnectionWatch
  /** `null`: fetch has no room for its certificate's connections. */
  readonly #place: IdlePlace | null
  readonly #first: Transport | null
  #second: Transport | null = null
  #current: Transport
  #state: 'first' | 'trial' | 'doubted' | 'second' = 'first'
  /** In the last minute. */
  #breaks = 0
  #poor = 0
  /** Answers of the one on trial: of the second, since it last opened a connection. */
  #brought = 0
  #firstIsOver: Promise<void> | null = null

  constructor(deps: FallbackOptions) {
    const { pools, options } = deps
    this.#deps = deps
    this.#watch = options.watch ?? UNWATCHED_CONNECTIONS
    this.#place = pools.take(options)
    this.#first = this.#place && this.#openFirst(this.#place)
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
  #heard(ears: ConnectionWatch): ConnectionWatch {
    const watch = this.#watch
    return {
      isBounding: watch.isBounding,
      refusal: () => watch.refusal(),
      opened() {
        watch.opened()
        ears.opened()
      },
      answered() {
        watch.answered()
        ears.answered()
      },
      lost(reason, answers) {
        watch.lost(reason, answers)
        ears.lost(reason, answers)
      },
    }
  }

  readonly #firstAnswered = (): void => {
    if (this.#state !== 'doubted' || ++this.#brought < PLENTY) return
    this.#state = 'first'
  }

  readonly #firstLost = (reason: string, answers: number): void => {
    if (this.#state !== 'first' && this.#state !== 'doubted') return
    const { clock } = this.#deps
    if (BREAKS.test(reason)) {
      this.#breaks++
      clock.after(WITHIN_MS, () => this.#breaks--)
      if (this.#breaks >= MAX_BREAKS) return this.#settle(reason)
    }
    if (answers >= PLENTY) return
    if (this.#state === 'doubted') return this.#settle(reason)
    this.#poor++
    clock.after(WITHIN_MS, () => this.#poor--)
    if (this.#poor >= MAX_POOR) this.#use('trial', this.#openSecond())
  }

  readonly #firstReplaced = (): void => {
    if (this.#state === 'first' || this.#state === 'doubted') this.#use('trial', this.#openSecond())
  }

  readonly #secondAnswered = (): void => {
    if (this.#state !== 'trial' || ++this.#brought < PLENTY) return
    if (this.#first !== null) this.#use('doubted', this.#first)
  }

  readonly #secondOpened = (): void => {
    this.#brought = 0
  }

  #use(state: 'trial' | 'doubted', transport: Transport): void {
    this.#state = state
    this.#brought = 0
    this.#current = transport
  }

  #settle(reason: string): void {
    this.#state = 'second'
    this.#current = this.#openSecond()
    // What it has taken on it still answers.
    void this.#endFirst()
    this.#deps.onSwitch(this.#deps.origin, reason)
  }

  #openFirst({ secureOptions }: IdlePlace): Transport {
    const { clock, shared, origin, options } = this.#deps
    const watch = this.#heard({ ...UNWATCHED_CONNECTIONS, answered: this.#firstAnswered, lost: this.#firstLost })
    const instead = (): Transport | null => (this.#current === this.#first ? null : this.#current)
    const open = fetchTransport(clock, { ...shared, secureOptions, onReplaced: this.#firstReplaced, instead })
    return open(origin, { ...options, watch })
  }

  #openSecond(): Transport {
    const { clock, origin, options } = this.#deps
    const watch = this.#heard({ ...UNWATCHED_CONNECTIONS, opened: this.#secondOpened, answered: this.#secondAnswered })
    return (this.#second ??= http2Transport(clock, null)(origin, { ...options, watch }))
  }

  #endFirst(): Promise<void> {
    this.#firstIsOver ??= Promise.resolve(this.#first?.[Symbol.asyncDispose]()).then(() => this.#place?.leave())
    return this.#firstIsOver
  }
}

/** Faults in the talk itself, with which another client may get along. */
const BREAKS = /^HTTP2/
