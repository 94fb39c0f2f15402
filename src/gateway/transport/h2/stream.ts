import { MAX_ANSWER_BYTES } from '../transport.ts'
import type { InFlight, Requested, RequestListener } from '../session.ts'
import { MAX_WINDOW_BYTES } from './frames.ts'
import type { HeaderField } from './header-table.ts'

/** The last two break the rules of HTTP (RFC 9113, 8.1.1). */
export type StreamStep = 'open' | 'answered' | 'too long' | 'malformed' | 'wrong length'

interface Owner {
  cancel(stream: Stream): boolean
}

/**
 * One request and its answer (RFC 9113, 5.1 and 8.1).
 *
 * waiting → (1xx)* → headers → data* → (trailers) → answered. Any → malformed.
 */
export class Stream implements InFlight {
  readonly id: number
  readonly listener: RequestListener
  readonly #owner: Owner
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

  /** Below 0 after SETTINGS lowered it. */
  get sendWindow(): number {
    return this.#sendWindow
  }

  get unsentBytes(): number {
    return this.#unsent === null ? 0 : this.#unsent.length
  }

  holdBack(body: Buffer): void {
    this.#unsent = body
  }

  takeBody(bytes: number): Buffer {
    const body = this.#unsent ?? NOTHING
    this.#unsent = bytes === body.length ? null : body.subarray(bytes)
    this.sent(bytes)
    return body.subarray(0, bytes)
  }

  /** The peer may give back as many bytes (RFC 9113, 6.9.1). */
  sent(bytes: number): void {
    this.#sendWindow -= bytes
  }

  /** Returns whether the window is legal (RFC 9113, 6.9.1). */
  widen(bytes: number): boolean {
    this.#sendWindow += bytes
    return this.#sendWindow <= MAX_WINDOW_BYTES
  }

  /** A DATA frame with its padding. Returns whether the peer was allowed to send it. */
  admits(bytes: number, windowBytes: number): boolean {
    this.#receivedBytes += bytes
    return this.#receivedBytes <= windowBytes
  }

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
    // 8.1: any number may come first. HTTP/2 has no 101 (8.6).
    if (status < 200) return isEnd || status === 101 ? 'malformed' : 'open'
    this.#status = status
    this.#fields = fields
    // RFC 9110, 8.6: a 304 has another answer's length.
    const length = status === 304 ? null : valueOf(fields, 'content-length')
    if (length !== null) this.#contentLength = /^\d{1,15}$/.test(length) ? Number(length) : -1
    return isEnd ? this.#end() : 'open'
  }

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
    return this.#bodyBytes > MAX_ANSWER_BYTES ? 'too long' : 'open'
  }

  /** Only after `answered` or `too long`. */
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

/** `null`: malformed (RFC 9113, 8.2 and 8.3.2). */
function statusOf(fields: readonly HeaderField[]): number | null {
  const first = fields[0]
  if (first === undefined || first.name !== ':status' || !/^[1-9]\d\d$/.test(first.value)) return null
  // The only pseudo-header field of an answer comes first.
  for (let n = 1; n < fields.length; n++) if (!isRegular(fields[n])) return null
  return Number(first.value)
}

/** 8.1: "Trailers MUST NOT include pseudo-header fields". */
function areTrailers(fields: readonly HeaderField[]): boolean {
  return fields.every(isRegular)
}

/** Fields of one name are a list (RFC 9110, 5.3). */
function valueOf(fields: readonly HeaderField[], name: string): string | null {
  let value: string | null = null
  for (const field of fields) if (field.name === name) value = value === null ? field.value : `${value}, ${field.value}`
  return value
}

/** 8.2.1: forbidden in names (such as capitals and colons), and in or around values. */
const NO_NAME = /[^\x21-\x39\x3b-\x40\x5b-\x7e]|^$/
const NO_VALUE = /[\0\n\r]|^[ \t]|[ \t]$/

/** 8.2.2: connection-specific fields make a message malformed. */
const CONNECTION_SPECIFIC: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])

function isRegular(field: HeaderField | undefined): boolean {
  return (
    field !== undefined &&
    !NO_NAME.test(field.name) &&
    !NO_VALUE.test(field.value) &&
    !CONNECTION_SPECIFIC.has(field.name)
  )
}
