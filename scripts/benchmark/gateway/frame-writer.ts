import { HEAD_BYTES } from '../../../test/support/frames.ts'
import { NUMBER_DIGITS } from './accepting-answer.ts'
import type { AcceptingAnswer } from './accepting-answer.ts'

/** Offset of the stream in a frame header (RFC 9113, 4.1). */
const STREAM_AT = 5

/** Collects frames for one client, so that all answers to a chunk leave in one write. */
export class FrameWriter {
  readonly #answer: AcceptingAnswer
  #bytes = new Uint8Array(1 << 16)
  #length = 0
  #answers = 0

  constructor(answer: AcceptingAnswer) {
    this.#answer = answer
  }

  /** `payload`: at most 255 bytes. */
  frame(type: number, flags: number, stream: number, payload: Uint8Array): void {
    const at = this.#take(HEAD_BYTES + payload.length)
    const bytes = this.#bytes
    bytes.fill(0, at, at + 2)
    bytes[at + 2] = payload.length
    bytes[at + 3] = type
    bytes[at + 4] = flags
    this.#name(stream, at)
    bytes.set(payload, at + HEAD_BYTES)
  }

  /** An answer, numbered within its connection. */
  accept(stream: number): void {
    const { bytes: answer, frames, numberEnd } = this.#answer
    const at = this.#take(answer.length)
    this.#bytes.set(answer, at)
    for (const start of frames) this.#name(stream, at + start)
    let rest = ++this.#answers
    for (let digit = 1; digit <= NUMBER_DIGITS; digit++) {
      this.#bytes[at + numberEnd - digit] = 0x30 + (rest % 10)
      rest = Math.floor(rest / 10)
    }
  }

  /** `write` returns how many bytes it took; the rest waits for the next flush. */
  flush(write: (bytes: Uint8Array) => number): void {
    if (this.#length === 0) return
    const taken = Math.max(0, write(this.#bytes.subarray(0, this.#length)))
    this.#bytes.copyWithin(0, taken, this.#length)
    this.#length -= taken
  }

  /** Reserves bytes, fewer than the first buffer has; returns their offset. */
  #take(length: number): number {
    const at = this.#length
    if (at + length > this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2)
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#length += length
    return at
  }

  #name(stream: number, at: number): void {
    const bytes = this.#bytes
    bytes[at + STREAM_AT] = stream >>> 24
    bytes[at + STREAM_AT + 1] = stream >>> 16
    bytes[at + STREAM_AT + 2] = stream >>> 8
    bytes[at + STREAM_AT + 3] = stream
  }
}
