import { LINK_MS } from '../../admin/session/admin-link-store.ts'
import { linkUrl } from '../../admin/session/link-url.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { isoTime } from '../../text/format.ts'
import { done } from '../command.ts'
import type { CheckArguments, RunCommand } from '../command.ts'
import { linkOrigin } from './admin-link-command.ts'
import { noAdministrator } from './admin-text.ts'
import { newPassword } from './new-password.ts'
import { openAdministrators } from './open-administrators.ts'

export const check: CheckArguments = ({ flags }, context) => linkOrigin(flags, context)

/** The way back for who has lost the password, the second factor, or both. */
export const run: RunCommand = async ({ words: [name = ''], flags }, context) => {
  const found = linkOrigin(flags, context)
  if (found.kind !== 'origin') return found
  const password = await newPassword(flags.get('password-file'), name, context)
  if (password.kind !== 'password') return password
  const opened = openAdministrators(flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const { administrators, sessions, links, dropSecondFactor } = opened
  const changed = database.transact(() => {
    const administrator = administrators.setPassword(name, password.hash)
    if (administrator === null) return null
    dropSecondFactor(administrator)
    sessions.endAll(administrator)
    links.endAll(administrator)
    return { name: administrator.name, link: links.make(administrator) }
  })
  if (changed === null) return noAdministrator(name, administrators.list())
  const url = linkUrl(found.origin, changed.link)
  if (flags.has('json')) {
    const made = password.isMade && { password: password.password }
    return done(jsonLine({ name: changed.name, ...made, url, expiresAt: isoTime(context.clock.now() + LINK_MS) }))
  }
  return done(
    [
      `"${escapeControls(changed.name)}" has a new password and no second factor, and is signed out everywhere.`,
      ...(password.isMade ? ['', `  ${password.password}`, '', 'The password is shown this once.'] : []),
      'This one-time link, valid for 30 minutes, signs in without it:',
      '',
      `  ${url}`,
      '',
    ].join('\n'),
  )
}
