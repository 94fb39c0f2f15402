import { isAdminName } from '../../admin/administrator.ts'
import { problem } from '../../failure.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { done, problems } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { BAD_NAME } from './admin-text.ts'
import { openAdministrators } from './open-administrators.ts'

export const run: RunCommand = async ({ words: [name = ''], flags }, context) => {
  if (!isAdminName(name)) return problems(BAD_NAME)
  const opened = openAdministrators(flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const token = database.transact(() => opened.tokens.add(name))
  if (token === null) return problem(`There is a token "${name}" already: bellhop admin revoke ends it.`)
  if (flags.has('json')) return done(jsonLine({ name, token }))
  return done(
    [
      `The token "${escapeControls(name)}":`,
      '',
      `  ${token}`,
      '',
      'It is shown this once, and may do all that an administrator may: Authorization: Bearer TOKEN.',
      '',
    ].join('\n'),
  )
}
