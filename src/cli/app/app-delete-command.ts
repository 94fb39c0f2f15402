import { createApplicationStore } from '../../application/application-store.ts'
import { createEraseContents } from '../../server/erasure/erase-application.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { done, FINE, problems } from '../command.ts'
import type { CheckArguments, RunOnApplication } from '../command.ts'

export const check: CheckArguments = ({ words: [app = ''], flags }) =>
  flags.has('yes')
    ? FINE
    : problems(`app delete deletes "${app}" with its devices, pushes and credentials for good; add --yes to do so.`)

export const run: RunOnApplication = async (_, { database, clock, application }) => {
  const { id, number, name } = application
  const checkpoint = database.statement('PRAGMA wal_checkpoint(PASSIVE)')
  const eraseContents = createEraseContents({ database }, async (work) => {
    const result = database.transact(work)
    // Keeps the WAL small.
    checkpoint.all()
    return result
  })
  await eraseContents(number)
  const applications = createApplicationStore({ database, clock })
  database.transact(() => applications.remove(id))
  return done(`Deleted the application "${escapeControls(name)}".\n`)
}
