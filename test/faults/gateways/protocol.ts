import type { GatewayOptions } from '../../../src/gateway/simulator/gateway.ts'
import type { Http2Listener } from '../../../src/gateway/simulator/http2/http2-listener.ts'
import type { Attempt, SimulatedAnswer } from '../../../src/gateway/simulator/http2/reply.ts'
import type { Arrival } from './arrival.ts'
import type { Refusal } from './plan.ts'

/** A request that passed the gateway's checks, and the ways that gateway answers it. */
export interface Notice {
  readonly shown: Pick<Arrival, 'gateway' | 'token' | 'collapse' | 'apnsId' | 'text' | 'badge'>
  accept(): SimulatedAnswer
  /** Its `retry-after` is replaced. */
  refuse(as: Refusal): SimulatedAnswer
}

/** What tells APNs, FCM and push services apart. */
export interface Protocol {
  /** Requests at a time on a new connection, until the first is accepted; and after that. */
  readonly streams: readonly [first: number, usual: number]
  /** The headers of an acceptance: all there is to say before the body is read. */
  acceptEarly(): SimulatedAnswer
  /** Whether a 200 with garbage says that it was taken. */
  readonly anyBodySaysTaken: boolean
  read(attempt: Attempt): Notice
  /** The simulator's gateway: its TLS, its HTTP/2 and its checks. */
  start(options: StartOptions): Promise<StartedGateway>
}

interface StartedGateway extends Http2Listener {
  /** Absent: none speaks HTTP/1.1. */
  relayOf?(endpoint: string): string
}

type StartOptions = Pick<GatewayOptions, 'pem' | 'script' | 'record' | 'onConnection'> & {
  /** Where the service finds it. */
  readonly reachedAt: () => string
}
