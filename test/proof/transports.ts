import { systemClock } from '../../src/clock.ts'
import { h2Transport, http2Transport } from '../../src/gateway/transport/choose-transport.ts'
import type { OpenTransport } from '../../src/gateway/transport/transport.ts'

export interface ProvenTransport {
  readonly name: string
  readonly open: OpenTransport
  /** Most open connections to one gateway, without those it told to go away. */
  readonly maxConnections: number
}

/** All that `bun run transports` proves. */
export const TRANSPORTS: readonly ProvenTransport[] = [
  { name: 'http2-wrapper', open: http2Transport(systemClock, null), maxConnections: 10 },
  { name: 'h2', open: h2Transport(systemClock, null), maxConnections: 10 },
]
