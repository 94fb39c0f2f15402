import type { Clock } from '../../clock.ts'
import type { Pem } from './certificate.ts'
import type { OnSession } from './http2/http2-listener.ts'
import type { SimulatedAnswer, Attempt, Reply } from './http2/reply.ts'
import type { KnownCredentials } from './known-credentials.ts'
import type { MagicToken } from './magic-tokens.ts'
import type { ReceivedPush } from './received-pushes.ts'

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
  readonly record: (arrival: ReceivedPush) => void
  /** Decides in place of the token's order; `null` leaves it to that. */
  readonly script: (attempt: Attempt) => Reply | null
  readonly onSession?: OnSession
}

/** What a gateway can tell a client whose request is in order. */
export interface Replies<Refusal> {
  readonly accept: () => SimulatedAnswer
  readonly refuse: (refusal: Refusal) => SimulatedAnswer
  readonly slowMs: number
}

/** Carries out an order; without one the request is accepted. */
export function replyTo<Refusal>(order: MagicToken<Refusal> | null, replies: Replies<Refusal>): Reply {
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
