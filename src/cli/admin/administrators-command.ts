import { randomBytes } from 'node:crypto'
import { guessableAs } from '../../account/guessable-password.ts'
import { isAdminName, isPassword, MAX_PASSWORD, MIN_PASSWORD } from '../../admin/administrator.ts'
import { hashPassword } from '../../admin/password.ts'
import { LINK_MS } from '../../admin/session/admin-link-store.ts'
import { linkUrl } from '../../admin/admin-secret.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { readSettings } from '../../settings/parse.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { isoOrNull, isoTime } from '../../text/format.ts'
import { done, FINE, problems } from '../command.ts'
import { actorOf } from '../command-audit.ts'
import type { CommandContext, CommandModule, CommandOutcome, ParsedArguments, World } from '../command.ts'
import { adminOrigin } from '../service/admin-origin.ts'
import { listing } from '../terminal/table-text.ts'
import { administratorsIn, BAD_NAME, leftLines, noAdministrator } from './administrators-in.ts'

export const add: CommandModule<World> = {
  check: ({ words: [name = ''] }) => (isAdminName(name) ? FINE : problems(BAD_NAME)),

  async run({ words: [name = ''], flags }, world) {
    const password = await newPassword(flags.get('password-file'), name, world)
    if (password.kind !== 'password') return password
    const { administrators } = administratorsIn(world)
    const added = world.database.transact(() => administrators.add(name, password.hash))
    if (added === null) {
      return problem(`An administrator named "${name}" already exists: bellhop admin reset sets a new password.`)
    }
    const made = password.isMade ? password.password : null
    if (flags.has('json')) return done(jsonLine({ name: added.name, ...(made !== null && { password: made }) }))
    return done([`"${escapeControls(added.name)}" has been added.`, ...shownOnce(made), ''].join('\n'))
  },
}

function shownOnce(password: string | null): readonly string[] {
  return password === null ? [] : ['', `  ${password}`, '', "Copy the password now; you won't see it again."]
}

export const list: CommandModule<World> = {
  async run({ flags }, world) {
    const shown = administratorsIn(world)
      .administrators.list()
      .map(({ name, createdAt, seenAt, hasSecondFactor }) => ({
        name,
        createdAt: isoTime(createdAt),
        seenAt: isoOrNull(seenAt),
        hasSecondFactor,
      }))
    if (flags.has('json')) return done(jsonLine(shown))
    if (shown.length === 0) return done('There is no administrator: bellhop admin link prints a link to create one.\n')
    const table = listing(shown, [
      ['NAME', ({ name }) => escapeControls(name)],
      ['ADDED', ({ createdAt }) => createdAt],
      ['SEEN', ({ seenAt }) => seenAt ?? 'not signed in'],
      ['SECOND FACTOR', ({ hasSecondFactor }) => (hasSecondFactor ? 'on' : 'off')],
    ])
    return done(`${table.join('\n')}\n`)
  },
}

export const remove: CommandModule<World> = {
  async run({ words: [name = ''], flags }, world) {
    const { administrators, tokens } = administratorsIn(world)
    const outcome = world.database.transact(() => {
      const found = administrators.find(name)
      if (found === null) return null
      if (administrators.list().length === 1 && !flags.has('yes')) return 'last'
      administrators.remove(name)
      return { name: found.name, left: tokens.madeBy(found) }
    })
    if (outcome === null) return noAdministrator(name, world)
    if (outcome === 'last') {
      return problem(
        'That is the last administrator: the next start prints a link to create one. Add --yes to remove it.',
      )
    }
    return done(
      [
        `"${escapeControls(outcome.name)}" is no longer an administrator. All sessions and links were ended.`,
        ...leftLines('Tokens that this administrator made', outcome.left),
        '',
      ].join('\n'),
    )
  },
}

export const link: CommandModule<World> = {
  check: ({ flags }, context) => linkOrigin(flags, context),

  async run({ words: [name], flags }, world) {
    const found = linkOrigin(flags, world)
    if (found.kind !== 'origin') return found
    const { administrators, links } = administratorsIn(world)
    const made = world.database.transact(() => {
      const administrator = name === undefined ? null : administrators.find(name)
      if (name !== undefined && administrator === null) return null
      return { administrator, link: links.make(administrator, actorOf(world)) }
    })
    if (made === null) return noAdministrator(name ?? '', world)
    const url = linkUrl(found.origin, made.link)
    if (flags.has('json')) return done(jsonLine({ url, expiresAt: isoTime(world.clock.now() + LINK_MS) }))
    const who =
      made.administrator === null ? 'creates an administrator' : `is signed in as "${made.administrator.name}"`
    return done(`Whoever opens this link ${escapeControls(who)}. It works once, for 30 minutes:\n\n  ${url}\n`)
  },
}

/** For a lost password, second factor, or both. */
export const reset: CommandModule<World> = {
  check: ({ flags }, context) => linkOrigin(flags, context),

  async run({ words: [name = ''], flags }, world) {
    const found = linkOrigin(flags, world)
    if (found.kind !== 'origin') return found
    const password = await newPassword(flags.get('password-file'), name, world)
    if (password.kind !== 'password') return password
    const { administrators, sessions, links, dropSecondFactor } = administratorsIn(world)
    const changed = world.database.transact(() => {
      const administrator = administrators.setPassword(name, password.hash)
      if (administrator === null) return null
      dropSecondFactor(administrator)
      sessions.endAll(administrator)
      links.endAll(administrator)
      return { name: administrator.name, link: links.make(administrator, actorOf(world)) }
    })
    if (changed === null) return noAdministrator(name, world)
    const url = linkUrl(found.origin, changed.link)
    const made = password.isMade ? password.password : null
    if (flags.has('json')) {
      const expiresAt = isoTime(world.clock.now() + LINK_MS)
      return done(jsonLine({ name: changed.name, ...(made !== null && { password: made }), url, expiresAt }))
    }
    const lines = [
      `"${escapeControls(changed.name)}" has a new password and no second factor. All sessions were ended.`,
      ...shownOnce(made),
      'This one-time link, valid for 30 minutes, signs in without it:',
      '',
      `  ${url}`,
      '',
    ]
    return done(lines.join('\n'))
  },
}

function linkOrigin(
  flags: ParsedArguments['flags'],
  context: Pick<CommandContext, 'env' | 'readFile'>,
): { readonly kind: 'origin'; readonly origin: string } | Extract<CommandOutcome, { kind: 'problems' }> {
  const url = flags.get('url')
  if (url !== undefined) {
    const parsed = URL.canParse(url) ? new URL(url) : null
    const isOrigin =
      parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.pathname === '/' && parsed.search === ''
    if (isOrigin) return { kind: 'origin', origin: parsed.origin }
    return problems('--url must be the admin address as browsers reach it, such as https://admin.example.com.')
  }
  const settings = readSettings(['adminListen'], { ...context, flags })
  if (settings.kind === 'problems') return settings
  return { kind: 'origin', origin: adminOrigin(settings.config.adminListen) }
}

/** 120 random bits. */
const GENERATED_BYTES = 15

interface NewPassword {
  readonly kind: 'password'
  readonly password: string
  readonly hash: string
  readonly isMade: boolean
}

/** The file's first line, or a generated password for `name`. */
async function newPassword(
  file: string | undefined,
  name: string,
  { readFile }: Pick<CommandContext, 'readFile'>,
): Promise<NewPassword | Problem> {
  if (file === undefined) return await hashed(randomBytes(GENERATED_BYTES).toString('base64url'), true)
  const read = readFile(file === '-' ? '/dev/stdin' : file)
  if (read.kind === 'problem') return problem(`${file} ${read.problem}.`)
  const [password = ''] = new TextDecoder().decode(read.bytes).split(/\r?\n/)
  const why = isPassword(password)
    ? await guessableAs(password, name)
    : `must be ${MIN_PASSWORD} to ${MAX_PASSWORD} characters`
  return why === null ? await hashed(password, false) : problem(`The password in ${file} ${why}.`)
}

async function hashed(password: string, isMade: boolean): Promise<NewPassword> {
  return { kind: 'password', password, hash: await hashPassword(password), isMade }
}
