import { isAdminName } from '../../admin/administrator.ts'
import { problem } from '../../failure.ts'
import { done, problems } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { BAD_NAME, passwordText } from './admin-text.ts'
import { newPassword } from './new-password.ts'
import { openAdministrators } from './open-administrators.ts'

export const run: RunCommand = async ({ words: [name = ''], flags }, context) => {
  if (!isAdminName(name)) return problems(BAD_NAME)
  const password = await newPassword(flags.get('password-file'), name, context)
  if (password.kind !== 'password') return password
  const opened = openAdministrators(flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const added = database.transact(() => opened.administrators.add(name, password.hash))
  if (added === null)
    return problem(`There is an administrator "${name}" already: bellhop admin reset gives a password.`)
  return done(passwordText('has been added', added.name, password, flags.has('json')))
}
