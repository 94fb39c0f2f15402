import { ErrorCode, Flag } from './frames.ts'
import type { HeaderField } from './header-table.ts'
import { HpackDecoder, MAX_LIST_BYTES } from './hpack-decoder.ts'

/** Of a header block before it is decoded, in all its frames together. One that is larger is an attack (CVE-2024-27316). */
const MAX_BLOCK_BYTES = 2 * MAX_LIST_BYTES

/** Takes a block; gives what is wrong with it for the connection. */
type OnBlock = (stream: number, isEnd: boolean, fields: readonly HeaderField[]) => number

/**
 * The header blocks that a peer sends: HEADERS, and CONTINUATION where one frame is not enough (RFC 9113, 4.3). Also those
 * of streams that are gone are decoded: what follows is encoded by what came before.
 */
export class HeaderBlocks {
  readonly #onBlock: OnBlock
  readonly #decoder = new HpackDecoder()
  /** A block whose CONTINUATION is still to come. */
  #part: { readonly stream: number; readonly isEnd: boolean; readonly bytes: Buffer } | null = null

  constructor(onBlock: OnBlock) {
    this.#onBlock = onBlock
  }

  /** The stream that must be continued before anything else comes (RFC 9113, 6.10); `null`: none. */
  get openStream(): number | null {
    return this.#part === null ? null : this.#part.stream
  }

  /** HEADERS, whose fragment is in `bytes` from `start` up to `end`. Gives an error code. */
  begin(flags: number, stream: number, bytes: Buffer, start: number, end: number): number {
    const isEnd = (flags & Flag.endStream) !== 0
    if ((flags & Flag.endHeaders) !== 0) return this.#decode(stream, isEnd, bytes, start, end)
    this.#part = { stream, isEnd, bytes: Buffer.from(bytes.subarray(start, end)) }
    return ErrorCode.none
  }

  /** CONTINUATION, with its payload. Gives an error code. */
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
