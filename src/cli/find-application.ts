import { createApplicationStore } from '../application/application-store.ts'
import type { Application } from '../application/application.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { problem } from '../failure.ts'
import { escapeControls } from '../text/escape-controls.ts'
import { suggestion } from '../text/nearest.ts'
import type { CommandOutcome } from './command.ts'

interface Where {
  readonly database: Database
  /** The data directory, to be named. */
  readonly data: string
  readonly clock: Clock
}

/** By id or name. */
export function findApplication(
  app: string,
  { database, data, clock }: Where,
): { readonly kind: 'found'; readonly application: Application } | Extract<CommandOutcome, { kind: 'problem' }> {
  const applications = createApplicationStore({ database, clock })
  const application = applications.find(app)
  if (application !== null) return { kind: 'found', application }
  const names = applications.list().map(({ name }) => name)
  const hint = suggestion(app, names)
  return problem(
    `There is no application "${escapeControls(app)}" in ${data}: bellhop app list shows those there are.${escapeControls(hint)}`,
  )
}
