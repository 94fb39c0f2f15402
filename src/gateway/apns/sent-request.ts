import type { RenderedApns } from '../../notification/apns-render.ts'
import type { Message } from '../../notification/notification.ts'
import type { OutcomeListener, Recipient } from '../gateway.ts'
import type { AnswerListener, TransportAnswer, TransportRequest } from '../transport/transport.ts'
import { apnsIdOf } from './protocol.ts'
import type { ApnsRoute } from './route.ts'

/** What all requests of a message have in common, as long as the provider token is the same. */
export interface Prepared {
  readonly rendered: RenderedApns
  readonly authorization: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** What is to be sent, and to whom: see `Provider.send`. */
export interface Addressed {
  readonly message: Message
  readonly recipient: Recipient
  readonly listener: OutcomeListener
}

/** What was done already for one notification; each is done once. */
export interface AlreadyTried {
  readonly renewal: boolean
  readonly other: boolean
}

export const NOTHING_TRIED: AlreadyTried = { renewal: false, other: false }

export type OnHeard = (sent: SentRequest, answer: TransportAnswer) => void

/** One request: what is sent, how, and who hears of the answer. One object, since a broadcast makes one for each notification. */
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
