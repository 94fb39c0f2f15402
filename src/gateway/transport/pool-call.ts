import type { PooledConnection } from './pooled-connection.ts'
import type { InFlight, Requested, RequestListener } from './session.ts'
import type { AnswerListener, TransportRequest } from './transport.ts'

/** `connection`: `null` if the request was queued. */
export type OnCallOver = (call: PoolCall, connection: PooledConnection | null, requested: Requested) => void

/** queued → sent → over, or queued again. It also hears the answer: a broadcast makes very many of these. */
export class PoolCall implements RequestListener {
  readonly request: TransportRequest
  readonly listener: AnswerListener
  /** Lower is older. */
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

  get sends(): number {
    return this.#sends
  }

  get connection(): PooledConnection | null {
    return this.#connection
  }

  /** The connection's answers when the request was sent. */
  get answersBefore(): number {
    return this.#answersBefore
  }

  sendOn(connection: PooledConnection): void {
    this.#sends++
    this.#connection = connection
    this.#answersBefore = connection.answers
    const inFlight = connection.send(this.request, this)
    if (this.#connection === connection) this.#inFlight = inFlight
  }

  onOver(requested: Requested): void {
    const connection = this.#connection
    this.#connection = null
    this.#inFlight = null
    this.#onOver(this, connection, requested)
  }

  /** See `InFlight`. */
  cancel(): boolean {
    const isTaken = this.#inFlight?.cancel() ?? true
    this.#connection = null
    this.#inFlight = null
    return isTaken
  }
}
