import { encode, renderUnicodeCompact } from 'uqr'

/** The `d` of an SVG path, one unit per square, with a quiet zone. */
export interface QrCode {
  readonly path: string
  readonly size: number
}

/** Squares (ISO/IEC 18004, 9.1). */
const QUIET_ZONE = 4

export function qrCode(text: string): QrCode {
  const { data, size } = encode(text, { border: QUIET_ZONE })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return { path: squares.join(''), size }
}

/** For a terminal of any colours: draws the light squares. */
export function qrText(text: string): string {
  return renderUnicodeCompact(text, { border: 2 })
}
