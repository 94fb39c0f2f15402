import { isAdminName } from '../../admin/administrator.ts'
import { DEFAULT_PURPOSE, TOKEN_PURPOSES, tokenEnd } from '../../admin/token-purpose.ts'
import { problem } from '../../failure.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { isoOrNull, isoTime } from '../../text/format.ts'
import { suggestion } from '../../text/nearest.ts'
import { done, FINE, problems } from '../command.ts'
import { actorOf } from '../command-audit.ts'
import type { CommandModule, World } from '../command.ts'
import { listing } from '../terminal/table-text.ts'
import { administratorsIn, BAD_NAME, leftLines } from './administrators-in.ts'
import { tokenLife } from './token-life.ts'

export const make: CommandModule<World> = {
  check: ({ words: [name = ''] }) => (isAdminName(name) ? FINE : problems(BAD_NAME)),

  async run({ words: [name = ''], flags }, world) {
    const purpose = TOKEN_PURPOSES.find((one) => one === flags.get('purpose')) ?? DEFAULT_PURPOSE
    const limit = world.tokensUntil ?? null
    const expiresAt = tokenEnd(world.clock.now(), tokenLife.read(flags.get('expires') ?? ''), limit)
    if (expiresAt === 'too-late') {
      return problem(`--expires must not be later than the expiry of the token that creates it, ${isoOrNull(limit)}.`)
    }
    const token = world.database.transact(() =>
      administratorsIn(world).tokens.add(name, { purpose, expiresAt }, actorOf(world)),
    )
    world.audit?.note({ purpose, expiresAt: isoOrNull(expiresAt) })
    if (token === null) return problem(`A token named "${name}" already exists: bellhop admin revoke revokes it.`)
    if (flags.has('json')) return done(jsonLine({ name, token, purpose, expiresAt: isoOrNull(expiresAt) }))
    const end = expiresAt === null ? 'without an end' : `until ${isoTime(expiresAt)}`
    const what = `The token "${escapeControls(name)}" for ${purpose}, ${end}`
    const once = "you won't see it again. Send it as Authorization: Bearer TOKEN.\n"
    if (world.terminal !== null) return done(`${what}:\n\n  ${token}\n\nCopy it now; ${once}`)
    // Prometheus reads a file that has the token alone.
    world.stderr(`${what}. Keep it now; ${once}`)
    return done(`${token}\n`)
  },
}

export const list: CommandModule<World> = {
  async run({ flags }, world) {
    const shown = administratorsIn(world).tokens.list()
    const rows = shown.map(({ name, purpose, createdAt, usedAt, expiresAt, madeBy }) => ({
      name,
      purpose,
      createdAt: isoTime(createdAt),
      usedAt: isoOrNull(usedAt),
      expiresAt: isoOrNull(expiresAt),
      madeBy,
    }))
    if (flags.has('json')) return done(jsonLine(rows))
    if (rows.length === 0) return done('There are no tokens: bellhop admin token NAME creates one.\n')
    const table = listing(rows, [
      ['NAME', ({ name }) => escapeControls(name)],
      ['PURPOSE', ({ purpose }) => purpose],
      ['MADE', ({ createdAt }) => createdAt],
      ['USED', ({ usedAt }) => usedAt ?? 'never'],
      ['ENDS', ({ expiresAt }) => expiresAt ?? 'never'],
      ['MADE BY', ({ madeBy }) => escapeControls(madeBy ?? 'unknown')],
    ])
    return done(`${table.join('\n')}\n`)
  },
}

export const revoke: CommandModule<World> = {
  async run({ words: [name = ''] }, world) {
    const { tokens } = administratorsIn(world)
    const left = world.database.transact(() => tokens.revoke(name))
    if (left !== null) {
      const lines = [`The token "${escapeControls(name)}" no longer works.`, ...leftLines('Tokens made with it', left)]
      return done(`${lines.join('\n')}\n`)
    }
    const names = tokens.list().map((one) => one.name)
    return problem(`There is no token "${name}": bellhop admin tokens lists them.${suggestion(name, names)}`)
  },
}
