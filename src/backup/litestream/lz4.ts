/** `checksum`: xxHash-32 of the content; `null`: the frame has none. */
interface Decoded {
  readonly kind: 'decoded'
  readonly bytes: number
  readonly checksum: number | null
}

/** `what` continues "the file …". */
interface Damaged {
  readonly kind: 'damaged'
  readonly what: string
}

const MAGIC = 0x18_4d_22_04
const VERSION = 0xc0
const VERSION_1 = 0x40
const INDEPENDENT = 0x20
const BLOCK_CHECKSUMS = 0x10
const CONTENT_SIZE = 0x08
const CONTENT_CHECKSUM = 0x04
const DICTIONARY = 0x01

/** The shortest match. */
const MIN_MATCH = 4

/**
 * Decodes one LZ4 frame (LZ4 Frame Format 1.6.4) as Litestream 0.3 writes them: independent blocks of up to 4 MiB.
 * `write` gets the content block by block, and must not keep it. Does not compare the checksum.
 */
export function decodeLz4(frame: Uint8Array, write: (content: Uint8Array) => void): Decoded | Damaged {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  const word = (at: number) => (at + 4 <= frame.length ? view.getUint32(at, true) : null)
  if (frame.length === 0) return damaged('is empty')
  if (word(0) !== MAGIC) return damaged('is not LZ4')
  const flags = frame[4] ?? 0
  if ((flags & (VERSION | INDEPENDENT | DICTIONARY)) !== (VERSION_1 | INDEPENDENT)) {
    return damaged('is LZ4 of a kind that Litestream 0.3 does not write')
  }
  const block = new Uint8Array(2 ** (8 + 2 * (((frame[5] ?? 0) >> 4) & 7)))
  let at = 7 + (flags & CONTENT_SIZE ? 8 : 0)
  let bytes = 0
  for (;;) {
    const size = word(at)
    if (size === null) return damaged('is cut off')
    at += 4
    if (size === 0) break
    const end = at + (size & 0x7f_ff_ff_ff)
    if (end > frame.length) return damaged('is cut off')
    const packed = frame.subarray(at, end)
    const content = size >>> 31 === 1 ? packed : block.subarray(0, decodeBlock(packed, block))
    if (content.length === 0) return damaged('has a block that does not decode')
    write(content)
    bytes += content.length
    at = end + (flags & BLOCK_CHECKSUMS ? 4 : 0)
  }
  const checksum = flags & CONTENT_CHECKSUM ? word(at) : null
  if (flags & CONTENT_CHECKSUM && checksum === null) return damaged('is cut off')
  return { kind: 'decoded', bytes, checksum }
}

/** LZ4 Block Format. Returns the bytes written into `to`; 0: damaged. */
function decodeBlock(from: Uint8Array, to: Uint8Array): number {
  let at = 0
  let written = 0
  const length = (nibble: number): number => {
    let sum = nibble
    if (nibble === 15) for (let more = 255; more === 255; sum += more) more = from[at++] ?? 0
    return sum
  }
  for (;;) {
    const token = from[at++] ?? 0
    const literals = length(token >> 4)
    if (at + literals > from.length || written + literals > to.length) return 0
    to.set(from.subarray(at, at + literals), written)
    at += literals
    written += literals
    // The last sequence has no match.
    if (at === from.length) return written
    const offset = (from[at] ?? 0) | ((from[at + 1] ?? 0) << 8)
    at += 2
    const match = length(token & 15) + MIN_MATCH
    if (offset === 0 || offset > written || written + match > to.length) return 0
    // A match may overlap its copy, and then repeats.
    if (offset >= match) to.copyWithin(written, written - offset, written - offset + match)
    else for (let n = 0; n < match; n++) to[written + n] = to[written + n - offset] ?? 0
    written += match
  }
}

function damaged(what: string): Damaged {
  return { kind: 'damaged', what }
}
