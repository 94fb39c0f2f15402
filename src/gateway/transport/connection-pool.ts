import type { Clock } from '../../clock.ts'
import { Deadlines } from './deadlines.ts'
import { PoolCall } from './pool-call.ts'
import type { OnCallOver } from './pool-call.ts'
import { PooledConnection } from './pooled-connection.ts'
import type { OpenSession, PoolOwner, Retirement } from './pooled-connection.ts'
import type { Requested } from './session.ts'
import { DEADLINE, UNWATCHED_CONNECTIONS, WINDOW_CLOSED } from './transport.ts'
import type {
  AnswerListener,
  ConnectionWatch,
  Protocol,
  Transport,
  TransportAnswer,
  TransportOptions,
  TransportRequest,
} from './transport.ts'

/** For a full window of one credential (1000) at Google's 100 streams a connection. Apple allows more. */
const MAX_CONNECTIONS = 10

/** Attempts for a request that the gateway says it did not process. */
const MAX_SENDS = 3

/**
 * Without a limiter: connections in a row without an answer before waiting requests fail. More would look like an attack.
 */
const MAX_UNANSWERED = 3

/** Requests wait in one queue for the first connection with room. If none has room and none is new, another opens. */
export class ConnectionPool implements Transport, PoolOwner {
  readonly #clock: Clock
  readonly #options: TransportOptions
  readonly #watch: ConnectionWatch
  readonly #open: OpenSession
  readonly #deadlines: Deadlines<PoolCall>
  readonly #queue: PoolCall[] = []
  #connections: PooledConnection[] = []
  #mayGrow = true
  #protocol: Protocol | null = null
  #unanswered = 0
  #calls = 0
  #isDisposed = false
  readonly #drained: (() => void)[] = []

  constructor(clock: Clock, options: TransportOptions, open: OpenSession) {
    this.#clock = clock
    this.#options = options
    this.#watch = options.watch ?? UNWATCHED_CONNECTIONS
    this.#open = open
    this.#deadlines = new Deadlines(clock, options.deadlineMs, (call) => this.#expire(call))
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
    // A connection without answers stays: see `Transport.retire`.
    for (const connection of this.#connections.filter(({ answers }) => answers > 0)) connection.retire('retired')
  }

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
      this.#watch.answered()
    }
    connection?.over(requested)
    if (requested.kind === 'unprocessed' && call.sends < MAX_SENDS && !this.#isFinal(requested.word))
      this.#requeue(call)
    else this.#over(call, answerOf(requested))
    if (this.#queue.length > 0) this.#pump()
  }

  /** Oldest first: behind younger ones it might never be sent. */
  #requeue(call: PoolCall): void {
    const at = this.#queue.findIndex(({ number }) => number > call.number)
    this.#queue.splice(at === -1 ? this.#queue.length : at, 0, call)
  }

  #grow(): void {
    const max = this.#connections.reduce((least, one) => Math.min(least, one.maxConnections), MAX_CONNECTIONS)
    if (!this.#mayGrow || this.#connections.length >= max) return
    // Until a new connection shows how many streams it allows, nobody knows how many more are needed.
    if (this.#connections.some(({ isNew, isBlocked }) => isNew || isBlocked)) return
    const refusal = this.#watch.refusal()
    if (refusal !== null) {
      if (this.#connections.length === 0) this.#fail(refusal)
      return
    }
    this.#watch.opened()
    this.#connections.push(new PooledConnection(this.#clock, this.#options.deadlineMs, this.#open, this))
  }

  onRoom(): void {
    this.#pump()
  }

  onRetired(connection: PooledConnection, { reason, kind, word }: Retirement): void {
    this.#connections = this.#connections.filter((other) => other !== connection)
    this.#mayGrow = true
    const { onProtocolError, onEnded } = this.#options
    const watch = this.#watch
    const isLost = kind === 'lost' || kind === 'protocol'
    this.#protocol = connection.protocol ?? this.#protocol
    if (connection.hasOpened && isLost) watch.lost(reason, connection.answers)
    else if (connection.protocol === 'HTTP/1.1' && connection.answers > 0) watch.parted()
    if (connection.hasOpened) onEnded?.(reason)
    if (kind === 'protocol') onProtocolError?.(reason)
    if (this.#isFinal(word)) this.#fail({ kind: 'failed', reason, sent: 'no', word })
    else if (connection.answers === 0) {
      this.#unanswered++
      if (!connection.hasOpened || (!watch.isBounding && this.#unanswered >= MAX_UNANSWERED)) this.#giveUp(reason)
    }
    this.#pump()
  }

  #giveUp(reason: string): void {
    if (this.#connections.length > 0) {
      this.#mayGrow = false
      return
    }
    this.#unanswered = 0
    this.#fail({ kind: 'failed', reason, sent: 'no' })
  }

  #isFinal(word: string | undefined): boolean {
    return word !== undefined && this.#connections.length === 0 && this.#options.isFinal?.(word) === true
  }

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
    // If others were answered since, only this device is silent.
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
  const word = requested.kind === 'unprocessed' ? requested.word : undefined
  return { kind: 'failed', reason: requested.reason, sent: SENT[requested.kind], word }
}

const SENT = { unprocessed: 'no', unknown: 'unknown', refused: 'refused' } as const
