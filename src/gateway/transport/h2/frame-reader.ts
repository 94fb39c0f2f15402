import { FRAME_HEAD_BYTES, MIN_MAX_FRAME_BYTES } from './frames.ts'

/** The payload, in `bytes` from `start` to `end`, must not be kept. Returns whether to continue. */
type OnFrame = (type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number) => boolean

export class FrameReader {
  readonly #onFrame: OnFrame
  /** Reused, since nearly every chunk ends within a frame. */
  #part: Buffer | null = null
  #partBytes = 0

  constructor(onFrame: OnFrame) {
    this.#onFrame = onFrame
  }

  /** `false`: a frame is too long (RFC 9113, 4.2), or `onFrame` stopped. */
  read(chunk: Buffer): boolean {
    let at = 0
    if (this.#part !== null && this.#partBytes > 0) {
      at = this.#complete(this.#part, chunk)
      if (at < 0) return at === WAITING
    }
    while (chunk.length - at >= FRAME_HEAD_BYTES) {
      const end = at + FRAME_HEAD_BYTES + lengthAt(chunk, at)
      if (end - at > MAX_FRAME_BYTES) return false
      if (end > chunk.length) break
      if (!this.#pass(chunk, at, end)) return false
      at = end
    }
    if (at < chunk.length) {
      this.#part ??= Buffer.allocUnsafeSlow(MAX_FRAME_BYTES)
      this.#partBytes = chunk.copy(this.#part, 0, at)
    }
    return true
  }

  /** Returns where `chunk` continues, `WAITING` or `STOPPED`. */
  #complete(part: Buffer, chunk: Buffer): number {
    let at = 0
    if (this.#partBytes < FRAME_HEAD_BYTES) {
      at = Math.min(FRAME_HEAD_BYTES - this.#partBytes, chunk.length)
      chunk.copy(part, this.#partBytes, 0, at)
      this.#partBytes += at
      if (this.#partBytes < FRAME_HEAD_BYTES) return WAITING
    }
    const bytes = FRAME_HEAD_BYTES + lengthAt(part, 0)
    if (bytes > MAX_FRAME_BYTES) return STOPPED
    const more = Math.min(bytes - this.#partBytes, chunk.length - at)
    chunk.copy(part, this.#partBytes, at, at + more)
    this.#partBytes += more
    if (this.#partBytes < bytes) return WAITING
    this.#partBytes = 0
    return this.#pass(part, 0, bytes) ? at + more : STOPPED
  }

  #pass(bytes: Buffer, at: number, end: number): boolean {
    const stream = bytes.readUInt32BE(at + 5) & 0x7fff_ffff
    return this.#onFrame(bytes[at + 3] ?? 0, bytes[at + 4] ?? 0, stream, bytes, at + FRAME_HEAD_BYTES, end)
  }
}

const MAX_FRAME_BYTES = FRAME_HEAD_BYTES + MIN_MAX_FRAME_BYTES
const WAITING = -1
const STOPPED = -2

function lengthAt(bytes: Buffer, at: number): number {
  return bytes.readUIntBE(at, 3)
}
