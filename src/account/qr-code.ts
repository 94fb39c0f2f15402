import { encode, renderUnicodeCompact } from 'uqr'

/** A QR code as the `d` of an SVG path, in units of one square, with the quiet zone that readers need. */
export interface QrCode {
  readonly path: string
  /** Width and height. */
  readonly size: number
}

/** Squares (ISO/IEC 18004, 9.1). */
const QUIET_ZONE = 4

export function qrCode(text: string): QrCode {
  const { data, size } = encode(text, { border: QUIET_ZONE })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return { path: squares.join(''), size }
}

/** For a terminal of any colours: light squares are drawn. */
export function qrText(text: string): string {
  return renderUnicodeCompact(text, { border: 2 })
}
