import type { Clock } from '../../clock.ts'
import type { Pem } from './certificate.ts'
import type { OnSession } from './http2/http2-listener.ts'
import type { SimulatedAnswer, Attempt, Reply } from './http2/reply.ts'
import type { KnownCredentials } from './known-credentials.ts'
import type { MagicAnswer } from './magic-tokens.ts'
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
  /** Decides in place of the token; `null` leaves the request to that. */
  readonly script: (attempt: Attempt) => Reply | null
  readonly onSession?: OnSession
}

/** What a gateway can tell a client whose request is in order. */
export interface Replies<Refusal> {
  readonly accept: () => SimulatedAnswer
  readonly refuse: (refusal: Refusal) => SimulatedAnswer
  readonly slowMs: number
}

/** Carries out what a magic token asks for; any other token is accepted. */
export function replyTo<Refusal>(asked: MagicAnswer<Refusal> | null, replies: Replies<Refusal>): Reply {
  switch (asked?.kind) {
    case 'refuse':
      return { kind: 'answer', answer: replies.refuse(asked.refusal) }
    case 'narrow':
      return { kind: 'answer', answer: replies.refuse(asked.refusal), narrow: true }
    case 'slow':
      return { kind: 'answer', answer: replies.accept(), afterMs: replies.slowMs }
    case 'farewell':
      return { kind: 'answer', answer: replies.accept(), goaway: true }
    case 'reset':
    case 'goaway':
    case 'parting':
    case 'silent':
    case 'close':
      return asked
    case undefined:
    default:
      return { kind: 'answer', answer: replies.accept() }
  }
}
