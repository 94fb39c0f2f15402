import { createForgetUser } from '../../server/erase-user.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { counted } from '../../text/format.ts'
import { done, problems } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { openApplication } from '../open-application.ts'

/** Erases the devices of a user, with what is stored about them, as PUT /user/del does. */
export const run: RunCommand = async ({ words: [app = '', user = ''], flags }, context) => {
  if (!flags.has('yes')) {
    return problems('user erase erases the devices of the user, and what is stored about them; add --yes to do so.')
  }
  const opened = openApplication(app, flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const forgetUser = createForgetUser({ database }, async (work) => database.transact(work))
  const devices = await forgetUser(opened.application.number, user)
  context.audit?.note({ devices })
  return done(
    flags.has('json') ? jsonLine({ user, devices }) : `Erased the user, with ${counted(devices, 'device')}.\n`,
  )
}
