import { createSealedSecondFactors } from '../../account/second-factor-store.ts'
import { createAdminLinkStore } from '../../admin/session/admin-link-store.ts'
import { createAdminSessionStore } from '../../admin/session/admin-session-store.ts'
import { createAdminTokenStore } from '../../admin/admin-token-store.ts'
import { createAdministratorStore } from '../../admin/administrator-store.ts'
import { MAX_NAME } from '../../admin/administrator.ts'
import type { Administrator } from '../../admin/administrator.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { suggestion } from '../../text/nearest.ts'
import type { World } from '../command.ts'
import { quoted } from '../data-directory.ts'

export function administratorsIn(world: World) {
  return {
    administrators: createAdministratorStore(world),
    sessions: createAdminSessionStore(world),
    links: createAdminLinkStore(world),
    tokens: createAdminTokenStore(world),
    /** Needs no key. */
    dropSecondFactor: ({ number }: Pick<Administrator, 'number'>) =>
      createSealedSecondFactors(world.database).erase({ number, provider: 'second factor' }),
  }
}

/** One: `  bellhop admin revoke ci`. */
export function leftLines(what: string, tokens: readonly string[]): readonly string[] {
  if (tokens.length === 0) return []
  return [`${what} still work:`, ...tokens.map((name) => `  bellhop admin revoke ${quoted(name)}`)]
}

export const BAD_NAME = `NAME must be 1 to ${MAX_NAME} characters, without control characters and without white space at an end.`

export function noAdministrator(name: string, world: World): Problem {
  const names = administratorsIn(world)
    .administrators.list()
    .map((one) => one.name)
  return problem(`There is no administrator "${name}": bellhop admin list lists them.${suggestion(name, names)}`)
}
