import type { TLSSocket } from 'node:tls'
import {
  ACK,
  DATA,
  END_STREAM,
  frame,
  goawayFrame,
  headerFrames,
  HEADERS,
  INITIAL_WINDOW_SIZE,
  MAX_CONCURRENT_STREAMS,
  PING,
  readFrames,
  resetFrame,
  RST_STREAM,
  SETTINGS,
  settingsFrame,
  windowFrame,
} from '../../support/frames.ts'
import type { Frame } from '../../support/frames.ts'
import { pick } from '../../support/chance.ts'
import { drawHarm } from './harms.ts'
import type { Harm } from './harms.ts'

/** RFC 9113, 7. */
const NO_ERROR = 0
const INTERNAL_ERROR = 2
const REFUSED_STREAM = 7
const CANCEL = 8
const ENHANCE_YOUR_CALM = 11
const FAILURES = [INTERNAL_ERROR, ENHANCE_YOUR_CALM]

/** Of a new connection (RFC 9113, 6.9.2). */
const FIRST_WINDOW_BYTES = 65_535
const HIGHEST_STREAM = 2 ** 31 - 1

/** Most ticks until an answer. */
const MAX_TICKS = 6
/** From the first GOAWAY to the real one. */
const SECOND_GOAWAY_TICKS = 10

interface Request {
  readonly stream: number
  /** The body until its number is complete. */
  start: string
  numbers: { readonly request: number; readonly attempt: number } | null
  /** Body bytes that the client may still send. */
  windowBytes: number
}

interface ConnectionOptions {
  readonly random: () => number
  readonly harmEvery: number
  readonly harms: readonly Harm[]
  readonly maxStreams: number
  readonly windowBytes: number
  readonly onHarm: (harm: Harm) => void
  readonly onProcessed: (request: number, attempt: number) => void
  readonly onViolation: (words: string) => void
  readonly onClosed: () => void
}

/** A client's connection to the cutting gateway. open → (GOAWAY) parted: ignores new requests → closed. */
export class CuttingConnection {
  readonly #socket: TLSSocket
  readonly #options: ConnectionOptions
  /** With incomplete bodies. */
  readonly #begun = new Map<number, Request>()
  /** Processed requests, with the tick of their answer; `null`: never. */
  readonly #waiting = new Map<number, { readonly request: Request; readonly at: number | null }>()
  #written: Buffer[] = []
  #ticks = 0
  #windowBytes = FIRST_WINDOW_BYTES
  #limitHolds = false
  #lastBegun = 0
  #lastProcessed = 0
  /** After GOAWAY: higher streams are ignored. */
  #lastTaken = HIGHEST_STREAM
  #secondGoawayAt: number | null = null
  #closed = false

  constructor(socket: TLSSocket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#closed = true
      options.onClosed()
    })
    this.#write(
      settingsFrame([
        [MAX_CONCURRENT_STREAMS, options.maxStreams],
        [INITIAL_WINDOW_SIZE, options.windowBytes],
      ]),
    )
    this.#flush()
    readFrames(socket, (received) => {
      if (!this.#closed) this.#receive(received)
    })
    // After all frames of a chunk.
    socket.on('data', () => this.#flush())
  }

  tick(): void {
    this.#ticks++
    for (const [stream, { request, at }] of this.#waiting) {
      if (at === null || at > this.#ticks) continue
      this.#waiting.delete(stream)
      this.#write(answer(request, { end: true }))
    }
    if (this.#secondGoawayAt !== null && this.#ticks >= this.#secondGoawayAt) {
      this.#secondGoawayAt = null
      this.#part(this.#lastBegun, NO_ERROR)
    }
    this.#flush()
  }

  /** Takes nothing on it. */
  goAwayAtStart(): void {
    this.#part(0, NO_ERROR)
    this.#flush()
  }

  cut(): void {
    this.#closed = true
    this.#socket.destroy()
  }

  #receive(received: Frame): void {
    const { type, flags, id, payload } = received
    switch (type) {
      case SETTINGS:
        if ((flags & ACK) === 0) this.#write(frame(SETTINGS, ACK, 0))
        else this.#limitHolds = true
        break
      case PING:
        if ((flags & ACK) === 0) this.#write(frame(PING, ACK, 0, payload))
        break
      case RST_STREAM:
        this.#begun.delete(id)
        this.#waiting.delete(id)
        break
      case HEADERS:
        this.#begin(id)
        break
      case DATA:
        this.#read(received)
        break
      default:
        break
    }
  }

  #begin(stream: number): void {
    if (stream > this.#lastTaken) return
    if (stream <= this.#lastBegun) this.#options.onViolation(`stream ${stream} after ${this.#lastBegun}`)
    this.#lastBegun = stream
    const { maxStreams, windowBytes, onViolation } = this.#options
    this.#begun.set(stream, { stream, start: '', numbers: null, windowBytes })
    const open = this.#begun.size + this.#waiting.size
    if (this.#limitHolds && open > maxStreams) onViolation(`${open} streams, where ${maxStreams} are allowed`)
  }

  #read({ flags, id, payload }: Frame): void {
    this.#windowBytes -= payload.length
    if (this.#windowBytes < 0) this.#options.onViolation(`${-this.#windowBytes} bytes beyond the connection's window`)
    // Half of the window at a time, as servers do.
    if (this.#windowBytes < FIRST_WINDOW_BYTES / 2) {
      this.#write(windowFrame(0, FIRST_WINDOW_BYTES - this.#windowBytes))
      this.#windowBytes = FIRST_WINDOW_BYTES
    }
    const request = this.#begun.get(id)
    if (request === undefined) return
    request.windowBytes -= payload.length
    // Until the client has read our settings, it assumes another window.
    if (this.#limitHolds && request.windowBytes < 0)
      this.#options.onViolation(`bytes beyond the window of stream ${id}`)
    if (request.numbers === null) {
      request.start += payload.toString('latin1')
      request.numbers = numbersAtStart(request.start)
    }
    if ((flags & END_STREAM) !== 0) {
      this.#begun.delete(id)
      this.#complete(request)
    } else if (request.windowBytes < this.#options.windowBytes / 2) {
      this.#write(windowFrame(id, this.#options.windowBytes - request.windowBytes))
      request.windowBytes = this.#options.windowBytes
    }
  }

  #complete(request: Request): void {
    const { random, harmEvery, harms, onHarm } = this.#options
    if (random() * harmEvery >= 1) return this.#process(request)
    const harm = drawHarm(harms, random())
    onHarm(harm)
    this.#harm(harm, request)
  }

  #process(request: Request, at: number | null = this.#ticks + Math.ceil(this.#options.random() * MAX_TICKS)): void {
    const { numbers, stream } = request
    this.#lastProcessed = Math.max(this.#lastProcessed, stream)
    if (numbers === null) this.#options.onViolation(`a body without its number: ${JSON.stringify(request.start)}`)
    else this.#options.onProcessed(numbers.request, numbers.attempt)
    this.#waiting.set(stream, { request, at })
  }

  #harm(harm: Harm, request: Request): void {
    const { stream } = request
    switch (harm) {
      case 'refuse':
        return this.#write(resetFrame(stream, REFUSED_STREAM))
      case 'reset':
        this.#process(request)
        this.#waiting.delete(stream)
        return this.#write(resetFrame(stream, INTERNAL_ERROR))
      case 'break':
        this.#process(request)
        this.#waiting.delete(stream)
        this.#write(answer(request, { end: false }))
        return this.#write(resetFrame(stream, CANCEL))
      case 'cut':
        this.#process(request)
        return this.cut()
      case 'cut-unprocessed':
        return this.cut()
      case 'cut-in-frame': {
        this.#process(request)
        const whole = answer(request, { end: true })
        this.#write(whole.subarray(0, 1 + Math.floor(this.#options.random() * (whole.length - 1))))
        this.#flush()
        return this.#close()
      }
      case 'goaway':
        this.#process(request)
        return this.#part(this.#lastBegun, NO_ERROR)
      case 'goaway-tight':
        this.#process(request)
        return this.#part(this.#lastProcessed, NO_ERROR)
      case 'goaway-twice':
        this.#process(request)
        if (this.#lastTaken !== HIGHEST_STREAM || this.#secondGoawayAt !== null) return
        this.#write(goawayFrame(HIGHEST_STREAM, NO_ERROR))
        this.#secondGoawayAt = this.#ticks + SECOND_GOAWAY_TICKS
        return
      case 'fail':
        this.#process(request)
        this.#part(this.#lastProcessed, this.#failure())
        this.#flush()
        return this.#close()
      case 'fail-and-cut':
        this.#process(request)
        this.#part(this.#lastProcessed, this.#failure())
        this.#flush()
        return this.cut()
      case 'hang':
        return this.#process(request, null)
    }
  }

  #failure(): number {
    return pick(FAILURES, this.#options.random())
  }

  /** GOAWAY. Begun requests on streams above `last` are never processed. */
  #part(last: number, code: number): void {
    // It must not rise (RFC 9113, 6.8).
    this.#lastTaken = Math.min(last, this.#lastTaken)
    for (const stream of this.#begun.keys()) if (stream > this.#lastTaken) this.#begun.delete(stream)
    this.#write(goawayFrame(this.#lastTaken, code))
  }

  /** Takes no more; what was written still arrives. */
  #close(): void {
    this.#closed = true
    this.#socket.end()
  }

  #write(bytes: Buffer): void {
    this.#written.push(bytes)
  }

  #flush(): void {
    if (this.#written.length === 0 || this.#socket.destroyed) return
    this.#socket.write(this.#written.length === 1 ? (this.#written[0] as Buffer) : Buffer.concat(this.#written))
    this.#written = []
  }
}

/** Numbers of the request and the attempt; `null`: incomplete. */
function numbersAtStart(text: string): Request['numbers'] {
  const [, request, attempt] = /^(\d+)\/(\d+);/.exec(text) ?? []
  return request === undefined || attempt === undefined ? null : { request: Number(request), attempt: Number(attempt) }
}

function answer({ stream, numbers }: Request, { end }: { readonly end: boolean }): Buffer {
  const echo = numbers === null ? '' : `${numbers.request}/${numbers.attempt}`
  return headerFrames(stream, { ':status': '200', 'x-echo': echo }, { end })
}
