import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { isoOrNull, isoTime } from '../../text/format.ts'
import { done } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { tableText } from '../terminal/table-text.ts'
import { openAdministrators } from './open-administrators.ts'

export const run: RunCommand = async ({ flags }, context) => {
  const opened = openAdministrators(flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  void database
  const shown = opened.tokens.list().map(({ name, createdAt, usedAt }) => ({
    name,
    createdAt: isoTime(createdAt),
    usedAt: isoOrNull(usedAt),
  }))
  if (flags.has('json')) return done(jsonLine(shown))
  if (shown.length === 0) return done('There is no token: bellhop admin token NAME makes one.\n')
  const rows = shown.map(({ name, createdAt, usedAt }) => [escapeControls(name), createdAt, usedAt ?? 'never'])
  return done(`${tableText([['NAME', 'MADE', 'USED'], ...rows]).join('\n')}\n`)
}
