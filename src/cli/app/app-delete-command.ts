import { createApplicationStore } from '../../application/application-store.ts'
import { createEraseContents } from '../../server/erase-application.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { done, problems } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { openApplication } from '../open-application.ts'

export const run: RunCommand = async ({ words: [app = ''], flags }, context) => {
  if (!flags.has('yes')) {
    return problems(`app delete erases "${app}" with its devices, pushes and credentials for good; add --yes to do so.`)
  }
  const opened = openApplication(app, flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const { id, number, name } = opened.application
  const checkpoint = database.statement('PRAGMA wal_checkpoint(PASSIVE)')
  const eraseContents = createEraseContents({ database }, async (work) => {
    const result = database.transact(work)
    // Each is moved out of the log, which would grow to the size of them all.
    checkpoint.all()
    return result
  })
  await eraseContents(number)
  const applications = createApplicationStore({ database, clock: context.clock })
  database.transact(() => applications.remove(id))
  return done(`Erased the application "${escapeControls(name)}".\n`)
}
