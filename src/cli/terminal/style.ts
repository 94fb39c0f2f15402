import type { CommandContext } from '../command.ts'

export interface Style {
  /** `null`: a pipe or a file. */
  readonly columns: number | null
  readonly unicode: boolean
  /** Without `…` and `·` on an ASCII terminal. */
  readonly legible: (text: string) => string
  readonly paint: (colour: Colour, text: string) => string
}

export type Colour = keyof typeof CODES

/** SGR parameters (ECMA-48, 8.3.117). */
const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

export function styleOf({ env, terminal }: Pick<CommandContext, 'env' | 'terminal'>): Style {
  // no-color.org: any value but the empty one.
  const coloured = terminal !== null && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((name) => name !== undefined && name !== '')
  const unicode = terminal === null || (env['TERM'] !== 'dumb' && /utf-?8/i.test(locale ?? ''))
  return {
    columns: terminal?.columns ?? null,
    unicode,
    legible: (text) => (unicode ? text : text.replaceAll('…', '...').replaceAll(/[·—]/g, '-')),
    paint: (colour, text) => (coloured && text !== '' ? `\u001B[${CODES[colour]}m${text}\u001B[0m` : text),
  }
}
