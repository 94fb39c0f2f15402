import { createForgetUser } from '../../server/erasure/erase-user.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { counted } from '../../text/format.ts'
import { done, FINE, problems } from '../command.ts'
import type { CheckArguments, RunOnApplication } from '../command.ts'

export const check: CheckArguments = ({ flags }) =>
  flags.has('yes')
    ? FINE
    : problems("user erase deletes the user's devices and everything stored about them; add --yes to confirm.")

/** As PUT /user/del does. */
export const run: RunOnApplication = async ({ words: [, user = ''], flags }, { database, application, audit }) => {
  const forgetUser = createForgetUser({ database }, async (work) => database.transact(work))
  const devices = await forgetUser(application.number, user)
  audit?.note({ devices })
  return done(flags.has('json') ? jsonLine({ user, devices }) : `Deleted the user and ${counted(devices, 'device')}.\n`)
}
