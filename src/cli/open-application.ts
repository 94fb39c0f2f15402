import { createApplicationStore } from '../application/application-store.ts'
import type { Application } from '../application/application.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { problem } from '../failure.ts'
import { suggestion } from '../text/nearest.ts'
import type { CommandOutcome, ParsedArguments } from './command.ts'
import { openData } from './open-data.ts'
import type { DataContext } from './open-data.ts'

interface Opened {
  readonly database: Database
  /** The data directory, to be named. */
  readonly data: string
}

/** Opens the data of an application, which an id or a name says; the caller closes the database. */
export function openApplication(
  app: string,
  flags: ParsedArguments['flags'],
  context: DataContext,
): (Opened & { readonly kind: 'open'; readonly application: Application }) | CommandOutcome {
  using closing = new DisposableStack()
  const opened = openData(flags, context)
  if (opened.kind !== 'open') return opened
  closing.use(opened.database)
  const found = findApplication(app, opened, context)
  if (found.kind !== 'found') return found
  closing.move()
  context.audit?.about(found.application.id)
  return { ...opened, application: found.application }
}

/** By id or name. */
export function findApplication(
  app: string,
  { database, data }: Opened,
  { clock }: { readonly clock: Pick<Clock, 'now'> },
): { readonly kind: 'found'; readonly application: Application } | ReturnType<typeof problem> {
  const applications = createApplicationStore({ database, clock })
  const application = applications.find(app)
  if (application !== null) return { kind: 'found', application }
  const names = applications.list().map(({ name }) => name)
  return noApplication(app, data, names)
}

/** By its number, where it is still there; the entry in the audit log is about it. */
export function applicationNumbered(
  number: number,
  { database }: Pick<Opened, 'database'>,
  { clock, audit }: Pick<DataContext, 'clock' | 'audit'>,
): Application | null {
  const application = createApplicationStore({ database, clock })
    .list()
    .find((one) => one.number === number)
  if (application !== undefined) audit?.about(application.id)
  return application ?? null
}

/** `names`: of all there are. */
export function noApplication(app: string, data: string, names: readonly string[]): ReturnType<typeof problem> {
  const hint = suggestion(app, names)
  return problem(`There is no application "${app}" in ${data}: bellhop app list shows those there are.${hint}`)
}
