import { END_HEADERS, END_STREAM, HEAD_BYTES, HEADERS } from '../../../test/support/frames.ts'

/** `:status: 200` from the static table, and `apns-id` as a literal that is not indexed (RFC 7541, 6.1 and 6.2.2). */
const FIELDS = Buffer.from('\x88\x00\x07apns-id\x2400000000-0000-4000-8000-', 'latin1')
/** The end of the apns-id counts the answers. */
const DIGITS = 12
const ANSWER_BYTES = HEAD_BYTES + FIELDS.length + DIGITS

/** Frames on their way to one client: gathered, so that the answers to all requests of a chunk leave in one write. */
export class FrameWriter {
  #bytes = new Uint8Array(1 << 16)
  #length = 0
  #answers = 0

  /** `payload` of at most 255 bytes. */
  frame(type: number, flags: number, stream: number, payload: Uint8Array): void {
    this.#head(type, flags, stream, payload.length)
    this.#bytes.set(payload, this.#length)
    this.#length += payload.length
  }

  /** The answer of APNs to a notification that it takes: no content, and no content-length either. */
  accept(stream: number): void {
    this.#head(HEADERS, END_STREAM | END_HEADERS, stream, FIELDS.length + DIGITS)
    this.#bytes.set(FIELDS, this.#length)
    this.#length += FIELDS.length + DIGITS
    let rest = ++this.#answers
    for (let digit = 1; digit <= DIGITS; digit++) {
      this.#bytes[this.#length - digit] = 0x30 + (rest % 10)
      rest = Math.floor(rest / 10)
    }
  }

  /** Hands over what there is. `write` says how much of it was taken; the rest waits for the next time. */
  flush(write: (bytes: Uint8Array) => number): void {
    if (this.#length === 0) return
    const taken = Math.max(0, write(this.#bytes.subarray(0, this.#length)))
    this.#bytes.copyWithin(0, taken, this.#length)
    this.#length -= taken
  }

  #head(type: number, flags: number, stream: number, length: number): void {
    if (this.#length + ANSWER_BYTES + length > this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2)
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    const at = this.#length
    const bytes = this.#bytes
    bytes[at] = 0
    bytes[at + 1] = 0
    bytes[at + 2] = length
    bytes[at + 3] = type
    bytes[at + 4] = flags
    bytes[at + 5] = stream >>> 24
    bytes[at + 6] = stream >>> 16
    bytes[at + 7] = stream >>> 8
    bytes[at + 8] = stream
    this.#length += HEAD_BYTES
  }
}
