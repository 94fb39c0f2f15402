import { isAdminName } from '../../admin/administrator.ts'
import { DEFAULT_PURPOSE, TOKEN_PURPOSES, tokenEnd } from '../../admin/token-purpose.ts'
import { problem } from '../../failure.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { isoOrNull, isoTime } from '../../text/format.ts'
import { done, problems } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { BAD_NAME, TOKENS_UNTIL } from './admin-text.ts'
import { openAdministrators } from './open-administrators.ts'
import { tokenLife } from './token-life.ts'

export const run: RunCommand = async ({ words: [name = ''], flags }, context) => {
  if (!isAdminName(name)) return problems(BAD_NAME)
  const purpose = TOKEN_PURPOSES.find((one) => one === flags.get('purpose')) ?? DEFAULT_PURPOSE
  const latest = context.env[TOKENS_UNTIL]
  const limit = latest === undefined ? null : Number(latest)
  const expiresAt = tokenEnd(context.clock.now(), tokenLife.read(flags.get('expires') ?? ''), limit)
  if (expiresAt === 'too-late') {
    return problem(`--expires must not be after the end of the token that makes it, ${isoOrNull(limit)}.`)
  }
  const opened = openAdministrators(flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const token = database.transact(() => opened.tokens.add(name, { purpose, expiresAt }))
  context.audit?.note({ purpose, expiresAt: isoOrNull(expiresAt) })
  if (token === null) return problem(`There is a token "${name}" already: bellhop admin revoke ends it.`)
  if (flags.has('json')) return done(jsonLine({ name, token, purpose, expiresAt: isoOrNull(expiresAt) }))
  return done(
    [
      `The token "${escapeControls(name)}" for ${purpose}, ${expiresAt === null ? 'without an end' : `until ${isoTime(expiresAt)}`}:`,
      '',
      `  ${token}`,
      '',
      'It is shown this once: Authorization: Bearer TOKEN.',
      '',
    ].join('\n'),
  )
}
