import type { GatewayOptions } from '../../../src/gateway/simulator/gateway.ts'
import type { Http2Listener } from '../../../src/gateway/simulator/http2/http2-listener.ts'
import type { Attempt, SimulatedAnswer } from '../../../src/gateway/simulator/http2/reply.ts'
import type { Arrival } from './arrival.ts'
import type { Refusal } from './plan.ts'

/** A request that passed the gateway's checks, and how this gateway answers it. */
export interface Notice {
  readonly shown: Pick<Arrival, 'gateway' | 'token' | 'collapse' | 'apnsId' | 'text' | 'badge'>
  accept(): SimulatedAnswer
  /** The caller sets `retry-after`. */
  refuse(as: Refusal): SimulatedAnswer
}

/** The differences between APNs, FCM and push services. */
export interface Protocol {
  /** Concurrent requests of a new connection until the first is accepted, and afterwards. */
  readonly streams: readonly [first: number, usual: number]
  /** Only the headers of an acceptance: the body is unread. */
  acceptEarly(): SimulatedAnswer
  /** Whether any 200 counts as accepted. */
  readonly anyBodySaysTaken: boolean
  read(attempt: Attempt): Notice
  /** Starts the simulator's gateway: TLS, HTTP/2 and checks. */
  start(options: StartOptions): Promise<StartedGateway>
}

interface StartedGateway extends Http2Listener {
  /** Absent: it has no HTTP/1.1. */
  relayOf?(endpoint: string): string
}

type StartOptions = Pick<GatewayOptions, 'pem' | 'script' | 'record' | 'onConnection'> & {
  readonly reachedAt: () => string
}
