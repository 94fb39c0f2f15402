import type { TLSSocket } from 'node:tls'
import type { SimulatedAnswer } from '../../../src/gateway/simulator/http2/reply.ts'
import type { ServerConnection } from '../../../src/gateway/simulator/http2/server-connection.ts'
import type { ServerStream } from '../../../src/gateway/simulator/http2/server-stream.ts'
import { MAX_CONCURRENT_STREAMS, windowFrame } from '../../support/frames.ts'
import type { Arrival } from './arrival.ts'
import type { PlannedReply } from './plan.ts'
import type { Notice, Protocol } from './protocol.ts'

/** An answer written less than this before its connection was cut, in ms, may be unread. */
export const IN_DOUBT_MS = 500

/** From GOAWAY to the end of its connection, in ms, so that the client reads the frame. */
const PARTING_MS = 50

/** HTTP/2 starts with 64 KiB (RFC 9113, 6.9.2), enough for 600 small notifications. */
const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024

interface Pending {
  readonly stream: ServerStream
  readonly arrival: Arrival
  readonly timer: Timer | null
}

/** One connection of the service to a gateway, with its open streams. */
export class GatewayConnection {
  readonly life: number
  readonly #connection: ServerConnection
  readonly #socket: TLSSocket
  readonly #protocol: Protocol
  readonly #pending = new Map<number, Pending>()
  /** Newest last. */
  readonly #answered: Arrival[] = []
  #proven = false
  #parting = false
  #limited = false
  #narrowed = false
  #highestAnswered = 0
  /** After GOAWAY: higher streams are ignored. */
  #last = Number.POSITIVE_INFINITY

  constructor(connection: ServerConnection, socket: TLSSocket, life: number, protocol: Protocol) {
    this.#connection = connection
    this.#socket = socket
    this.#protocol = protocol
    this.life = life
    // Bodies must not wait for the connection's window: a gateway that answers 200 before the body has taken nothing.
    connection.raw(windowFrame(0, CONNECTION_WINDOW_BYTES))
  }

  /** Whether a new stream is processed. */
  admits({ id }: ServerStream): boolean {
    return id <= this.#last
  }

  /** Answered, reset or lost. */
  closed({ id }: ServerStream): void {
    const timer = this.#pending.get(id)?.timer
    if (timer) clearTimeout(timer)
    this.#pending.delete(id)
  }

  limitStreams(streams: number): void {
    this.#limited = streams !== this.#protocol.streams[1]
    this.#connection.settings([MAX_CONCURRENT_STREAMS, streams])
  }

  answer(stream: ServerStream, { status, headers, body }: SimulatedAnswer): void {
    if (!stream.isOpen) return
    this.#highestAnswered = Math.max(this.#highestAnswered, stream.id)
    stream.respond(status, headers, { end: body === '' })
    if (body !== '') stream.write(body)
    if (status !== 200) return
    if (this.#narrowed) this.limitStreams(this.#protocol.streams[1])
    this.#narrowed = false
    this.#prove()
  }

  /** "One stream until a request with a valid token was posted", also if the device is refused. */
  #prove(): void {
    if (this.#proven) return
    this.#proven = true
    const [first, usual] = this.#protocol.streams
    if (first !== usual && !this.#limited) this.#connection.settings([MAX_CONCURRENT_STREAMS, usual])
  }

  perform(stream: ServerStream, arrival: Arrival, notice: Notice, planned: PlannedReply, latencyMs: number): void {
    if (this.#parting) return
    switch (planned.kind) {
      case 'accept': {
        const send = () => this.#close(stream, arrival, notice.accept(), planned.lateEnd === true)
        this.#wait(stream, arrival, planned.afterMs ?? latencyMs, send)
        return
      }
      case 'refuse':
      case 'say': {
        const said: Extract<PlannedReply, { kind: 'say' }> =
          planned.kind === 'say'
            ? planned
            : { kind: 'say', answer: withRetryAfter(notice.refuse(planned.as), planned.retryAfterSeconds) }
        arrival.taken = said.delivers === true
        if (said.narrows !== true) this.#prove()
        else if (!this.#narrowed) {
          this.#narrowed = true
          this.limitStreams(1)
        }
        this.#wait(stream, arrival, latencyMs, () => {
          this.#close(stream, arrival, said.answer, false)
          // The sender heard the opposite.
          if (said.delivers === true) arrival.answeredAt = null
        })
        return
      }
      case 'parting':
        this.#parting = true
        leaveToAnother(arrival)
        this.#leaveBeyond(0)
        this.#connection.goaway(0, { lastId: 0, debugData: JSON.stringify({ reason: planned.word }) })
        this.#socket.end()
        return
      case 'garble': {
        const understood = this.#protocol.anyBodySaysTaken
        arrival.taken = understood || planned.taken
        this.answer(stream, { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>It works!\u0000\ufffd' })
        if (understood) this.#note(arrival)
        return
      }
      case 'reset':
        arrival.taken = planned.taken && planned.code !== REFUSED_STREAM
        // "Not processed" is a full answer.
        if (planned.code === REFUSED_STREAM) arrival.answeredAt = Date.now()
        stream.reset(planned.code)
        return
      case 'silence':
        arrival.taken = planned.taken
        return
      case 'cut':
        arrival.taken = planned.taken
        if (planned.midAnswer) {
          stream.respond(200, { 'content-type': 'application/json' }, { end: false })
          stream.write('{"na', { end: false })
        }
        this.cut()
        return
      case 'part':
        arrival.taken = planned.answered
        if (planned.answered) this.answer(stream, notice.accept())
        this.#doubt()
        setTimeout(() => this.#socket.destroy(), planned.answered ? READ_MS : 0)
        return
      case 'flood': {
        // Some clients cannot read it.
        const { status, headers } = notice.accept()
        stream.respond(status, { ...headers, 'x-padding': PADDING }, { pieces: 1 })
        return
      }
      case 'noise':
        arrival.taken = planned.taken
        this.#connection.raw(Buffer.from('No frame begins like this, and no client should believe what follows.'))
        this.cut()
        return
      case 'goaway':
        arrival.taken = planned.taken
        this.#goaway(this.#connection.lastId, planned.code)
        this.cut()
        return
      case 'farewell':
        this.#pending.set(stream.id, { stream, arrival, timer: null })
        this.#farewell(planned.half)
        this.#wait(stream, arrival, latencyMs, () => this.#close(stream, arrival, notice.accept(), false))
    }
  }

  #wait(stream: ServerStream, arrival: Arrival, ms: number, send: () => void): void {
    if (stream.id > this.#last) return leaveToAnother(arrival)
    this.#pending.set(stream.id, { stream, arrival, timer: setTimeout(send, ms) })
  }

  #close(stream: ServerStream, arrival: Arrival, answer: SimulatedAnswer, lateEnd: boolean): void {
    this.#pending.delete(stream.id)
    if (!stream.isOpen || this.#socket.destroyed) return
    this.#note(arrival)
    if (!lateEnd) return this.answer(stream, answer)
    const { status, headers, body } = answer
    stream.respond(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) }, { end: false })
    stream.write(body, { end: false })
    setTimeout(() => stream.write(''), LATE_END_MS)
  }

  #note(arrival: Arrival): void {
    arrival.answeredAt = Date.now()
    this.#answered.push(arrival)
  }

  #farewell(half: boolean): void {
    if (this.#last !== Number.POSITIVE_INFINITY) return
    const open = [...this.#pending.keys()].sort((a, b) => a - b)
    // The last stream of GOAWAY must not be below an answered one.
    const last = half
      ? Math.max(open[Math.floor(open.length / 2)] ?? 0, this.#highestAnswered)
      : this.#connection.lastId
    this.#leaveBeyond(last)
    this.#goaway(last, 0)
    this.#endWhenAnswered()
  }

  #endWhenAnswered(): void {
    setTimeout(() => {
      if (this.#pending.size > 0) this.#endWhenAnswered()
      else this.#socket.end()
    }, PARTING_MS)
  }

  #leaveBeyond(last: number): void {
    this.#last = last
    for (const [id, { arrival, timer }] of this.#pending) {
      if (id <= last) continue
      if (timer !== null) clearTimeout(timer)
      leaveToAnother(arrival)
      this.#pending.delete(id)
    }
  }

  #goaway(last: number, code: number): void {
    this.#last = last
    this.#connection.goaway(code, { lastId: last })
  }

  /** Ends the connection. Everything on it that may be unread is in doubt. */
  cut(): void {
    this.#parting = true
    this.#last = Math.min(this.#last, this.#connection.lastId)
    for (const { timer } of this.#pending.values()) if (timer !== null) clearTimeout(timer)
    this.#doubt()
    setTimeout(() => {
      // Also answers written since.
      this.#doubt()
      this.#socket.destroy()
    }, PARTING_MS)
  }

  /** Nobody knows whether the latest answers were read. */
  #doubt(): void {
    const now = Date.now()
    for (let at = this.#answered.length - 1; at >= 0; at--) {
      const arrival = this.#answered[at]
      if (arrival === undefined || now - (arrival.answeredAt ?? 0) > IN_DOUBT_MS) break
      arrival.answeredAt = null
    }
  }
}

function withRetryAfter({ headers, ...answer }: SimulatedAnswer, seconds: number | undefined): SimulatedAnswer {
  const { 'retry-after': _, ...others } = headers
  return { ...answer, headers: { ...others, ...(seconds !== undefined && { 'retry-after': String(seconds) }) } }
}

/** Beyond the last stream id: not processed, and safe to send again. */
function leaveToAnother(arrival: Arrival): void {
  arrival.taken = false
  arrival.answeredAt = Date.now()
}

/** Makes hundreds of header frames. */
const PADDING = 'x'.repeat(120)

/** Time to read what was written, in ms. */
const READ_MS = 5

/** RFC 9113, 7. */
const REFUSED_STREAM = 7

/** From the content of a stream to its end, in ms. */
const LATE_END_MS = 200
