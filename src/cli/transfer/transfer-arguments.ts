import { createApplicationStore } from '../../application/application-store.ts'
import type { Application } from '../../application/application.ts'
import type { Database } from '../../database/database.ts'
import { problem } from '../../failure.ts'
import { problems } from '../command.ts'
import type { ParsedArguments, CommandOutcome, CommandContext } from '../command.ts'

/** `export APP FILE`, and `export --app APP FILE`. `file`: `null` where none stands. */
export function readTransferArguments(
  command: 'export' | 'import',
  { words, flags }: ParsedArguments,
): { readonly kind: 'words'; readonly app: string; readonly file: string | null } | CommandOutcome {
  const named = flags.get('app')
  const [app, file = null, surplus] = named === undefined ? words : [named, ...words]
  if (app === undefined) return problems(`${command} needs APP.`)
  if (surplus !== undefined) return problems(`"${surplus}" is too much: with --app, ${command} takes only FILE.`)
  return { kind: 'words', app, file }
}

/** The application with this id or name. */
export function applicationIn(
  database: Database,
  app: string,
  data: string,
  clock: CommandContext['clock'],
): { readonly kind: 'application'; readonly application: Application } | CommandOutcome {
  const application = createApplicationStore({ database, clock }).find(app)
  if (application !== null) return { kind: 'application', application }
  return problem(`There is no application "${app}" in ${data}: bellhop app list shows those there are.`)
}
