import type { Clock } from '../../clock.ts'
import { ConnectionBrake } from './connection-brake.ts'
import type { OpenTransport, Transport, TransportAnswer, TransportRequest } from './transport.ts'

/** What `open` makes, with a brake on its connections. */
export function watchedTransport(clock: Clock, open: OpenTransport): OpenTransport {
  return (origin, options) => {
    const brake = new ConnectionBrake(clock)
    return new WatchedTransport(open(origin, { ...options, watch: brake }), brake)
  }
}

class WatchedTransport implements Transport {
  readonly #transport: Transport
  readonly #brake: ConnectionBrake

  constructor(transport: Transport, brake: ConnectionBrake) {
    this.#transport = transport
    this.#brake = brake
  }

  get trouble(): string | null {
    return this.#brake.trouble
  }

  get connections(): number {
    return this.#brake.connections
  }

  request(request: TransportRequest): Promise<TransportAnswer> {
    return this.#transport.request(request)
  }

  retire(): void {
    this.#transport.retire()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]()
  }
}
