import { STATUS_CODES } from 'node:http'
import { Duplex } from 'node:stream'
import { pick } from '../../../support/chance.ts'
import type { TransportAnswer } from '../../../../src/gateway/transport/transport.ts'
import { ByteStream } from './byte-stream.ts'
import type { Call } from './call.ts'
import { isSettled } from './climate.ts'
import type { PeerOptions } from './peer.ts'

/** `closes`: with its answer. `speaks twice`: adds an answer to no request. */
type Mishap = 'is cut' | 'ends' | 'closes' | 'closes idle' | 'stops reading' | 'speaks twice'

const MISHAPS: readonly Mishap[] = [
  'is cut',
  'is cut',
  'ends',
  'closes',
  'closes idle',
  'stops reading',
  'speaks twice',
]

interface Request {
  readonly call: Call
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

type Answer = TransportAnswer & { readonly kind: 'answer' }

/**
 * A push service on an HTTP/1.1 connection over simulated bytes. It answers as decided, has mishaps by weather, and
 * checks that the client waits for answers and sends what it was given.
 */
export class OlderPeer {
  readonly socket: OlderSocket
  readonly #options: PeerOptions
  readonly #up: ByteStream
  readonly #down: ByteStream
  readonly #mishap: Mishap
  #read = Buffer.alloc(0)
  #heard = 0
  #current: Request | null = null
  #isOver = false

  constructor(options: PeerOptions) {
    this.#options = options
    const { clock, random, climate } = options
    const shared = { clock, random, cut: climate.cut, maxDelayMs: climate.maxDelayMs }
    this.#mishap = pick(MISHAPS, random())
    this.#up = new ByteStream({ ...shared, onBytes: (bytes) => this.#onBytes(bytes) })
    this.#down = new ByteStream({ ...shared, onBytes: (bytes) => this.socket.receive(bytes) })
    this.socket = new OlderSocket(this.#up, () => {
      this.#down.close()
      this.#up.end(() => (this.#isOver = true))
    })
  }

  #onBytes(bytes: Buffer): void {
    if (this.#isOver) return
    this.#read = Buffer.concat([this.#read, bytes])
    const headEnd = this.#read.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const [line = '', ...fields] = this.#read.toString('latin1', 0, headEnd).split('\r\n')
    const headers = new Map(fields.map((field) => [field.split(':', 1)[0]?.toLowerCase() ?? '', valueOf(field)]))
    const end = headEnd + 4 + Number(headers.get('content-length'))
    if (this.#read.length < end) return
    const body = this.#read.subarray(headEnd + 4, end)
    this.#read = this.#read.subarray(end)
    const call = this.#options.callOf(line.split(' ')[1] ?? '')
    if (call === null) return this.#breach(`nobody has asked for ${line}`)
    if (this.#current !== null) return this.#breach('a request before the answer to the one before')
    this.#current = { call, headers, body }
    this.#heard++
    const { climate, weather, note } = this.#options
    const isBefallen = this.#heard === climate.mishapAfter && !isSettled(weather())
    if (isBefallen) note(`the connection ${this.#mishap}`)
    this.#complete(this.#current, isBefallen ? this.#mishap : null)
  }

  #complete({ call, headers, body }: Request, mishap: Mishap | null): void {
    this.#compare(call, headers, body)
    const { clock, random } = this.#options
    const decision = call.decide()
    const { answer, afterMs } = decision
    // HTTP/1.1 cannot say that a request was ignored.
    if (answer.kind === 'failed' && answer.sent === 'no') return this.#cut('ECONNRESET')
    if (mishap === 'is cut' && random() < 0.5) return this.#cut('ECONNRESET')
    call.act(decision)
    if (mishap === 'stops reading') {
      this.socket.stall()
      clock.after(random() * 40_000, () => this.socket.goOn())
    }
    clock.after(afterMs, () => {
      if (this.#isOver) return
      if (answer.kind === 'failed') {
        // For a deadline it never answers.
        if (answer.reason !== 'deadline') this.#cut('ECONNRESET')
        return
      }
      if (mishap === 'is cut') return this.#cut('ECONNRESET', this.#answerOf(call, answer, false))
      if (mishap === 'ends') return this.#cut(null)
      this.#answer(call, answer, mishap)
    })
  }

  #compare(call: Call, headers: ReadonlyMap<string, string>, body: Buffer): void {
    const { request } = call
    const wrong = call.wrongIn(headers)
    if (wrong !== null) this.#breach(wrong)
    if (!body.equals(Buffer.from(request.body as string))) this.#breach(`the body of call ${call.name} came otherwise`)
  }

  #answerOf(call: Call, answer: Answer, closes: boolean): Buffer {
    const { random } = this.#options
    const body = Buffer.from(answer.body)
    const isEmpty = answer.status === 204
    const isChunked = !isEmpty && random() < 0.3
    const chunk = body.length === 0 ? '' : `${body.length.toString(16)}\r\n${answer.body}\r\n`
    const head = [
      `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? 'Of its own'}`,
      ...Object.entries(call.headersOf(answer)).map(([name, value]) => `${name}: ${value}`),
      ...(closes ? ['Connection: close'] : random() < 0.3 ? ['Keep-Alive: timeout=5'] : []),
      ...(isEmpty ? [] : [isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`]),
    ]
    const early = random() < 0.05 ? 'HTTP/1.1 103 Early Hints\r\n\r\n' : ''
    return Buffer.from(
      `${early}${head.join('\r\n')}\r\n\r\n${isEmpty ? '' : isChunked ? `${chunk}0\r\n\r\n` : answer.body}`,
    )
  }

  #answer(call: Call, answer: Answer, mishap: Mishap | null): void {
    const { clock, random } = this.#options
    this.#current = null
    this.#down.send(this.#answerOf(call, answer, mishap === 'closes'))
    // The client may reject the first answer.
    if (mishap === 'speaks twice') this.#down.send(Buffer.from('HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n'))
    else call.answer(this.#down)
    if (mishap === 'closes') return this.#end(null)
    // A request that crosses the close is lost (RFC 9112, 9.5).
    if (mishap === 'closes idle') clock.after(random() * 5000, () => this.#end(null))
  }

  /** Sends a part of `whole` first. */
  #cut(code: string | null, whole: Buffer = Buffer.alloc(0)): void {
    this.#down.send(whole.subarray(0, Math.floor(this.#options.random() * whole.length)))
    this.#end(code)
  }

  #end(code: string | null): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#down.end(() => this.socket.lose(code))
    this.#up.close()
  }

  #breach(what: string): void {
    this.#options.fail('client-keeps-to-http', what)
  }
}

const valueOf = (field: string): string => field.slice(field.indexOf(':') + 1).trim()

/** The client's end: a TLS socket for node:http. */
export class OlderSocket extends Duplex {
  readonly #up: ByteStream
  readonly #onClosed: () => void
  #held: (() => void)[] = []

  constructor(up: ByteStream, onClosed: () => void) {
    super({ allowHalfOpen: false })
    this.#up = up
    this.#onClosed = onClosed
  }

  override _read(): void {
    // Bytes come by themselves.
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.#up.send(Buffer.from(bytes))
    if (this.#up.isPaused) this.#held.push(done)
    else setImmediate(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#onClosed()
    done(error)
  }

  receive(bytes: Buffer): void {
    if (!this.destroyed) this.push(Buffer.from(bytes))
  }

  /** The peer stops reading until `goOn`. */
  stall(): void {
    this.#up.pause()
  }

  goOn(): void {
    this.#up.resume()
    for (const done of this.#held.splice(0)) setImmediate(done)
  }

  /** The peer ended the connection. `code`: of an error; `null`: none. */
  lose(code: string | null): void {
    if (this.destroyed) return
    if (code === null) this.push(null)
    else this.destroy(Object.assign(new Error(code), { code }))
  }

  destroySoon(): void {
    this.end(() => this.destroy())
  }

  setKeepAlive(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }

  setTimeout(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}
