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
  const shown = opened.tokens.list().map(({ name, purpose, createdAt, usedAt, expiresAt }) => ({
    name,
    purpose,
    createdAt: isoTime(createdAt),
    usedAt: isoOrNull(usedAt),
    expiresAt: isoOrNull(expiresAt),
  }))
  if (flags.has('json')) return done(jsonLine(shown))
  if (shown.length === 0) return done('There is no token: bellhop admin token NAME makes one.\n')
  const rows = shown.map(({ name, purpose, createdAt, usedAt, expiresAt }) => [
    escapeControls(name),
    purpose,
    createdAt,
    usedAt ?? 'never',
    expiresAt ?? 'never',
  ])
  return done(`${tableText([['NAME', 'PURPOSE', 'MADE', 'USED', 'ENDS'], ...rows]).join('\n')}\n`)
}
