import type { TransportRequest } from '../transport.ts'
import type { FrameWriter } from './frame-writer.ts'
import { writeFrameHead } from './frame-writer.ts'
import { ErrorCode, Flag, FRAME_HEAD_BYTES, FrameType, INITIAL_WINDOW_BYTES, MAX_WINDOW_BYTES } from './frames.ts'
import { HpackEncoder, maxBlockBytes, writeBlock } from './hpack-encoder.ts'
import type { HpackOptions } from './hpack-encoder.ts'
import { INITIAL_SETTINGS } from './peer-settings.ts'
import type { PeerSettings } from './peer-settings.ts'
import type { Stream } from './stream.ts'

/** The headers at once, the body as the peer has room (RFC 9113, 5.2 and 6.9). */
export class RequestWriter {
  readonly #writer: FrameWriter
  readonly #encoder: HpackEncoder
  readonly #blocked = new Set<Stream>()
  #window = INITIAL_WINDOW_BYTES
  #maxFrameBytes = INITIAL_SETTINGS.maxFrameBytes

  constructor(writer: FrameWriter, authority: string, options: HpackOptions) {
    this.#writer = writer
    this.#encoder = new HpackEncoder(authority, options)
  }

  adapt({ headerTableBytes, maxFrameBytes }: PeerSettings): void {
    this.#encoder.resize(headerTableBytes)
    this.#maxFrameBytes = maxFrameBytes
  }

  forget(stream: Stream): void {
    this.#blocked.delete(stream)
  }

  /** Returns an error code. */
  widen(bytes: number): number {
    this.#window += bytes
    if (bytes === 0) return ErrorCode.protocol
    return this.#window > MAX_WINDOW_BYTES ? ErrorCode.flowControl : ErrorCode.none
  }

  write(stream: Stream, request: TransportRequest): void {
    const { body } = request
    const writer = this.#writer
    const bodyBytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    const isWhole = bodyBytes <= Math.min(stream.sendWindow, this.#window, this.#maxFrameBytes)
    const block = this.#encoder.prepare(request)
    const buffer = writer.reserve(2 * FRAME_HEAD_BYTES + maxBlockBytes(block, request) + (isWhole ? bodyBytes : 0))
    const from = writer.at
    let at = writeBlock(buffer, from + FRAME_HEAD_BYTES, block, request, bodyBytes)
    const flags = Flag.endHeaders | (bodyBytes === 0 ? Flag.endStream : 0)
    writeFrameHead(buffer, from, at - from - FRAME_HEAD_BYTES, FrameType.headers, flags, stream.id)
    if (isWhole && bodyBytes > 0) {
      at = writeFrameHead(buffer, at, bodyBytes, FrameType.data, Flag.endStream, stream.id)
      if (typeof body === 'string') buffer.write(body, at)
      else buffer.set(body, at)
      at += bodyBytes
      stream.sent(bodyBytes)
      this.#window -= bodyBytes
    }
    writer.wrote(at)
    if (isWhole) return
    stream.holdBack(
      typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.length),
    )
    this.#blocked.add(stream)
    this.writeBodies()
  }

  writeBodies(): void {
    for (const stream of this.#blocked) {
      for (;;) {
        const left = stream.unsentBytes
        const bytes = Math.min(left, stream.sendWindow, this.#window, this.#maxFrameBytes)
        if (bytes <= 0) break
        const flags = bytes === left ? Flag.endStream : 0
        this.#writer.frame(FrameType.data, flags, stream.id, stream.takeBody(bytes))
        this.#window -= bytes
      }
      if (stream.unsentBytes === 0) this.#blocked.delete(stream)
      if (this.#window <= 0) return
    }
  }
}
