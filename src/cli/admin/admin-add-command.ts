import { isAdminName, MAX_NAME } from '../../admin/administrator.ts'
import { createPasswords } from '../../admin/password.ts'
import { problem } from '../../failure.ts'
import { done, problems } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { passwordText } from './admin-text.ts'
import { newPassword } from './new-password.ts'
import { openAdministrators } from './open-administrators.ts'

export const run: RunCommand = async ({ words: [name = ''], flags }, context) => {
  if (!isAdminName(name)) {
    return problems(
      `NAME must be 1 to ${MAX_NAME} characters, without control characters and without white space at an end.`,
    )
  }
  const password = newPassword(flags.get('password-file'), context)
  if (password.kind !== 'password') return password
  const hash = await createPasswords().hash(password.password)
  const opened = openAdministrators(flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const added = database.transact(() => {
    const isFirst = !opened.administrators.any()
    const administrator = opened.administrators.add(name, hash)
    if (administrator === null) return null
    // What the start has printed may lie in a journal.
    if (isFirst) opened.links.endSetups()
    opened.did('add administrator', administrator.name)
    return administrator
  })
  if (added === null)
    return problem(`There is an administrator "${name}" already: bellhop admin reset gives a password.`)
  return done(passwordText('has been added', added.name, password, flags.has('json')))
}
