/** RFC 7541, appendix B: the length in bits of the code of each byte, by its value; 256 is EOS. */
const LENGTHS: readonly number[] = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6,
  5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23,
  22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22,
  23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26,
  20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27,
  27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27,
  27, 27, 27, 26, 30,
]

/** Each code as ones and zeros. The code is canonical: shorter codes first, and codes of one length in order of bytes. */
const CODES: readonly string[] = (() => {
  const codes: string[] = []
  let code = 0
  for (let length = 1; length <= 30; length++) {
    code *= 2
    for (const [symbol, bits] of LENGTHS.entries()) {
      if (bits === length) codes[symbol] = (code++).toString(2).padStart(length, '0')
    }
  }
  return codes
})()

export const EOS = 256

/** The codes of `symbols` one after the other, as ones and zeros. */
export function bitsOf(symbols: Iterable<number>): string {
  return Array.from(symbols, (symbol) => CODES[symbol] ?? '').join('')
}

/** Ones and zeros as bytes; the last byte is filled with `padding`, ones by default. */
export function packed(bits: string, padding = '1'): Buffer {
  const whole = bits.padEnd(Math.ceil(bits.length / 8) * 8, padding)
  return Buffer.from(whole.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [])
}
