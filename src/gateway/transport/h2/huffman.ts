/*
 * HPACK's Huffman code (RFC 7541, 5.2 and appendix B), decoding only: copying a few more bytes of a prepared block
 * costs less than compressing each path.
 */

/** By code length in bits. Codes of one length count up. */
const SYMBOLS: readonly (readonly [bits: number, symbols: readonly number[]])[] = [
  [5, latin1('012aceiost')],
  [6, latin1(' %-./3456789=A_bdfghlmnpru')],
  [7, latin1(':BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz')],
  [8, latin1('&*,;XZ')],
  [10, latin1('!"()?')],
  [11, latin1("'+|")],
  [12, latin1('#>')],
  [13, [0, ...latin1('$@[]~')]],
  [14, latin1('^}')],
  [15, latin1('<`{')],
  [19, [92, 195, 208]],
  [20, [128, 130, 131, 162, 184, 194, 224, 226]],
  [21, [153, 161, 167, 172, 176, 177, 179, 209, 216, 217, 227, 229, 230]],
  [
    22,
    latin1('\x81\x84\x85\x86\x88\x92\x9a\x9c\xa0\xa3\xa4\xa9\xaa\xad\xb2\xb5\xb9\xba\xbb\xbd\xbe\xc4\xc6\xe4\xe8\xe9'),
  ],
  [
    23,
    latin1(
      '\x01\x87\x89\x8a\x8b\x8c\x8d\x8f\x93\x95\x96\x97\x98\x9b\x9d\x9e\xa5\xa6\xa8\xae\xaf\xb4\xb6\xb7\xbc\xbf\xc5\xe7\xef',
    ),
  ],
  [24, latin1('\x09\x8e\x90\x91\x94\x9f\xab\xce\xd7\xe1\xec\xed')],
  [25, latin1('\xc7\xcf\xea\xeb')],
  [26, latin1('\xc0\xc1\xc8\xc9\xca\xcd\xd2\xd5\xda\xdb\xee\xf0\xf2\xf3\xff')],
  [27, latin1('\xcb\xcc\xd3\xd4\xd6\xdd\xde\xdf\xf1\xf4\xf5\xf6\xf7\xf8\xfa\xfb\xfc\xfd\xfe')],
  [
    28,
    latin1(
      '\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14\x15\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f\xdc\xf9',
    ),
  ],
  [30, [10, 13, 22, 256]],
]

/** Codes up to this length take one lookup: nearly all that gateways send. */
const QUICK_BITS = 8
const END_OF_STRING = 256

/** By the next eight bits: the symbol, and its code's length in the high byte; 0: a longer code. */
const QUICK = new Uint16Array(1 << QUICK_BITS)

/** Longer codes by length: the first code, and the symbols. */
const LONG: { readonly bits: number; readonly first: number; readonly symbols: readonly number[] }[] = []

let code = 0
let length = 0
for (const [bits, symbols] of SYMBOLS) {
  code <<= bits - length
  length = bits
  if (bits > QUICK_BITS) LONG.push({ bits, first: code, symbols })
  else {
    const spare = QUICK_BITS - bits
    for (const [n, symbol] of symbols.entries()) {
      QUICK.fill((bits << 8) | symbol, (code + n) << spare, (code + n + 1) << spare)
    }
  }
  code += symbols.length
}

/** A string is at most 8/5 as long as its code, and blocks are limited. */
let decoded = Buffer.allocUnsafe(4096)

/** `null`: malformed. */
export function decodeHuffman(source: Uint8Array, start: number, end: number): string | null {
  const longest = ((end - start) * 8) / 5
  if (decoded.length < longest) decoded = Buffer.allocUnsafe(longest * 2)
  let written = 0
  let at = start
  /** Bits not decoded yet: the lowest `have`. */
  let bits = 0
  let have = 0
  for (;;) {
    while (have < QUICK_BITS && at < end) {
      bits = ((bits << 8) | (source[at++] ?? 0)) & 0xffff
      have += 8
    }
    if (have < QUICK_BITS) break
    const quick = QUICK[(bits >> (have - QUICK_BITS)) & 0xff] ?? 0
    if (quick === 0) {
      const long = decodeLong(source, at * 8 - have, end * 8)
      if (long === null) return isPadding(source, at * 8 - have, end * 8) ? text(written) : null
      decoded[written++] = long.symbol
      at = long.at >> 3
      have = 0
      if ((long.at & 7) !== 0) {
        bits = source[at++] ?? 0
        have = 8 - (long.at & 7)
      }
    } else {
      decoded[written++] = quick & 0xff
      have -= quick >> 8
    }
  }
  // A short code may come before the padding.
  while (have > 0) {
    const quick = QUICK[((bits << (QUICK_BITS - have)) | (0xff >> have)) & 0xff] ?? 0
    const used = quick >> 8
    if (quick === 0 || used > have) break
    decoded[written++] = quick & 0xff
    have -= used
  }
  return isPadding(source, at * 8 - have, end * 8) ? text(written) : null

  function text(bytes: number): string {
    return decoded.toString('latin1', 0, bytes)
  }
}

/** A code of more than eight bits. Positions in bits; `null`: none before `end`. */
function decodeLong(
  source: Uint8Array,
  from: number,
  end: number,
): { readonly symbol: number; readonly at: number } | null {
  let code = 0
  let at = from
  for (const { bits, first, symbols } of LONG) {
    if (from + bits > end) return null
    for (; at < from + bits; at++) code = (code << 1) | (((source[at >> 3] ?? 0) >> (7 - (at & 7))) & 1)
    const symbol = symbols[code - first]
    // "MUST be treated as a decoding error".
    if (symbol === END_OF_STRING) return null
    if (symbol !== undefined) return { symbol, at }
  }
  return null
}

/** "A padding strictly longer than 7 bits", or not all ones, is an error. */
function isPadding(source: Uint8Array, from: number, end: number): boolean {
  const bits = end - from
  return bits === 0 || (bits < 8 && ((source[from >> 3] ?? 0) & ((1 << bits) - 1)) === (1 << bits) - 1)
}

function latin1(text: string): readonly number[] {
  return [...Buffer.from(text, 'latin1')]
}
