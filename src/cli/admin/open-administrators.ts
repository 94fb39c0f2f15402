import { createSealedSecondFactors } from '../../account/second-factor-store.ts'
import { createAdminLinkStore } from '../../admin/session/admin-link-store.ts'
import { createAdminSessionStore } from '../../admin/session/admin-session-store.ts'
import { createAdminTokenStore } from '../../admin/admin-token-store.ts'
import { createAdministratorStore } from '../../admin/administrator-store.ts'
import type { Administrator } from '../../admin/administrator.ts'
import type { CommandOutcome, ParsedArguments } from '../command.ts'
import { openData } from '../open-data.ts'
import type { DataContext } from '../open-data.ts'

/** Opens the administrators of a data directory; the caller closes the database. */
export function openAdministrators(flags: ParsedArguments['flags'], context: DataContext) {
  const opened = openData(flags, context)
  if (opened.kind !== 'open') return opened satisfies CommandOutcome
  const { database, data } = opened
  const stored = { database, clock: context.clock }
  return {
    kind: 'open',
    database,
    data,
    administrators: createAdministratorStore(stored),
    sessions: createAdminSessionStore(stored),
    links: createAdminLinkStore(stored),
    tokens: createAdminTokenStore(stored),
    /** Takes the second factor away, for which no key is needed. */
    dropSecondFactor: ({ number }: Pick<Administrator, 'number'>) =>
      createSealedSecondFactors(database).erase({ number, provider: 'second factor' }),
  } as const
}
