import { MAX_ANSWER_BYTES } from '../answer-body.ts'
import type { InFlight, Requested, RequestListener } from '../session.ts'
import { MAX_WINDOW_BYTES } from './frames.ts'
import { areTrailers, statusOf, valueOf } from './answer-fields.ts'
import type { HeaderField } from './header-table.ts'

/** What a stream makes of a frame: it goes on, its answer is whole, or it breaks the rules of HTTP (RFC 9113, 8.1.1). */
export type StreamStep = 'open' | 'answered' | 'cut short' | 'malformed' | 'wrong length'

/** What gives a stream up. */
interface Owner {
  cancel(stream: Stream): boolean
}

/**
 * One request and its answer (RFC 9113, 5.1 and 8.1).
 *
 * waiting → (1xx)* → headers → data* → (trailers) → answered. Any → malformed, for what has no place there.
 */
export class Stream implements InFlight {
  readonly id: number
  readonly listener: RequestListener
  readonly #owner: Owner
  /** Bytes of the connection that were written before its first frame. */
  readonly startsAt: number
  #sendWindow: number
  #unsent: Buffer | null = null
  #receivedBytes = 0
  #status = 0
  #fields: readonly HeaderField[] = NO_FIELDS
  #contentLength = -1
  #bodyBytes = 0
  #pieces: Buffer[] | null = null

  constructor(id: number, listener: RequestListener, owner: Owner, startsAt: number, sendWindow: number) {
    this.id = id
    this.listener = listener
    this.#owner = owner
    this.startsAt = startsAt
    this.#sendWindow = sendWindow
  }

  /** Bytes of its body that the peer has room for; below 0 after SETTINGS that lower it. */
  get sendWindow(): number {
    return this.#sendWindow
  }

  /** Bytes of the body that are still to be written. */
  get unsentBytes(): number {
    return this.#unsent === null ? 0 : this.#unsent.length
  }

  /** The body has to wait until the peer has room for it. */
  holdBack(body: Buffer): void {
    this.#unsent = body
  }

  /** Takes `bytes` of what is held back, to be written. */
  takeBody(bytes: number): Buffer {
    const body = this.#unsent ?? NOTHING
    this.#unsent = bytes === body.length ? null : body.subarray(bytes)
    this.sent(bytes)
    return body.subarray(0, bytes)
  }

  /** Counts what was written of its body: the peer may give back as much, and no more (RFC 9113, 6.9.1). */
  sent(bytes: number): void {
    this.#sendWindow -= bytes
  }

  /** The peer has room for `bytes` more; whether that is a window that may be (RFC 9113, 6.9.1). */
  widen(bytes: number): boolean {
    this.#sendWindow += bytes
    return this.#sendWindow <= MAX_WINDOW_BYTES
  }

  /** Counts a DATA frame, padding included; whether we have let the peer send as much. */
  admits(bytes: number, windowBytes: number): boolean {
    this.#receivedBytes += bytes
    return this.#receivedBytes <= windowBytes
  }

  /** Whether its answer has begun. */
  get hasBegun(): boolean {
    return this.#status !== 0
  }

  cancel(): boolean {
    return this.#owner.cancel(this)
  }

  headers(fields: readonly HeaderField[], isEnd: boolean): StreamStep {
    if (this.#status !== 0) return isEnd && areTrailers(fields) ? this.#end() : 'malformed'
    const status = statusOf(fields)
    if (status === null) return 'malformed'
    // 8.1: any number of them may come before the answer. 101 has no place in HTTP/2 (8.6).
    if (status < 200) return isEnd || status === 101 ? 'malformed' : 'open'
    this.#status = status
    this.#fields = fields
    // RFC 9110, 8.6: with 304 it is the length that another answer would have.
    const length = status === 304 ? null : valueOf(fields, 'content-length')
    if (length !== null) this.#contentLength = /^\d{1,15}$/.test(length) ? Number(length) : -1
    return isEnd ? this.#end() : 'open'
  }

  /** The piece is copied. */
  data(bytes: Buffer, start: number, end: number, isEnd: boolean): StreamStep {
    if (this.#status === 0) return 'malformed'
    const room = MAX_ANSWER_BYTES - this.#bodyBytes
    this.#bodyBytes += end - start
    if (end > start && room > 0) {
      const piece = Buffer.from(bytes.subarray(start, Math.min(end, start + room)))
      if (this.#pieces === null) this.#pieces = [piece]
      else this.#pieces.push(piece)
    }
    if (this.#contentLength >= 0 && this.#bodyBytes > this.#contentLength) return 'wrong length'
    if (isEnd) return this.#end()
    return this.#bodyBytes > MAX_ANSWER_BYTES ? 'cut short' : 'open'
  }

  /** Once it is answered, or cut short. */
  answer(): Requested {
    return new Answer(this.#status, this.#fields, this.#pieces)
  }

  #end(): StreamStep {
    const isWhole = this.#contentLength < 0 || this.#contentLength === this.#bodyBytes
    return isWhole ? 'answered' : 'wrong length'
  }
}

const NOTHING = Buffer.alloc(0)
const NO_FIELDS: readonly HeaderField[] = []

class Answer {
  readonly kind = 'answer'
  readonly status: number
  readonly body: string
  readonly #fields: readonly HeaderField[]

  constructor(status: number, fields: readonly HeaderField[], pieces: readonly Buffer[] | null) {
    this.status = status
    this.#fields = fields
    this.body = pieces === null ? '' : Buffer.concat(pieces).toString()
  }

  header(name: string): string | null {
    return valueOf(this.#fields, name)
  }
}
