import { MINUTE_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { ConnectionLimiter } from './connection-limiter.ts'
import type {
  AnswerListener,
  OpenTransport,
  Protocol,
  Transport,
  TransportOptions,
  TransportRequest,
} from './transport.ts'

/** Protocol errors within a minute: one is an accident. */
const MAX_PROTOCOL_ERRORS = 2
const WITHIN_MS = MINUTE_MS

/** Requests to `origin` move to the second transport. `reason`: what ended the connections. */
export type OnSwitch = (origin: string, reason: string) => void

interface Ways {
  readonly clock: Clock
  readonly first: OpenTransport
  readonly second: OpenTransport | null
  readonly onSwitch: OnSwitch
}

export function gatewayTransport(ways: Ways): OpenTransport {
  return (origin, options) => new GatewayTransport(ways, origin, options)
}

/**
 * Uses the first transport until two connections end by a protocol error within a minute, then the second until the
 * service restarts. A limiter bounds both.
 */
class GatewayTransport implements Transport {
  readonly #ways: Ways
  readonly #origin: string
  readonly #options: TransportOptions
  readonly #limiter: ConnectionLimiter
  readonly #first: Transport
  #current: Transport
  #protocolErrors = 0

  constructor(ways: Ways, origin: string, options: TransportOptions) {
    this.#ways = ways
    this.#origin = origin
    this.#limiter = new ConnectionLimiter(ways.clock)
    this.#options = { ...options, watch: this.#limiter }
    this.#first = ways.first(origin, { ...this.#options, onProtocolError: this.#onProtocolError })
    this.#current = this.#first
  }

  get trouble(): string | null {
    return this.#limiter.trouble
  }

  get connections(): number {
    return this.#limiter.connections
  }

  get protocol(): Protocol | null {
    return this.#current.protocol ?? null
  }

  send(request: TransportRequest, listener: AnswerListener): void {
    this.#current.send(request, listener)
  }

  retire(): void {
    this.#current.retire()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...new Set([this.#first, this.#current])].map((transport) => transport[Symbol.asyncDispose]()))
  }

  readonly #onProtocolError = (reason: string): void => {
    const { clock, second, onSwitch } = this.#ways
    if (second === null || this.#current !== this.#first) return
    this.#protocolErrors++
    clock.after(WITHIN_MS, () => this.#protocolErrors--)
    if (this.#protocolErrors < MAX_PROTOCOL_ERRORS) return
    this.#current = second(this.#origin, this.#options)
    this.#first.handOver?.(this.#current)
    void this.#first[Symbol.asyncDispose]()
    onSwitch(this.#origin, reason)
  }
}
