import { HEAD_BYTES, PING, PREFACE_BYTES } from '../../../test/support/frames.ts'

/** RFC 9113, 6.7: the only payload that is read, since it must be echoed. */
const PING_BYTES = 8

export interface FrameHead {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly length: number
  /** The payload of PING; undefined for other frames. */
  readonly ping: Uint8Array
}

/** Finds frame headers in an HTTP/2 client's bytes and skips payloads. Passes the same object every time. */
export class FrameReader {
  /** Bytes to skip before the next header. */
  #skip = PREFACE_BYTES
  /** Start of a header that a chunk has cut. */
  readonly #split = new Uint8Array(HEAD_BYTES + PING_BYTES)
  #splitLength = 0
  readonly #frame = { type: 0, flags: 0, stream: 0, length: 0, ping: new Uint8Array(PING_BYTES) }

  read(chunk: Uint8Array, onFrame: (head: FrameHead) => void): void {
    const split = this.#split
    let at = 0
    while (at < chunk.length) {
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, chunk.length - at)
        this.#skip -= step
        at += step
      } else if (this.#splitLength === 0 && chunk.length - at >= split.length) {
        this.#take(chunk, at)
        at += HEAD_BYTES
        onFrame(this.#frame)
      } else {
        split[this.#splitLength++] = chunk[at++] ?? 0
        const whole = split[3] === PING ? split.length : HEAD_BYTES
        if (this.#splitLength < whole) continue
        this.#splitLength = 0
        this.#take(split, 0)
        this.#skip -= whole - HEAD_BYTES
        onFrame(this.#frame)
      }
    }
  }

  #take(bytes: Uint8Array, at: number): void {
    const frame = this.#frame
    frame.length = (byte(bytes, at) << 16) | uint16(bytes, at + 1)
    frame.type = byte(bytes, at + 3)
    frame.flags = byte(bytes, at + 4)
    frame.stream = ((byte(bytes, at + 5) & 0x7f) << 24) | (byte(bytes, at + 6) << 16) | uint16(bytes, at + 7)
    if (frame.type === PING) frame.ping.set(bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + PING_BYTES))
    this.#skip = frame.length
  }
}

function uint16(bytes: Uint8Array, at: number): number {
  return (byte(bytes, at) << 8) | byte(bytes, at + 1)
}

function byte(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0
}
