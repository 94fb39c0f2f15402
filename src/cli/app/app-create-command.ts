import { createApplicationStore } from '../../application/application-store.ts'
import { problem } from '../../failure.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { done, problems } from '../command.ts'
import type { RunOnData } from '../command.ts'
import { dataFlagOf } from '../data-directory.ts'
import { indented, secretJson } from './app-text.ts'

/** Only this command creates a data directory: for others, a missing one is a misspelled --data. */
export const run: RunOnData = async ({ words: [name = ''], flags }, world) => {
  const created = createApplicationStore(world).create(name)
  if (created.kind === 'name-taken')
    return problem(`An application named "${name}" already exists: choose another name.`)
  if (created.kind === 'name-invalid') {
    return problems('NAME must be 1 to 100 characters, without control characters and without white space at an end.')
  }
  const { application, secret } = created
  world.audit?.about(application.id)
  world.audit?.note({ name: application.name })
  if (flags.has('json')) return done(secretJson(application, secret))
  const { id } = application
  const where = dataFlagOf(flags.get('data'))
  return done(
    [
      `Created the application "${escapeControls(application.name)}".`,
      '',
      ...indented([
        ['id', id],
        ['secret', secret],
      ]),
      '',
      "Copy the secret to your backend now; you won't see it again. Put the ID into the app.",
      'Next, choose where its pushes go:',
      `  bellhop app apns ${id} --key FILE.p8 --key-id K --team-id T --topic BUNDLE${where}`,
      `  bellhop app fcm ${id} --service-account FILE.json${where}`,
      'to browsers, which needs no account:',
      `  bellhop app webpush ${id} --subject mailto:YOU@EXAMPLE.COM${where}`,
      'or try it without any keys:',
      `  bellhop app simulate ${id}${where}`,
      '',
    ].join('\n'),
  )
}
