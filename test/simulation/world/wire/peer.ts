import type { Clock } from '../../../../src/clock.ts'
import { HpackDecoder } from '../../../../src/gateway/transport/h2/hpack-decoder.ts'
import type { TransportAnswer } from '../../../../src/gateway/transport/transport.ts'
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
} from '../../../support/frames.ts'
import type { Frame } from '../../../support/frames.ts'
import type { Invariant } from '../../judge/invariants.ts'
import { ByteStream } from './byte-stream.ts'
import type { Call } from './call.ts'
import { isSettled } from './climate.ts'
import type { Climate, Mishap } from './climate.ts'
import type { Weather } from '../answers.ts'
import { SimulatedSocket } from './simulated-socket.ts'

export interface PeerOptions {
  readonly clock: Clock
  readonly random: () => number
  readonly climate: Climate
  readonly weather: () => Weather
  readonly callOf: (path: string) => Call | null
  readonly fail: (invariant: Invariant, what: string) => void
  readonly note: (line: string) => void
}

interface Request {
  readonly id: number
  readonly call: Call
  readonly headers: ReadonlyMap<string, string>
  body: Buffer
  /** Room for its body, in bytes. */
  window: number
}

/** RFC 9113, 6.9.2. */
const CONNECTION_WINDOW_BYTES = 65_535

/** RFC 9113, 7. */
const [INTERNAL_ERROR, REFUSED_STREAM, CANCEL, ENHANCE_YOUR_CALM] = [2, 7, 8, 11] as const

const LAST_OF_ALL = 2 ** 31 - 1

/**
 * A gateway on an HTTP/2 connection over simulated bytes. It answers as decided, has mishaps by climate, and checks
 * that the client respects stream limits and windows and sends what it was given.
 */
export class Peer {
  readonly socket: SimulatedSocket
  readonly #deps: PeerOptions
  readonly #up: ByteStream
  readonly #down: ByteStream
  readonly #decoder = new HpackDecoder()
  readonly #requests = new Map<number, Request>()
  /** Announced limits, the one in force first. */
  #limits: number[] = [Number.POSITIVE_INFINITY]
  #window = CONNECTION_WINDOW_BYTES
  #lastId = 0
  /** Last stream of the GOAWAY, and its place in the bytes. */
  #parting: { readonly lastId: number; readonly offset: number } | null = null
  #lastActed = 0
  #heard = 0
  #isNarrow = false
  #isOver = false

  constructor(deps: PeerOptions) {
    this.#deps = deps
    const { clock, random, climate } = deps
    const shared = { clock, random, cut: climate.cut, maxDelayMs: climate.maxDelayMs }
    const onUp: ((bytes: Buffer) => void)[] = []
    this.#up = new ByteStream({ ...shared, onBytes: (bytes) => onUp.forEach((listener) => listener(bytes)) })
    this.#down = new ByteStream({ ...shared, onBytes: (bytes) => this.socket.receive(bytes) })
    this.socket = new SimulatedSocket(this.#up, () => {
      this.#down.close()
      this.#up.end(() => (this.#isOver = true))
    })
    readFrames({ on: (_, listener) => onUp.push(listener) }, (one) => {
      if (!this.#isOver) this.#onFrame(one)
    })
    this.#greet()
  }

  #greet(): void {
    const { climate, clock } = this.#deps
    const { maxStreams, later, windowBytes, tableBytes } = climate
    this.#settings([
      [1, tableBytes],
      [INITIAL_WINDOW_SIZE, windowBytes],
      ...(maxStreams === null ? [] : [[MAX_CONCURRENT_STREAMS, maxStreams] as const]),
    ])
    if (later !== null) clock.after(later.afterMs, () => this.#allow(later.maxStreams))
  }

  #allow(maxStreams: number): void {
    this.#settings([[MAX_CONCURRENT_STREAMS, maxStreams]])
  }

  #settings(settings: readonly (readonly [id: number, value: number])[]): void {
    const limit = settings.find(([id]) => id === MAX_CONCURRENT_STREAMS)?.[1]
    this.#limits.push(limit ?? this.#limits.at(-1) ?? Number.POSITIVE_INFINITY)
    this.#send(settingsFrame(settings))
  }

  #send(bytes: Buffer): void {
    if (!this.#isOver) this.#down.send(bytes)
  }

  #onFrame({ type, flags, id, payload }: Frame): void {
    switch (type) {
      case HEADERS:
        return this.#onHeaders(id, payload, (flags & END_STREAM) !== 0)
      case DATA:
        return this.#onData(id, payload, (flags & END_STREAM) !== 0)
      case RST_STREAM:
        return void this.#requests.delete(id)
      case SETTINGS:
        if ((flags & ACK) === 0) this.#send(frame(SETTINGS, ACK, 0))
        else this.#limits.shift()
        return
      case PING:
        if ((flags & ACK) === 0) this.#send(frame(PING, ACK, 0, payload))
    }
  }

  #onHeaders(id: number, block: Buffer, isEnd: boolean): void {
    const fields = this.#decoder.decode(block, 0, block.length)
    if (typeof fields === 'string') return this.#breach(`a header block is ${fields}`)
    if (id % 2 === 0 || id <= this.#lastId) return this.#breach(`stream ${id} comes after ${this.#lastId}`)
    this.#lastId = id
    const headers = new Map(fields.map(({ name, value }) => [name, value]))
    const call = this.#deps.callOf(headers.get(':path') ?? '')
    if (call === null) return this.#breach(`nobody has asked for ${headers.get(':path')}`)
    // The GOAWAY tells the client of requests sent before it was read.
    if (this.#parting !== null && id > this.#parting.lastId) return call.refuse(this.#down, this.#parting.offset)
    const most = Math.max(...this.#limits)
    if (this.#requests.size >= most) this.#breach(`a stream more than the ${most} allowed`)
    const request = { id, call, headers, body: NOTHING, window: this.#deps.climate.windowBytes }
    this.#requests.set(id, request)
    this.#heard++
    if (this.#heard === this.#deps.climate.mishapAfter && !isSettled(this.#deps.weather()))
      this.#befall(this.#deps.climate.mishap, request)
    if (isEnd && this.#requests.has(id)) this.#complete(request)
  }

  #onData(id: number, bytes: Buffer, isEnd: boolean): void {
    this.#window -= bytes.length
    if (this.#window < 0) this.#breach('more than the window of the connection')
    if (this.#window < CONNECTION_WINDOW_BYTES / 2) {
      this.#send(windowFrame(0, CONNECTION_WINDOW_BYTES - this.#window))
      this.#window = CONNECTION_WINDOW_BYTES
    }
    const request = this.#requests.get(id)
    if (request === undefined) return
    request.window -= bytes.length
    if (request.window < 0) this.#breach(`more than the window of stream ${id}`)
    request.body = Buffer.concat([request.body, bytes])
    if (isEnd) return this.#complete(request)
    if (request.window > 0) return
    const { clock, random } = this.#deps
    clock.after(random() * 10, () => {
      if (!this.#requests.has(id)) return
      const more = 1 + Math.floor(random() * 1000)
      request.window += more
      this.#send(windowFrame(id, more))
    })
  }

  #complete(request: Request): void {
    if (this.#isOver) return
    const { call, id } = request
    this.#compare(request)
    const decision = call.decide()
    const { answer, afterMs } = decision
    if (answer.kind === 'failed' && answer.sent === 'no') {
      // Streams above it could not count as unprocessed.
      if (answer.reason === 'HTTP2GoAway' && this.#lastActed < id) this.#part(this.#lastActed, 0)
      else this.#refuse(request)
      return
    }
    call.act(decision)
    this.#lastActed = Math.max(this.#lastActed, id)
    this.#deps.clock.after(afterMs, () => {
      if (this.#isOver || !this.#requests.has(id)) return
      if (answer.kind === 'answer') return this.#answer(request, answer)
      switch (answer.reason) {
        case 'ECONNRESET':
          return this.#cut('ECONNRESET')
        case 'HTTP2GoAway':
          return this.#goAway(ENHANCE_YOUR_CALM)
        case 'HTTP2StreamReset':
          return this.#reset(request, CANCEL)
      }
    })
  }

  #compare({ call, headers, body }: Request): void {
    const { request } = call
    const sent = Buffer.from(request.body as string)
    const wrong = call.wrongIn(headers)
    if (wrong !== null) this.#breach(wrong)
    if (!body.equals(sent) || headers.get('content-length') !== String(sent.length))
      this.#breach(`the body of call ${call.name} came as ${body.toString()}`)
  }

  #answer({ id, call }: Request, answer: TransportAnswer & { readonly kind: 'answer' }): void {
    const { random } = this.#deps
    const headers = { ':status': String(answer.status), ...call.headersOf(answer) }
    const body = Buffer.from(answer.body)
    const pieces = random() < 0.1 ? 1 + Math.floor(random() * 30) : undefined
    if (random() < 0.05) this.#send(headerFrames(id, { ':status': '103' }, { end: false }))
    this.#send(headerFrames(id, headers, { end: body.length === 0, pieces }))
    const half = random() < 0.2 ? Math.floor(random() * body.length) : 0
    if (half > 0) this.#send(frame(DATA, 0, id, body.subarray(0, half)))
    if (body.length > 0) this.#send(frame(DATA, END_STREAM, id, body.subarray(half)))
    this.#requests.delete(id)
    call.answer(this.#down)
    if (!this.#isNarrow || answer.status >= 300) return
    this.#isNarrow = false
    this.#allow(100)
  }

  #refuse({ id, call }: Request): void {
    this.#send(resetFrame(id, REFUSED_STREAM))
    this.#requests.delete(id)
    call.refuse(this.#down)
  }

  #reset({ id }: Request, code: number): void {
    this.#send(resetFrame(id, code))
    this.#requests.delete(id)
  }

  /** GOAWAY. Streams up to `lastId` are still answered. */
  #part(lastId: number, code: number, reason?: string): void {
    if (this.#parting !== null && lastId > this.#parting.lastId) return
    this.#send(goawayFrame(lastId, code, reason === undefined ? '' : JSON.stringify({ reason })))
    this.#parting = { lastId, offset: this.#down.sent }
    for (const request of this.#requests.values()) {
      if (request.id <= lastId) continue
      this.#requests.delete(request.id)
      request.call.refuse(this.#down)
    }
  }

  /** GOAWAY with an error, then the end. */
  #goAway(code: number): void {
    this.#part(this.#lastActed, code)
    this.#end(null)
  }

  /** Cuts the connection, perhaps inside a frame. */
  #cut(code: string | null): void {
    const { random } = this.#deps
    const last = frame(PING, 0, 0, Buffer.alloc(8))
    this.#send(last.subarray(0, Math.floor(random() * last.length)))
    this.#end(code)
  }

  #end(code: string | null): void {
    this.#isOver = true
    this.#down.end(() => this.socket.lose(code))
    this.#up.close()
  }

  #befall(mishap: Mishap, request: Request): void {
    const { clock, random, note } = this.#deps
    note(`the connection ${mishap}`)
    switch (mishap) {
      case 'parts':
        return this.#part(random() < 0.5 ? this.#lastActed : this.#lastId, 0)
      case 'parts with a word':
        return this.#part(this.#lastActed, 0, random() < 0.5 ? 'BadCertificate' : 'Shutdown')
      case 'parts in two steps':
        this.#part(LAST_OF_ALL, 0)
        return void clock.after(random() * 100, () => this.#part(this.#lastId, 0))
      case 'goes away with an error':
        return this.#goAway(INTERNAL_ERROR)
      case 'is cut':
        return void clock.after(random() * 40, () => this.#cut('ECONNRESET'))
      case 'ends':
        return void clock.after(random() * 40, () => this.#cut(null))
      case 'stops reading':
        // A ping makes the client write while it cannot.
        clock.after(random() * 1000, () => this.#send(frame(PING, 0, 0, Buffer.alloc(8))))
        this.socket.pause(random() < 0.5 ? 0 : Math.floor(random() * 2000))
        return void clock.after(random() < 0.6 ? random() * 3000 : random() * 40_000, () => this.socket.resume())
      case 'allows fewer streams':
        this.#allow(Math.floor(random() * 3))
        return void clock.after(random() * 3000, () => this.#allow(100))
      case 'allows one stream until one is taken':
        this.#isNarrow = true
        return this.#allow(1)
      case 'refuses a stream':
        return this.#refuse(request)
      case 'resets a stream':
        return this.#reset(request, CANCEL)
      case 'talks nonsense':
        this.#send(frame(DATA, END_STREAM, 0, Buffer.from('nonsense')))
        this.#isOver = true
    }
  }

  #breach(what: string): void {
    this.#deps.fail('client-keeps-to-http', what)
  }
}

const NOTHING = Buffer.alloc(0)
