/**
 * Text of others, such as a tag or an alias, must not control a terminal: spells out control characters, invisible
 * ones, and those that change the writing direction (`\x1b`, `\u202e`).
 */
export function escapeControls(text: string): string {
  return text.replaceAll(HARMFUL, spelled)
}

/** JSON escapes neither DEL nor C1, and 0x9b begins a terminal sequence. */
export function jsonLine(value: unknown): string {
  const json = JSON.stringify(value).replaceAll(HARMFUL, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4)}`).join(''),
  )
  return `${json}\n`
}

/** Emoji need the zero-width joiner. */
const HARMFUL = /(?!\u200D)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

function spelled(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x100) return `\\x${hex(code, 2)}`
  return code < 0x1_0000 ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 1)}}`
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}
