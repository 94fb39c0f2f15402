import { Connection } from './connection.ts'
import type { ConnectionOptions } from './connection.ts'
import { Deadlines } from './deadlines.ts'
import type { Requested } from './http2-request.ts'
import { DEADLINE, WINDOW_CLOSED } from './transport.ts'
import type { ConnectionWatch, Transport, TransportAnswer, TransportRequest } from './transport.ts'

/**
 * Connections to one gateway at the most: as many as a full window of one credential (1000) needs where a connection
 * takes 100 streams, as Google's do. To Apple, whose take more, it makes four.
 */
const MAX_CONNECTIONS = 10

/** How often one request is sent at the most, if the gateway says each time that it did nothing about it. */
const MAX_SENDS = 3

/**
 * Connections in a row that end without an answer before waiting requests fail, where nobody else bounds them: more
 * would look like an attack.
 */
const MAX_UNANSWERED = 3

interface Call {
  tick: number
  readonly request: TransportRequest
  readonly resolve: (answer: TransportAnswer) => void
  sends: number
  /** `null` while the request is queued. */
  flight: { readonly connection: Connection; readonly answersBefore: number; readonly cancel: () => boolean } | null
}

/** `deadlineMs` is also what one request may take, queued and in flight. */
type ConnectionPoolOptions = Omit<ConnectionOptions, 'onRoom' | 'onRetired'> & { readonly watch: ConnectionWatch }

/** Reasons to retire a connection with which nothing went wrong. */
const IN_ORDER = new Set(['idle', 'retired', 'closed'])

/**
 * Requests wait in one queue for the first connection with room. When none has any, and none is new, another is opened.
 */
export class ConnectionPool implements Transport {
  readonly #options: ConnectionPoolOptions
  readonly #deadlines: Deadlines<Call>
  readonly #queue: Call[] = []
  /** Connections that take requests or will; the oldest first. */
  #connections: Connection[] = []
  /** Whether the gateway may allow one more connection. */
  #mayGrow = true
  #unanswered = 0
  #disposed = false
  #drained: (() => void)[] = []

  constructor(options: ConnectionPoolOptions) {
    this.#options = options
    this.#deadlines = new Deadlines(options.clock, options.deadlineMs, (call) => this.#expire(call))
  }

  request(request: TransportRequest): Promise<TransportAnswer> {
    if (this.#disposed) return Promise.resolve({ kind: 'failed', reason: 'closed', sent: 'no' })
    return new Promise((resolve) => {
      const call: Call = { tick: 0, request, resolve, sends: 0, flight: null }
      this.#deadlines.add(call)
      this.#queue.push(call)
      this.#pump()
    })
  }

  retire(): void {
    // A connection is retired for what it answered: one without answers is spared.
    for (const connection of this.#connections.filter(({ answers }) => answers > 0)) connection.retire('retired')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true
    if (this.#deadlines.size > 0) await new Promise<void>((resolve) => this.#drained.push(resolve))
    for (const connection of this.#connections.slice()) connection.retire('closed')
  }

  #pump(): void {
    while (this.#queue.length > 0) {
      const connection = this.#connections.find(({ room }) => room > 0)
      if (connection === undefined) return this.#grow()
      const call = this.#queue.shift()
      if (call !== undefined) this.#send(call, connection)
    }
  }

  #send(call: Call, connection: Connection): void {
    call.sends++
    let over = false
    const answersBefore = connection.answers
    const cancel = connection.send(call.request, (exchanged) => {
      over = true
      call.flight = null
      if (exchanged.kind === 'answer') {
        this.#unanswered = 0
        this.#options.watch.answered()
      }
      if (exchanged.kind === 'unsent' && call.sends < MAX_SENDS) this.#queue.unshift(call)
      else this.#over(call, answerOf(exchanged))
      this.#pump()
    })
    if (!over) call.flight = { connection, answersBefore, cancel }
  }

  #grow(): void {
    if (!this.#mayGrow || this.#connections.length >= MAX_CONNECTIONS) return
    // Until it has shown how many streams it allows, how many more are needed is a guess.
    if (this.#connections.some(({ isNew }) => isNew)) return
    const { watch } = this.#options
    const refusal = watch.refusal()
    if (refusal !== null) {
      // Those that wait go by what connections there are.
      if (this.#connections.length === 0) for (const call of this.#queue.splice(0)) this.#over(call, refusal)
      return
    }
    watch.opened()
    const connection: Connection = new Connection({
      ...this.#options,
      onRoom: () => this.#pump(),
      onRetired: (reason) => this.#retired(connection, reason),
    })
    this.#connections.push(connection)
  }

  #retired(connection: Connection, reason: string): void {
    this.#connections = this.#connections.filter((other) => other !== connection)
    this.#mayGrow = true
    const inOrder = connection.hasParted || IN_ORDER.has(reason)
    const { watch } = this.#options
    if (connection.hasOpened && !inOrder) watch.lost(reason, connection.answers)
    if (connection.answers === 0) {
      this.#unanswered++
      if (!connection.hasOpened || (!watch.isBounding && this.#unanswered >= MAX_UNANSWERED)) this.#giveUp(reason)
    }
    this.#pump()
  }

  /** Another connection would be no better than the last. */
  #giveUp(reason: string): void {
    if (this.#connections.length > 0) {
      this.#mayGrow = false
      return
    }
    this.#unanswered = 0
    for (const call of this.#queue.splice(0)) this.#over(call, { kind: 'failed', reason, sent: 'no' })
  }

  #expire(call: Call): void {
    if (call.flight === null) {
      this.#queue.splice(this.#queue.indexOf(call), 1)
      return this.#over(call, { kind: 'failed', reason: DEADLINE, sent: 'no' })
    }
    const { connection, answersBefore, cancel } = call.flight
    const taken = cancel()
    this.#over(call, { kind: 'failed', reason: DEADLINE, sent: 'unknown' })
    if (!taken) connection.retire(WINDOW_CLOSED)
    // Where others were answered meanwhile, it is the device that is silent.
    else if (connection.answers === answersBefore) connection.retire(DEADLINE)
    this.#pump()
  }

  #over(call: Call, answer: TransportAnswer): void {
    this.#deadlines.delete(call)
    call.resolve(answer)
    if (this.#deadlines.size === 0) for (const resolve of this.#drained.splice(0)) resolve()
  }
}

function answerOf(exchanged: Requested): TransportAnswer {
  if (exchanged.kind === 'answer') return exchanged
  return { kind: 'failed', reason: exchanged.reason, sent: exchanged.kind === 'unsent' ? 'no' : 'unknown' }
}
