import { MAX_NAME } from '../../admin/administrator.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { suggestion } from '../../text/nearest.ts'

/** A variable by which a server says until when a token may last that a command makes: ms since the Unix epoch. */
export const TOKENS_UNTIL = 'BELLHOP_TOKENS_UNTIL'

/** Of an administrator or a token: see `isAdminName`. */
export const BAD_NAME = `NAME must be 1 to ${MAX_NAME} characters, without control characters and without white space at an end.`

/** What became of an administrator, with the password where it was made here: it is shown this once. */
export function passwordText(
  what: string,
  name: string,
  { password, isMade }: { readonly password: string; readonly isMade: boolean },
  json: boolean,
): string {
  if (json) return jsonLine({ name, ...(isMade && { password }) })
  const lines = [`"${escapeControls(name)}" ${what}.`]
  if (isMade) lines.push('', `  ${password}`, '', 'The password is shown this once.')
  return [...lines, ''].join('\n')
}

export function noAdministrator(name: string, there: readonly { readonly name: string }[]): Problem {
  const names = there.map((one) => one.name)
  return problem(`There is no administrator "${name}": bellhop admin list shows who is.${suggestion(name, names)}`)
}
