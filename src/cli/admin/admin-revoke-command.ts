import { problem } from '../../failure.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { suggestion } from '../../text/nearest.ts'
import { done } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { openAdministrators } from './open-administrators.ts'

export const run: RunCommand = async ({ words: [name = ''], flags }, context) => {
  const opened = openAdministrators(flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const { tokens } = opened
  const revoked = database.transact(() => tokens.revoke(name))
  if (revoked) return done(`The token "${escapeControls(name)}" is good for nothing any more.\n`)
  const names = tokens.list().map((one) => one.name)
  return problem(`There is no token "${name}": bellhop admin tokens lists them.${suggestion(name, names)}`)
}
