import { Elysia } from 'elysia'
import { failure, Refused } from '../../failure.ts'
import { missing } from '../../http/fields.ts'
import { isoTime } from '../../text/format.ts'
import { adminCall } from '../admin-endpoint.ts'
import { LookAtLink, UseLink } from '../admin-schema.ts'
import type { AdministratorStore } from '../administrator-store.ts'
import { LinkAnswer, SessionAnswer } from '../api-types/session-types.ts'
import type { Passwords } from '../password.ts'
import type { AdminLinkStore } from '../session/admin-link-store.ts'
import type { Arrival } from '../session/arrival.ts'
import type { SecondSteps } from '../session/second-step.ts'
import type { AdminParts } from './admin-parts.ts'
import { newPasswordHash } from './session-routes.ts'

interface Dependencies extends AdminParts {
  readonly administrators: AdministratorStore
  readonly links: AdminLinkStore
  readonly passwords: Passwords
  readonly secondSteps: SecondSteps
  readonly arrival: Arrival
}

export function linkRoutes({
  gate,
  commit,
  log,
  administrators,
  links,
  passwords,
  secondSteps,
  arrival,
}: Dependencies) {
  /** In a transaction. */
  function becomeAdministrator(link: string, name: string, hash: string, origin: string) {
    if (administrators.find(name) !== null) return { kind: 'name-taken' } as const
    if (links.use(link) === null) return { kind: 'spent' } as const
    const administrator = administrators.add(name, hash)
    if (administrator === null) return { kind: 'name-taken' } as const
    log.add({ kind: 'administrator', ...administrator, origin }, 'add administrator', name, { how: 'link' })
    return { kind: 'made', administrator, session: arrival.begin(administrator, 'link', origin) } as const
  }

  return new Elysia({ name: 'link-routes' })
    .use(gate)
    .post(
      '/api/link/look',
      ({ body: { link } }): LinkAnswer => {
        const found = links.find(link)
        if (found === null) throw new Refused(SPENT)
        const name = found.kind === 'sign-in' ? found.administrator.name : null
        return { kind: found.kind, name, expiresAt: isoTime(found.expiresAt) }
      },
      adminCall('Session', 'Whose a link is, and what for', { answer: LinkAnswer, isLook: true, body: LookAtLink }),
    )
    .post(
      '/api/link',
      async ({ body: { link, name, password }, request: { headers }, address }) => {
        const found = links.find(link)
        if (found === null) throw new Refused(SPENT)
        if (found.kind === 'sign-in') {
          const { administrator } = found
          const used = await commit(() => {
            if (links.use(link) === null) return null
            // A link replaces only the password, not the second factor.
            const step = secondSteps.begin(administrator, 'link')
            return step === null ? { session: arrival.begin(administrator, 'link', address) } : { step }
          })
          if (used === null) throw new Refused(SPENT)
          return 'step' in used
            ? arrival.shown(null, used.step)
            : arrival.signedIn(administrator, used.session, headers)
        }
        if (name === undefined) throw missing('name')
        if (password === undefined) throw missing('password')
        const hash = await newPasswordHash(passwords, password, name)
        const made = await commit(() => becomeAdministrator(link, name, hash, address))
        if (made.kind === 'spent') throw new Refused(SPENT)
        if (made.kind === 'name-taken') {
          throw new Refused(failure('ConflictError', 'name is taken by another administrator.'))
        }
        return arrival.signedIn(made.administrator, made.session, headers)
      },
      adminCall('Session', 'Use a link to create an administrator or sign in', {
        action: 'sign in',
        answer: SessionAnswer,
        body: UseLink,
      }),
    )
}

const SPENT = failure(
  'ResourceNotFound',
  'This link was used, is older than 30 minutes, or ended with whoever made it. Create another with bellhop admin link.',
)
