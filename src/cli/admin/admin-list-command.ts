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
  const shown = opened.administrators.list().map(({ name, createdAt, seenAt, hasSecondFactor }) => ({
    name,
    createdAt: isoTime(createdAt),
    seenAt: isoOrNull(seenAt),
    hasSecondFactor,
  }))
  if (flags.has('json')) return done(jsonLine(shown))
  if (shown.length === 0) return done('There is no administrator: bellhop admin link makes a link to become one.\n')
  const rows = shown.map(({ name, createdAt, seenAt, hasSecondFactor }) => [
    escapeControls(name),
    createdAt,
    seenAt ?? 'not signed in',
    hasSecondFactor ? 'on' : 'off',
  ])
  return done(`${tableText([['NAME', 'ADDED', 'SEEN', 'SECOND FACTOR'], ...rows]).join('\n')}\n`)
}
