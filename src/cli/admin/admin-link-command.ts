import { LINK_MS } from '../../admin/session/admin-link-store.ts'
import { linkUrl } from '../../admin/session/link-url.ts'
import { readSettings } from '../../settings/parse.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { isoTime } from '../../text/format.ts'
import { done, problems } from '../command.ts'
import type { CheckArguments, CommandOutcome, ParsedArguments, RunCommand } from '../command.ts'
import { adminOrigin } from '../push/admin-origin.ts'
import { noAdministrator } from './admin-text.ts'
import { openAdministrators } from './open-administrators.ts'

export const check: CheckArguments = ({ flags }, context) => linkOrigin(flags, context)

export const run: RunCommand = async ({ words: [name], flags }, context) => {
  const found = linkOrigin(flags, context)
  if (found.kind !== 'origin') return found
  const opened = openAdministrators(flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const { administrators, links } = opened
  const made = database.transact(() => {
    const administrator = name === undefined ? null : administrators.find(name)
    if (name !== undefined && administrator === null) return null
    return { administrator, link: links.make(administrator) }
  })
  if (made === null) return noAdministrator(name ?? '', administrators.list())
  const url = linkUrl(found.origin, made.link)
  if (flags.has('json')) return done(jsonLine({ url, expiresAt: isoTime(context.clock.now() + LINK_MS) }))
  const who = made.administrator === null ? 'becomes an administrator' : `is signed in as "${made.administrator.name}"`
  return done(`Whoever opens this link ${escapeControls(who)}. It is good once, for 30 minutes:\n\n  ${url}\n`)
}

/** Where browsers reach the admin side, as far as it is known here. */
export function linkOrigin(
  flags: ParsedArguments['flags'],
  context: Pick<Parameters<RunCommand>[1], 'env' | 'readFile'>,
): { readonly kind: 'origin'; readonly origin: string } | Extract<CommandOutcome, { kind: 'problems' }> {
  const url = flags.get('url')
  if (url !== undefined) {
    const parsed = URL.canParse(url) ? new URL(url) : null
    const isOrigin =
      parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.pathname === '/' && parsed.search === ''
    if (isOrigin) return { kind: 'origin', origin: parsed.origin }
    return problems('--url must be where browsers reach the admin side, such as https://push.example.com.')
  }
  const settings = readSettings(['adminListen'], { ...context, flags })
  if (settings.kind === 'problems') return settings
  return { kind: 'origin', origin: adminOrigin(settings.config.adminListen) }
}
