import type { Piece, Split, Splitter } from './split.ts'

const QUOTE = 34
const BACKSLASH = 92
const COMMA = 44
const COLON = 58
const NEWLINE = 10
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125
const OPEN_LIST = 91
const CLOSE_LIST = 93

export interface JsonShape {
  /** Open containers: 0 one record after the other, 1 in a list or under keys, 2 in a list under a key. */
  readonly depth: number
  /** The key of the innermost container; `null`: any. */
  readonly under: string | null
}

/** Splits JSON of any size. Finds only the ends of values: a parser checks them. */
export function splitJson({ depth, under }: JsonShape): Split {
  return ({ offset, line: firstLine, stack: firstStack }) => {
    let rest: Uint8Array = new Uint8Array(0)
    let at = offset
    let line = firstLine
    let stack = firstStack
    let key: string | null = null

    function* pieces(bytes: Uint8Array, isEnd: boolean): Generator<Piece> {
      const buffer =
        rest.length === 0 ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) : Buffer.concat([rest, bytes])
      let position = 0
      while (position < buffer.length) {
        const byte = buffer[position] ?? 0
        if (byte === NEWLINE) line++
        if (byte <= 32 || byte === COMMA || byte === COLON || byte === 0xef || byte === 0xbb || byte === 0xbf) {
          position++
          continue
        }
        if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
          stack = stack.slice(0, -1)
          key = null
          position++
          continue
        }
        const isContainer = byte === OPEN_OBJECT || byte === OPEN_LIST
        const isWanted = stack.length === depth
        if (isContainer && !isWanted && (under === null || stack.length + 1 < depth || key === under)) {
          stack += byte === OPEN_OBJECT ? '{' : '['
          key = null
          position++
          continue
        }
        const value = valueEnd(buffer, position, isEnd)
        if (value === null) break
        const text = buffer.toString('utf8', position, value.end)
        if (byte === QUOTE && stack.endsWith('{') && key === null) key = nameOf(text)
        else {
          const begins = line
          line += value.lines
          if (isWanted) {
            yield { line: begins, text, key, broken: false, next: { offset: at + value.end, line, stack } }
          }
          key = null
        }
        position = value.end
      }
      at += position
      rest = buffer.subarray(position)
    }

    return {
      push: (bytes) => pieces(bytes, false),
      end: () => pieces(new Uint8Array(0), true),
      pending: () => rest.length + stack.length,
    } satisfies Splitter
  }
}

/** `null`: incomplete. */
function valueEnd(buffer: Buffer, start: number, isEnd: boolean): { end: number; lines: number } | null {
  const first = buffer[start]
  if (first === QUOTE) {
    const end = stringEnd(buffer, start)
    return end === -1 ? null : { end, lines: 0 }
  }
  let open = 0
  let lines = 0
  for (let at = start; at < buffer.length; at++) {
    const byte = buffer[at]
    if (byte === QUOTE) {
      at = stringEnd(buffer, at) - 1
      if (at < 0) return null
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) open++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (open === 0) return { end: at, lines }
      open--
      if (open === 0) return { end: at + 1, lines }
    } else if (byte === NEWLINE) {
      if (open === 0) return { end: at, lines }
      lines++
    } else if (open === 0 && (byte === COMMA || byte === 32)) return { end: at, lines }
  }
  return open === 0 && isEnd ? { end: buffer.length, lines } : null
}

/** The byte after the string; -1: incomplete. */
function stringEnd(buffer: Buffer, start: number): number {
  for (let from = start + 1; ;) {
    const quote = buffer.indexOf(QUOTE, from)
    if (quote === -1) return -1
    let slashes = 0
    while (buffer[quote - 1 - slashes] === BACKSLASH) slashes++
    if (slashes % 2 === 0) return quote + 1
    from = quote + 1
  }
}

function nameOf(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}
