import { FRAME_HEAD_BYTES, FrameType } from './frames.ts'

/** The first buffer, and the largest to reuse: a turn's requests usually fit. */
const FIRST_BYTES = 65_536
const MAX_SPARE_BYTES = 1_048_576

export class FrameWriter {
  #buffer: Buffer = NOTHING
  #length = 0
  #taken = 0
  #spare: Buffer | null = null

  get written(): number {
    return this.#taken + this.#length
  }

  get taken(): number {
    return this.#taken
  }

  /** To be given back once sent. */
  take(): Buffer | null {
    if (this.#length === 0) return null
    const bytes = this.#buffer.subarray(0, this.#length)
    this.#taken += this.#length
    this.#length = 0
    this.#buffer = this.#spare ?? NOTHING
    this.#spare = null
    return bytes
  }

  discard(): void {
    this.#length = 0
  }

  /** Nobody reads `bytes` any more. */
  giveBack(bytes: Buffer): void {
    const { buffer } = bytes
    if (buffer.byteLength <= MAX_SPARE_BYTES && buffer.byteLength >= (this.#spare?.length ?? 0)) {
      this.#spare = Buffer.from(buffer)
    }
  }

  /** Makes room. The caller writes from `at` on, then calls `wrote`. */
  reserve(bytes: number): Buffer {
    const needed = this.#length + bytes
    if (needed > this.#buffer.length) {
      const larger = Buffer.from(new ArrayBuffer(Math.max(FIRST_BYTES, 2 ** Math.ceil(Math.log2(needed)))))
      this.#buffer.copy(larger, 0, 0, this.#length)
      this.#buffer = larger
    }
    return this.#buffer
  }

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

  settings(settings: readonly (readonly [id: number, value: number])[]): void {
    let at = this.#head(settings.length * 6, FrameType.settings, 0, 0)
    for (const [id, value] of settings) {
      at = this.#buffer.writeUInt16BE(id, at)
      at = this.#buffer.writeUInt32BE(value, at)
    }
    this.#length = at
  }

  frame(type: number, flags: number, stream: number, payload: Uint8Array): void {
    const at = this.#head(payload.length, type, flags, stream)
    this.#buffer.set(payload, at)
    this.#length = at + payload.length
  }

  resetStream(stream: number, code: number): void {
    this.#uint32Frame(FrameType.resetStream, stream, code)
  }

  goaway(code: number, lastId = 0, debugData = NOTHING): void {
    let at = this.#head(8 + debugData.length, FrameType.goaway, 0, 0)
    at = this.#buffer.writeUInt32BE(lastId, at)
    at = this.#buffer.writeUInt32BE(code, at)
    this.#buffer.set(debugData, at)
    this.#length = at + debugData.length
  }

  /** RFC 9113, 6.9. `stream` 0: the connection. */
  windowUpdate(stream: number, bytes: number): void {
    this.#uint32Frame(FrameType.windowUpdate, stream, bytes)
  }

  #uint32Frame(type: number, stream: number, value: number): void {
    // The head first: it may move the frames to a larger buffer.
    const at = this.#head(4, type, 0, stream)
    this.#length = this.#buffer.writeUInt32BE(value, at)
  }

  #head(bytes: number, type: number, flags: number, stream: number): number {
    const buffer = this.reserve(FRAME_HEAD_BYTES + bytes)
    return writeFrameHead(buffer, this.#length, bytes, type, flags, stream)
  }
}

const NOTHING = Buffer.alloc(0)

/** Returns where the payload begins. */
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
