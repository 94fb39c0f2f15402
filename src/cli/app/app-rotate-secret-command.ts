import { createApplicationStore } from '../../application/application-store.ts'
import { problem } from '../../failure.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { openApplication } from '../open-application.ts'
import { secretJson } from './app-text.ts'

export const run: RunCommand = async ({ words: [app = ''], flags }, context) => {
  const opened = openApplication(app, flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const { application } = opened
  const rotated = createApplicationStore({ database, clock: context.clock }).rotateSecret(application.id)
  if (rotated.kind === 'not-found') return problem(`There is no application "${app}" any more.`)
  if (flags.has('json')) return done(secretJson(application, rotated.secret))
  return done(
    [
      `"${escapeControls(application.name)}" has a new secret; the old one is worth nothing from now on.`,
      '',
      `  ${rotated.secret}`,
      '',
      'It is shown this once: keep it in your backend.',
      '',
    ].join('\n'),
  )
}
