import { problem } from '../../failure.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { noAdministrator } from './admin-text.ts'
import { openAdministrators } from './open-administrators.ts'

export const run: RunCommand = async ({ words: [name = ''], flags }, context) => {
  const opened = openAdministrators(flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const { administrators } = opened
  const outcome = database.transact(() => {
    const found = administrators.find(name)
    if (found === null) return null
    if (administrators.list().length === 1 && !flags.has('yes')) return 'last'
    administrators.remove(name)
    return found
  })
  if (outcome === null) return noAdministrator(name, administrators.list())
  if (outcome === 'last') {
    return problem('That is the last administrator: the next start prints a link to become one. Add --yes to do so.')
  }
  return done(`"${escapeControls(outcome.name)}" is no administrator any more, and is signed out everywhere.\n`)
}
