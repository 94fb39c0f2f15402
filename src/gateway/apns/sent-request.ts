import type { RenderedApns } from '../../notification/apns-render.ts'
import type { Addressed } from '../gateway.ts'
import type { AnswerListener, TransportAnswer, TransportRequest } from '../transport/transport.ts'
import { apnsIdOf } from './protocol.ts'
import type { ApnsRoute } from './route.ts'

/** Shared by a message's requests while the provider token is the same. */
export interface Prepared {
  readonly rendered: RenderedApns
  readonly authorization: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

export interface AlreadyTried {
  readonly renewal: boolean
  readonly other: boolean
}

export const NOTHING_TRIED: AlreadyTried = { renewal: false, other: false }

export type OnHeard = (sent: SentRequest, answer: TransportAnswer) => void

/** One object, since a broadcast makes one per notification. */
export class SentRequest implements TransportRequest, AnswerListener {
  readonly addressed: Addressed
  readonly route: ApnsRoute
  readonly prepared: Prepared
  readonly tried: AlreadyTried
  readonly path: string
  readonly headers: Prepared['headers']
  readonly own: readonly [name: string, value: string]
  readonly body: string
  readonly #onHeard: OnHeard

  constructor(
    onHeard: OnHeard,
    addressed: Addressed,
    route: ApnsRoute,
    prepared: Prepared,
    tried: AlreadyTried,
    path: string,
  ) {
    const { message, recipient } = addressed
    this.#onHeard = onHeard
    this.addressed = addressed
    this.route = route
    this.prepared = prepared
    this.tried = tried
    this.path = path
    this.headers = prepared.headers
    this.own = ['apns-id', apnsIdOf(message.push, recipient.device)]
    this.body = prepared.rendered.body(recipient.badge)
  }

  onAnswer(answer: TransportAnswer): void {
    this.#onHeard(this, answer)
  }
}
