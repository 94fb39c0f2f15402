import type { IncomingRequest } from '../../../src/gateway/simulator/http2/incoming-request.ts'
import type { SimulatedAnswer } from '../../../src/gateway/simulator/http2/reply.ts'
import type { Arrival } from './arrival.ts'
import type { Refusal } from './conduct.ts'

/** A request that passed the gateway's checks, and the ways that gateway answers it. */
export interface Notice {
  readonly kind: 'notice'
  readonly of: Pick<Arrival, 'gateway' | 'token' | 'collapse' | 'apnsId' | 'text' | 'badge'>
  accept(): SimulatedAnswer
  refuse(as: Refusal, retryAfterSeconds: number | undefined): SimulatedAnswer
}

/** A request that Apple or Google would not take: the service's fault. */
export interface Fault {
  readonly kind: 'fault'
  readonly reason: string
  readonly answer: SimulatedAnswer
}

/** What tells APNs and FCM apart. */
export interface Protocol {
  readonly name: 'apns' | 'fcm'
  /** Requests at a time on a new connection, until the first is accepted; and after that. */
  readonly streams: readonly [first: number, usual: number]
  /** The headers of an acceptance: all there is to say before the body is read. */
  acceptEarly(): SimulatedAnswer
  /** Whether a 200 with garbage says that it was taken. */
  readonly anyBodySaysTaken: boolean
  /** What one connection remembers. */
  open(): (request: IncomingRequest) => Notice | Fault
}
