import { createApplicationStore } from '../../application/application-store.ts'
import type { Application } from '../../application/application.ts'
import { createUserKeyStore } from '../../application/user-key-store.ts'
import type { Database } from '../../database/database.ts'
import { problem } from '../../failure.ts'
import { done } from '../command.ts'
import type { CommandContext, RunCommand } from '../command.ts'
import { openApplication } from '../open-application.ts'
import { NO_KEY } from './app-text.ts'
import { limitsIn, limitsText } from './limit-flags.ts'

export const run: RunCommand = async ({ words: [app = ''], flags }, context) => {
  const limits = limitsIn(flags)
  const opened = openApplication(app, flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const { application } = opened
  if (Object.keys(limits).length === 0) return done(limitsText(application.limits))
  const changed = createApplicationStore({ database, clock: context.clock }).setLimits(application.id, limits)
  if (changed.kind === 'not-found') return problem(`There is no application "${app}" any more.`)
  const shown = limitsText(changed.application.limits)
  return done(flags.has('verify-users') ? shown + keyNote(database, context, application) : shown)
}

/** What is lacking where users are to be verified, if anything. */
function keyNote(database: Database, { clock }: CommandContext, application: Application): string {
  const userKeys = createUserKeyStore({ database, clock, key: NO_KEY })
  if (userKeys.summary(application) !== null) return ''
  return `\nIt has no user key yet, so nobody can be proven: bellhop app user-key ${application.id}\n`
}
