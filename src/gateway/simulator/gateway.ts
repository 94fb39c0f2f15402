import type { Clock } from '../../clock.ts'
import type { Pem } from './certificate.ts'
import type { Answer, Attempt, Conduct } from './http2/reply.ts'
import type { KnownCredentials } from './known-credentials.ts'
import type { Order } from './magic-tokens.ts'
import type { Arrival } from './received-pushes.ts'

/** What every gateway of a simulator is given. */
export interface GatewayOptions {
  readonly clock: Clock
  readonly pem: Pem
  readonly known: KnownCredentials
  /** SETTINGS_MAX_CONCURRENT_STREAMS. */
  readonly maxStreams: number
  /** How long a slow answer takes, in ms. */
  readonly slowMs: number
  /** A new UUID. */
  readonly newId: () => string
  readonly record: (arrival: Arrival) => void
  /** Decides in place of the token's order; `null` leaves it to that. */
  readonly script: (attempt: Attempt) => Conduct | null
}

/** What a gateway can tell a client whose request is in order. */
export interface Replies<Refusal> {
  readonly accept: () => Answer
  readonly refuse: (refusal: Refusal) => Answer
  readonly slowMs: number
}

/** Carries out an order; without one the request is accepted. */
export function conductOf<Refusal>(order: Order<Refusal> | null, replies: Replies<Refusal>): Conduct {
  switch (order?.kind) {
    case 'refuse':
      return { kind: 'answer', answer: replies.refuse(order.refusal) }
    case 'slow':
      return { kind: 'answer', answer: replies.accept(), afterMs: replies.slowMs }
    case 'farewell':
      return { kind: 'answer', answer: replies.accept(), goaway: true }
    case 'reset':
    case 'goaway':
    case 'silent':
    case 'close':
      return order
    case undefined:
    default:
      return { kind: 'answer', answer: replies.accept() }
  }
}
