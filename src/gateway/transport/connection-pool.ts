import { Deadlines } from './deadlines.ts'
import { PoolCall } from './pool-call.ts'
import type { OnCallOver } from './pool-call.ts'
import { PooledConnection } from './pooled-connection.ts'
import type { PooledConnectionOptions } from './pooled-connection.ts'
import type { Requested, SessionEnd } from './session.ts'
import { DEADLINE, WINDOW_CLOSED } from './transport.ts'
import type {
  AnswerListener,
  ConnectionWatch,
  Protocol,
  Transport,
  TransportAnswer,
  TransportOptions,
  TransportRequest,
} from './transport.ts'

/**
 * Connections to one gateway at most: as many as a full window of one credential (1000) needs where a connection
 * takes 100 streams, as Google's do. Apple's take more.
 */
const MAX_CONNECTIONS = 10

/** How often one request is sent at most, if the gateway says each time that it did nothing about it. */
const MAX_SENDS = 3

/**
 * Connections in a row that end without an answer before waiting requests fail, where nobody else bounds them: more
 * would look like an attack.
 */
const MAX_UNANSWERED = 3

/** `deadlineMs` is also what one request may take, queued and in flight. */
type ConnectionPoolOptions = Omit<PooledConnectionOptions, 'onRoom' | 'onRetired'> & {
  readonly watch: ConnectionWatch
} & Pick<TransportOptions, 'onProtocolError' | 'onEnded' | 'isFinal'>

/**
 * Requests wait in one queue for the first connection with room. When none has any, and none is new, another is opened.
 */
export class ConnectionPool implements Transport {
  readonly #options: ConnectionPoolOptions
  readonly #deadlines: Deadlines<PoolCall>
  readonly #queue: PoolCall[] = []
  /** Connections that take requests or will; the oldest first. */
  #connections: PooledConnection[] = []
  /** Whether the gateway may allow one more connection. */
  #mayGrow = true
  /** Of the connection that was retired last. */
  #protocol: Protocol | null = null
  #unanswered = 0
  #calls = 0
  #isDisposed = false
  readonly #drained: (() => void)[] = []

  constructor(options: ConnectionPoolOptions) {
    this.#options = options
    this.#deadlines = new Deadlines(options.clock, options.deadlineMs, (call) => this.#expire(call))
  }

  get protocol(): Protocol | null {
    return this.#connections.findLast(({ hasOpened }) => hasOpened)?.protocol ?? this.#protocol
  }

  send(request: TransportRequest, listener: AnswerListener): void {
    if (this.#isDisposed) return listener.onAnswer({ kind: 'failed', reason: 'closed', sent: 'no' })
    const call = new PoolCall(request, listener, this.#calls++, this.#onCallOver)
    this.#deadlines.add(call)
    this.#queue.push(call)
    this.#pump()
  }

  retire(): void {
    // A connection is retired for what it answered: one without answers is spared.
    for (const connection of this.#connections.filter(({ answers }) => answers > 0)) connection.retire('retired')
  }

  /** Requests that wait go by another way. */
  handOver(other: Transport): void {
    for (const call of this.#queue.splice(0)) {
      this.#deadlines.delete(call)
      other.send(call.request, call.listener)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    if (this.#deadlines.size > 0) await new Promise<void>((resolve) => this.#drained.push(resolve))
    for (const connection of this.#connections.slice()) connection.retire('closed')
  }

  #pump(): void {
    while (this.#queue.length > 0) {
      const connection = this.#withRoom()
      if (connection === null) return this.#grow()
      const call = this.#queue.shift()
      call?.sendOn(connection)
    }
  }

  #withRoom(): PooledConnection | null {
    for (const connection of this.#connections) if (connection.room > 0) return connection
    return null
  }

  readonly #onCallOver: OnCallOver = (call, connection, requested) => {
    if (requested.kind === 'answer') {
      this.#unanswered = 0
      this.#options.watch.answered()
    }
    connection?.over(requested)
    if (requested.kind === 'unprocessed' && call.sends < MAX_SENDS && !this.#isFinal(requested.word))
      this.#requeue(call)
    else this.#over(call, answerOf(requested))
    if (this.#queue.length > 0) this.#pump()
  }

  /** The oldest goes first: behind younger ones, a gateway that takes a few of each connection would never get to it. */
  #requeue(call: PoolCall): void {
    const at = this.#queue.findIndex(({ number }) => number > call.number)
    this.#queue.splice(at === -1 ? this.#queue.length : at, 0, call)
  }

  #grow(): void {
    const max = this.#connections.reduce((least, one) => Math.min(least, one.maxConnections), MAX_CONNECTIONS)
    if (!this.#mayGrow || this.#connections.length >= max) return
    // Until it has shown how many streams it allows, how many more are needed is a guess.
    if (this.#connections.some(({ isNew, isBlocked }) => isNew || isBlocked)) return
    const { watch } = this.#options
    const refusal = watch.refusal()
    if (refusal !== null) {
      // Those that wait go by what connections there are.
      if (this.#connections.length === 0) this.#fail(refusal)
      return
    }
    watch.opened()
    const connection: PooledConnection = new PooledConnection({
      ...this.#options,
      onRoom: () => this.#pump(),
      onRetired: (reason, kind, word) => this.#retired(connection, reason, kind, word),
    })
    this.#connections.push(connection)
  }

  #retired(
    connection: PooledConnection,
    reason: string,
    kind: SessionEnd['kind'] | 'retired',
    word: string | undefined,
  ): void {
    this.#connections = this.#connections.filter((other) => other !== connection)
    this.#mayGrow = true
    const { watch, onProtocolError, onEnded } = this.#options
    const isLost = kind === 'lost' || kind === 'protocol'
    this.#protocol = connection.protocol ?? this.#protocol
    if (connection.hasOpened && isLost) watch.lost(reason, connection.answers)
    else if (connection.protocol === 'HTTP/1.1' && connection.answers > 0) watch.parted()
    if (connection.hasOpened) onEnded?.(reason)
    if (kind === 'protocol') onProtocolError?.(reason)
    if (this.#isFinal(word)) this.#fail({ kind: 'failed', reason, sent: 'no', ...(word !== undefined && { word }) })
    else if (connection.answers === 0) {
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
    this.#fail({ kind: 'failed', reason, sent: 'no' })
  }

  /** Whether the gateway has said why it takes nothing, and no connection is left to ask. */
  #isFinal(word: string | undefined): boolean {
    return word !== undefined && this.#connections.length === 0 && this.#options.isFinal?.(word) === true
  }

  /** Ends what waits for a connection. */
  #fail(answer: TransportAnswer): void {
    for (const call of this.#queue.splice(0)) this.#over(call, answer)
  }

  #expire(call: PoolCall): void {
    const { connection, answersBefore } = call
    if (connection === null) {
      this.#queue.splice(this.#queue.indexOf(call), 1)
      return this.#over(call, { kind: 'failed', reason: DEADLINE, sent: 'no' })
    }
    const isTaken = call.cancel()
    connection.leave()
    this.#over(call, { kind: 'failed', reason: DEADLINE, sent: 'unknown' })
    if (!isTaken) connection.retire(WINDOW_CLOSED, 'lost')
    // Where others were answered meanwhile, it is the device that is silent.
    else if (connection.answers === answersBefore) connection.retire(DEADLINE, 'lost')
    this.#pump()
  }

  #over(call: PoolCall, answer: TransportAnswer): void {
    this.#deadlines.delete(call)
    call.listener.onAnswer(answer)
    if (this.#deadlines.size === 0) for (const resolve of this.#drained.splice(0)) resolve()
  }
}

function answerOf(requested: Requested): TransportAnswer {
  if (requested.kind === 'answer') return requested
  const word = requested.kind === 'unprocessed' && requested.word !== undefined ? { word: requested.word } : undefined
  return { kind: 'failed', reason: requested.reason, sent: SENT[requested.kind], ...word }
}

const SENT = { unprocessed: 'no', unknown: 'unknown', refused: 'refused' } as const
