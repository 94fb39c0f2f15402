import { createApplicationStore } from '../../application/application-store.ts'
import { problem } from '../../failure.ts'
import { duration } from '../../settings/setting-type.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { isoOrNull } from '../../text/format.ts'
import { done } from '../command.ts'
import type { RunOnApplication } from '../command.ts'
import { secretJson } from './app-text.ts'

export const run: RunOnApplication = async ({ words: [app = ''], flags }, { database, clock, application }) => {
  const overlapMs = duration(0).read(flags.get('overlap') ?? '') ?? 0
  const applications = createApplicationStore({ database, clock })
  const rotated = database.transact(() => applications.rotateSecret(application.id, overlapMs))
  if (rotated.kind === 'not-found') return problem(`There is no application "${app}" any more.`)
  const { secret, previousUntil } = rotated
  const until = isoOrNull(previousUntil)
  if (flags.has('json')) return done(secretJson(application, secret, overlapMs === 0 ? {} : { previousUntil: until }))
  const before = until === null ? 'the old one no longer works' : `the old one is valid until ${until}`
  return done(
    [
      `"${escapeControls(application.name)}" has a new secret; ${before}.`,
      '',
      `  ${secret}`,
      '',
      "Copy it to your backend now; you won't see it again.",
      '',
    ].join('\n'),
  )
}
