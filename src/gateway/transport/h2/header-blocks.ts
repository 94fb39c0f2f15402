import { ErrorCode, Flag } from './frames.ts'
import type { HeaderField } from './header-table.ts'
import { HpackDecoder, MAX_LIST_BYTES } from './hpack-decoder.ts'

/** In all its frames. More is an attack (CVE-2024-27316). */
const MAX_BLOCK_BYTES = 2 * MAX_LIST_BYTES

/** Returns the connection error. */
type OnBlock = (stream: number, isEnd: boolean, fields: readonly HeaderField[]) => number

/**
 * HEADERS and CONTINUATION (RFC 9113, 4.3). Blocks of closed streams are decoded too, since later ones depend on them.
 */
export class HeaderBlocks {
  readonly #onBlock: OnBlock
  readonly #decoder = new HpackDecoder()
  #part: { readonly stream: number; readonly isEnd: boolean; readonly bytes: Buffer } | null = null

  constructor(onBlock: OnBlock) {
    this.#onBlock = onBlock
  }

  /** The stream whose block must continue (RFC 9113, 6.10). */
  get openStream(): number | null {
    return this.#part === null ? null : this.#part.stream
  }

  /** HEADERS, its fragment in `bytes` from `start` to `end`. Returns an error code. */
  begin(flags: number, stream: number, bytes: Buffer, start: number, end: number): number {
    const isEnd = (flags & Flag.endStream) !== 0
    if ((flags & Flag.endHeaders) !== 0) return this.#decode(stream, isEnd, bytes, start, end)
    this.#part = { stream, isEnd, bytes: Buffer.from(bytes.subarray(start, end)) }
    return ErrorCode.none
  }

  continue(flags: number, payload: Buffer): number {
    if (this.#part === null) return ErrorCode.protocol
    const { stream, isEnd } = this.#part
    if (this.#part.bytes.length + payload.length > MAX_BLOCK_BYTES) return ErrorCode.enhanceYourCalm
    const bytes = Buffer.concat([this.#part.bytes, payload])
    const isWhole = (flags & Flag.endHeaders) !== 0
    this.#part = isWhole ? null : { stream, isEnd, bytes }
    return isWhole ? this.#decode(stream, isEnd, bytes, 0, bytes.length) : ErrorCode.none
  }

  #decode(stream: number, isEnd: boolean, bytes: Buffer, start: number, end: number): number {
    const fields = this.#decoder.decode(bytes, start, end)
    if (fields === 'malformed') return ErrorCode.compression
    if (fields === 'too large') return ErrorCode.enhanceYourCalm
    return this.#onBlock(stream, isEnd, fields)
  }
}
