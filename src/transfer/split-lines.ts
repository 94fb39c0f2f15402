import type { Piece, Split, Splitter } from './split.ts'

const NEWLINE = 10
const QUOTE = 34

/** In a longer cell, a quotation mark is missing. */
const MAX_CELL_BYTES = 64 * 1024

/**
 * Skips empty lines. `quoted`: CSV records, whose quoted cells may contain line ends (RFC 4180). An unclosed cell
 * yields its first line with `broken`, and reading continues on the next line.
 */
export function splitLines({ quoted, separator = 44 }: { quoted: boolean; separator?: number }): Split {
  return ({ offset, line: firstLine }) => {
    let rest: Uint8Array = new Uint8Array(0)
    let at = offset
    let line = firstLine

    function* pieces(bytes: Uint8Array, isEnd: boolean): Generator<Piece> {
      const buffer =
        rest.length === 0 ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) : Buffer.concat([rest, bytes])
      let start = 0
      while (start < buffer.length) {
        const { end, lines, broken } = recordEnd(buffer, start, isEnd)
        if (end === -1) break
        const text = buffer.toString('utf8', start, end).trimEnd()
        const next = Math.min(end + 1, buffer.length)
        const begins = line
        line += lines
        start = next
        if (text !== '') yield { line: begins, text, key: null, broken, next: { offset: at + next, line, stack: '' } }
      }
      at += start
      rest = buffer.subarray(start)
    }

    /** -1: incomplete. */
    function recordEnd(buffer: Buffer, start: number, isEnd: boolean): { end: number; lines: number; broken: boolean } {
      const lineEnd = (from: number) => {
        const end = buffer.indexOf(NEWLINE, from)
        return end === -1 && isEnd ? buffer.length : end
      }
      const first = lineEnd(start)
      if (!quoted || first === -1) return { end: first, lines: 1, broken: false }
      let end = first
      for (let lines = 1, from = start, open = false; ; lines++) {
        open = isOpen(buffer, from, end, open, separator)
        if (!open) return { end, lines, broken: false }
        from = end + 1
        end = from >= buffer.length ? -1 : lineEnd(from)
        if (end === -1 && !isEnd && buffer.length - start < MAX_CELL_BYTES) return { end, lines, broken: false }
        if (end === -1 || end - start > MAX_CELL_BYTES) return { end: first, lines: 1, broken: true }
      }
    }

    return {
      push: (bytes) => pieces(bytes, false),
      end: () => pieces(new Uint8Array(0), true),
      pending: () => rest.length,
    } satisfies Splitter
  }
}

/** Whether a quoted cell is open at `end`; `open`: at `start`. */
function isOpen(buffer: Buffer, start: number, end: number, open: boolean, separator: number): boolean {
  for (let at = start; ;) {
    const quote = buffer.indexOf(QUOTE, at)
    if (quote === -1 || quote >= end) return open
    if (open) {
      // A doubled mark is a character.
      if (buffer[quote + 1] === QUOTE && quote + 1 < end) at = quote + 2
      else {
        open = false
        at = quote + 1
      }
    } else {
      open = quote === start || buffer[quote - 1] === separator
      at = quote + 1
    }
  }
}
