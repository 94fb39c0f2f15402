import type { PooledConnection } from './pooled-connection.ts'
import type { InFlight, Requested, RequestListener } from './session.ts'
import type { AnswerListener, TransportRequest } from './transport.ts'

/** Told when the request of a call is over on the connection that it was sent on. */
export type OnCallOver = (call: PoolCall, connection: PooledConnection | null, requested: Requested) => void

/**
 * A request from the caller's hands to its answer. One object hears the answer too: a broadcast has very many.
 *
 * queued → sent → over, or queued again.
 */
export class PoolCall implements RequestListener {
  readonly request: TransportRequest
  readonly listener: AnswerListener
  /** Of two requests the older has the lower one. */
  readonly number: number
  readonly #onOver: OnCallOver
  #sends = 0
  #connection: PooledConnection | null = null
  #inFlight: InFlight | null = null
  #answersBefore = 0

  constructor(request: TransportRequest, listener: AnswerListener, number: number, onOver: OnCallOver) {
    this.request = request
    this.listener = listener
    this.number = number
    this.#onOver = onOver
  }

  /** How often it was sent. */
  get sends(): number {
    return this.#sends
  }

  /** Where the request is in flight; `null`: it is queued. */
  get connection(): PooledConnection | null {
    return this.#connection
  }

  /** How many answers its connection had brought when it was sent. */
  get answersBefore(): number {
    return this.#answersBefore
  }

  /** Sends it on a connection that has room. */
  sendOn(connection: PooledConnection): void {
    this.#sends++
    this.#connection = connection
    this.#answersBefore = connection.answers
    const inFlight = connection.send(this.request, this)
    // It may be over by now.
    if (this.#connection === connection) this.#inFlight = inFlight
  }

  onOver(requested: Requested): void {
    const connection = this.#connection
    this.#connection = null
    this.#inFlight = null
    this.#onOver(this, connection, requested)
  }

  /** Gives up what was sent. Whether the gateway had room for all of it. */
  cancel(): boolean {
    const isTaken = this.#inFlight?.cancel() ?? true
    this.#connection = null
    this.#inFlight = null
    return isTaken
  }
}
