/**
 * Text of others, such as a tag or an alias, so that it can do nothing to a terminal: control characters, invisible
 * ones and those that turn the direction of writing are spelled out (`\x1b`, `\u202e`).
 */
export function escapeControls(text: string): string {
  return text.replaceAll(HARMFUL, spelled)
}

/** One line of JSON, as harmless: JSON itself escapes neither DEL nor C1, of which 0x9b begins a sequence. */
export function jsonLine(value: unknown): string {
  const json = JSON.stringify(value).replaceAll(HARMFUL, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4)}`).join(''),
  )
  return `${json}\n`
}

/** The zero-width joiner stays, of which emoji are made. */
const HARMFUL = /(?!\u200D)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

function spelled(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x100) return `\\x${hex(code, 2)}`
  return code < 0x1_0000 ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 1)}}`
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}
