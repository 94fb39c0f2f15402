import { Elysia } from 'elysia'
import { failure, Refused } from '../../failure.ts'
import { isoOrNull, isoTime } from '../../text/format.ts'
import { adminCall } from '../admin-endpoint.ts'
import {
  AdministratorsAnswer,
  DoneAnswer,
  NewLinkAnswer,
  NewTokenAnswer,
  TokensAnswer,
} from '../api-types/administrator-types.ts'
import type { AdminLinkStore } from '../session/admin-link-store.ts'
import { LINK_MS } from '../session/admin-link-store.ts'
import { NewToken } from '../admin-schema.ts'
import type { AdminTokenStore } from '../admin-token-store.ts'
import type { AdministratorStore } from '../administrator-store.ts'
import { known } from '../administrator.ts'
import { invalid } from '../../http/fields.ts'
import { DEFAULT_PURPOSE, tokenEnd } from '../token-purpose.ts'
import type { AdminParts } from './admin-parts.ts'

interface Dependencies extends AdminParts {
  readonly administrators: AdministratorStore
  readonly links: AdminLinkStore
  readonly tokens: AdminTokenStore
}

export function administratorRoutes({ gate, clock, administrators, links, tokens }: Dependencies) {
  return new Elysia({ name: 'administrator-routes' })
    .use(gate)
    .get(
      '/api/administrators',
      () => ({
        administrators: administrators.list().map(({ name, createdAt, seenAt, hasSecondFactor }) => ({
          name,
          createdAt: isoTime(createdAt),
          seenAt: isoOrNull(seenAt),
          hasSecondFactor,
        })),
      }),
      adminCall('Administrators', 'Who there is', { answer: AdministratorsAnswer }),
    )
    .post(
      '/api/administrators',
      async ({ actor, change }) => {
        const link = await change('', () => links.make(null, known(actor)))
        return { link, expiresAt: isoTime(clock.now() + LINK_MS) }
      },
      adminCall('Administrators', 'Create a link for a new administrator', {
        action: 'make link',
        answer: NewLinkAnswer,
      }),
    )
    .delete(
      '/api/administrators/:name',
      async ({ change, params: { name } }) => {
        const outcome = await change(name, (note) => {
          // Without administrators, anyone who finds the set-up link could become one.
          if (administrators.list().length === 1) return 'last'
          const removed = administrators.remove(name)
          if (removed === null) return null
          note({ subject: removed.name })
          return tokens.madeBy(removed)
        })
        if (outcome === null) throw new Refused(failure('ResourceNotFound', 'No administrator found'))
        if (outcome === 'last') {
          throw new Refused(
            failure('ConflictError', 'The last administrator cannot be removed here: use bellhop admin remove.'),
          )
        }
        return { message: `Administrator removed${leftText('Tokens that this administrator made', outcome)}` }
      },
      adminCall('Administrators', 'Remove an administrator, except the last', {
        action: 'remove administrator',
        answer: DoneAnswer,
      }),
    )
    .get(
      '/api/tokens',
      () => ({
        tokens: tokens.list().map(({ name, purpose, createdAt, usedAt, expiresAt, madeBy }) => ({
          name,
          madeBy,
          purpose,
          createdAt: isoTime(createdAt),
          usedAt: isoOrNull(usedAt),
          expiresAt: isoOrNull(expiresAt),
        })),
      }),
      adminCall('Administrators', 'Tokens of programs', { answer: TokensAnswer }),
    )
    .post(
      '/api/tokens',
      async ({ actor, change, body: { name, purpose = DEFAULT_PURPOSE, expiresInDays } }) => {
        const by = known(actor)
        const latest = by.kind === 'token' ? by.expiresAt : null
        const expiresAt = tokenEnd(clock.now(), expiresInDays, latest)
        if (expiresAt === 'too-late') {
          throw invalid(
            'expiresInDays',
            `must not be later than the expiry of the token that creates it, ${isoOrNull(latest)}`,
          )
        }
        const granted = { purpose, expiresAt: isoOrNull(expiresAt) }
        const token = await change(name, () => tokens.add(name, { purpose, expiresAt }, by), granted)
        if (token === null) throw new Refused(failure('ConflictError', 'name is taken by another token.'))
        return { name, token, ...granted }
      },
      adminCall('Administrators', 'Create a token. Only this answer contains it', {
        action: 'make token',
        answer: NewTokenAnswer,
        body: NewToken,
      }),
    )
    .delete(
      '/api/tokens/:name',
      async ({ change, params: { name } }) => {
        const left = await change(name, () => tokens.revoke(name))
        if (left === null) throw new Refused(failure('ResourceNotFound', 'No token found'))
        return { message: `Token revoked${leftText('Tokens made with it', left)}` }
      },
      adminCall('Administrators', 'Revoke a token', { action: 'revoke token', answer: DoneAnswer }),
    )
}

function leftText(what: string, tokens: readonly string[]): string {
  return tokens.length === 0 ? '' : `. ${what} still work: ${tokens.join(', ')}.`
}
