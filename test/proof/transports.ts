import { systemClock } from '../../src/clock.ts'
import { h2Transport, http2Transport } from '../../src/gateway/transport/choose-transport.ts'
import type { OpenTransport } from '../../src/gateway/transport/transport.ts'

/** An HTTP/2 transport of ours, under proof. */
export interface ProvenTransport {
  readonly name: string
  readonly open: OpenTransport
  /** Connections it may have open to one gateway, not counting those that the gateway told to go away. */
  readonly maxConnections: number
}

/** Every transport that `bun run transports` runs: another one is one more line. */
export const TRANSPORTS: readonly ProvenTransport[] = [
  { name: 'http2-wrapper', open: http2Transport(systemClock, null), maxConnections: 10 },
  { name: 'h2', open: h2Transport(systemClock, null), maxConnections: 10 },
]
