import { done } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { noAdministrator, passwordText } from './admin-text.ts'
import { newPassword } from './new-password.ts'
import { openAdministrators } from './open-administrators.ts'

export const run: RunCommand = async ({ words: [name = ''], flags }, context) => {
  const password = await newPassword(flags.get('password-file'), context)
  if (password.kind !== 'password') return password
  const opened = openAdministrators(flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const changed = database.transact(() => {
    const administrator = opened.administrators.setPassword(name, password.hash)
    if (administrator === null) return null
    opened.sessions.endAll(administrator)
    return administrator
  })
  if (changed === null) return noAdministrator(name, opened.administrators.list())
  return done(
    passwordText('has a new password, and is signed out everywhere', changed.name, password, flags.has('json')),
  )
}
