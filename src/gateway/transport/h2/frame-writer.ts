import { Flag, FRAME_HEAD_BYTES, FrameType } from './frames.ts'

/** A first buffer; and the largest that is kept once it is sent. All requests of one turn usually fit into the latter. */
const FIRST_BYTES = 65_536
const MAX_SPARE_BYTES = 1_048_576

/** Frames that wait to be sent, in one buffer. */
export class FrameWriter {
  #buffer: Buffer = NOTHING
  #length = 0
  #taken = 0
  /** A buffer that was sent, for the next frames. */
  #spare: Buffer | null = null

  /** Bytes that wait. */
  get waiting(): number {
    return this.#length
  }

  /** Bytes written so far. */
  get written(): number {
    return this.#taken + this.#length
  }

  /** Bytes taken so far, to be sent. */
  get taken(): number {
    return this.#taken
  }

  /** All that waits; `null`: nothing. The buffer is the taker's, until it gives it back. */
  take(): Buffer | null {
    if (this.#length === 0) return null
    const bytes = this.#buffer.subarray(0, this.#length)
    this.#taken += this.#length
    this.#length = 0
    this.#buffer = this.#spare ?? NOTHING
    this.#spare = null
    return bytes
  }

  /** Forgets what waits. */
  discard(): void {
    this.#length = 0
  }

  /** What `take` gave is sent, and nobody reads it any more. */
  giveBack(bytes: Buffer): void {
    const { buffer } = bytes
    if (buffer.byteLength <= MAX_SPARE_BYTES && buffer.byteLength >= (this.#spare?.length ?? 0)) {
      this.#spare = Buffer.from(buffer)
    }
  }

  /** Makes room for `bytes` more in one piece; the caller writes from `at` on, and then says how many with `wrote`. */
  reserve(bytes: number): Buffer {
    const needed = this.#length + bytes
    if (needed > this.#buffer.length) {
      const larger = Buffer.from(new ArrayBuffer(Math.max(FIRST_BYTES, 2 ** Math.ceil(Math.log2(needed)))))
      this.#buffer.copy(larger, 0, 0, this.#length)
      this.#buffer = larger
    }
    return this.#buffer
  }

  /** Where the next byte goes. */
  get at(): number {
    return this.#length
  }

  wrote(end: number): void {
    this.#length = end
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length).set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** RFC 9113, 6.5. */
  settings(settings: readonly (readonly [id: number, value: number])[]): void {
    let at = this.#head(settings.length * 6, FrameType.settings, 0, 0)
    for (const [id, value] of settings) {
      at = this.#buffer.writeUInt16BE(id, at)
      at = this.#buffer.writeUInt32BE(value, at)
    }
    this.#length = at
  }

  settingsAck(): void {
    this.#length = this.#head(0, FrameType.settings, Flag.ack, 0)
  }

  /** RFC 9113, 6.7. `payload`: eight bytes. */
  ping(payload: Uint8Array, isAck: boolean): void {
    const at = this.#head(8, FrameType.ping, isAck ? Flag.ack : 0, 0)
    this.#buffer.set(payload, at)
    this.#length = at + 8
  }

  /** RFC 9113, 6.4. */
  resetStream(stream: number, code: number): void {
    this.#uint32Frame(FrameType.resetStream, stream, code)
  }

  /** RFC 9113, 6.8. A server opens no streams here, so that the last one is always 0. */
  goaway(code: number): void {
    const at = this.#head(8, FrameType.goaway, 0, 0)
    this.#buffer.writeUInt32BE(0, at)
    this.#length = this.#buffer.writeUInt32BE(code, at + 4)
  }

  /** RFC 9113, 6.9. `stream`: 0 is the connection. */
  windowUpdate(stream: number, bytes: number): void {
    this.#uint32Frame(FrameType.windowUpdate, stream, bytes)
  }

  /** RFC 9113, 6.1. */
  data(stream: number, bytes: Uint8Array, isEnd: boolean): void {
    const at = this.#head(bytes.length, FrameType.data, isEnd ? Flag.endStream : 0, stream)
    this.#buffer.set(bytes, at)
    this.#length = at + bytes.length
  }

  #uint32Frame(type: number, stream: number, value: number): void {
    // First the head: it may move what was written to a larger buffer.
    const at = this.#head(4, type, 0, stream)
    this.#length = this.#buffer.writeUInt32BE(value, at)
  }

  /** Where the payload begins. */
  #head(bytes: number, type: number, flags: number, stream: number): number {
    const buffer = this.reserve(FRAME_HEAD_BYTES + bytes)
    return writeFrameHead(buffer, this.#length, bytes, type, flags, stream)
  }
}

const NOTHING = Buffer.alloc(0)

/** Writes the head of a frame; where its payload begins. */
export function writeFrameHead(
  buffer: Buffer,
  at: number,
  bytes: number,
  type: number,
  flags: number,
  stream: number,
): number {
  buffer[at] = bytes >> 16
  buffer[at + 1] = bytes >> 8
  buffer[at + 2] = bytes
  buffer[at + 3] = type
  buffer[at + 4] = flags
  return buffer.writeUInt32BE(stream, at + 5)
}
