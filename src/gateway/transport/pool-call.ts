import type { PooledConnection } from './pooled-connection.ts'
import type { InFlight, Requested, RequestListener } from './session.ts'
import type { AnswerListener, TransportRequest } from './transport.ts'

/** `connection`: where the request was sent; `null`: it was queued. */
export type OnCallOver = (call: PoolCall, connection: PooledConnection | null, requested: Requested) => void

/**
 * A request until its answer: queued → sent → over, or queued again. One object also hears the answer, since a
 * broadcast makes very many.
 */
export class PoolCall implements RequestListener {
  readonly request: TransportRequest
  readonly listener: AnswerListener
  /** The older of two requests has the lower number. */
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

  /** Answers that its connection had brought when it was sent. */
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

  /** Gives the request up. Returns whether the gateway had room for all of it. */
  cancel(): boolean {
    const isTaken = this.#inFlight?.cancel() ?? true
    this.#connection = null
    this.#inFlight = null
    return isTaken
  }
}
