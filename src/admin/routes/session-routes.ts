import { Elysia } from 'elysia'
import type { Commit } from '../../database/group-commit.ts'
import { failure, Refused } from '../../failure.ts'
import type { AdminGate } from '../admin-gate.ts'
import { adminCall } from '../admin-endpoint.ts'
import type { AdminLinkStore } from '../session/admin-link-store.ts'
import type { AdminLogStore } from '../admin-log-store.ts'
import { ChangePassword, FinishSignIn, LookAtLink, SignIn, UseLink } from '../admin-schema.ts'
import type { AdminSessionStore } from '../session/admin-session-store.ts'
import type { AdministratorStore } from '../administrator-store.ts'
import { known } from '../administrator.ts'
import type { Actor, Administrator } from '../administrator.ts'
import { BUSY } from '../password.ts'
import type { Passwords } from '../password.ts'
import { cameSecurely } from '../own-names.ts'
import type { KnownBrowsers } from '../session/known-browsers.ts'
import { browserCookie, sessionCookie } from '../session/session-cookie.ts'
import type { createSignIn, SignInTry } from '../session/sign-in.ts'
import { tooManyCodes, WRONG_CODE } from '../session/second-step.ts'
import type { SecondSteps } from '../session/second-step.ts'
import { guessableAs } from '../../account/guessable-password.ts'
import { isoOrNull, isoTime } from '../../text/format.ts'
import { invalid, missing } from '../../http/fields.ts'
import { VERSION } from '../../version.ts'

interface Dependencies {
  readonly gate: AdminGate
  readonly commit: Commit
  readonly administrators: AdministratorStore
  readonly sessions: AdminSessionStore
  readonly links: AdminLinkStore
  readonly passwords: Passwords
  readonly browsers: Pick<KnownBrowsers, 'make'>
  readonly signIn: ReturnType<typeof createSignIn>
  readonly secondSteps: Pick<SecondSteps, 'begin' | 'finish'>
  readonly log: Pick<AdminLogStore, 'add'>
  /** Where apps and backends reach the public API. */
  readonly publicUrl: () => string
}

/** Who somebody is, and coming and going. */
export function sessionRoutes(deps: Dependencies) {
  const { gate, commit, administrators, sessions, links, passwords, browsers, secondSteps, log } = deps

  const shown = (actor: Actor | null, step: string | null = null) => ({
    administrator: actor?.kind === 'administrator' ? { name: actor.name } : null,
    token:
      actor?.kind === 'token'
        ? { name: actor.name, purpose: actor.purpose, expiresAt: isoOrNull(actor.expiresAt) }
        : null,
    step,
    isSetUp: administrators.any(),
    service: actor === null ? null : { version: VERSION, url: deps.publicUrl() },
  })

  /** Whose password it is. Throws where it is nobody's, with the sentence `wrong`, or where it has to wait. */
  async function signIn(
    given: Omit<SignInTry, 'browser'>,
    headers: Headers,
    wrong: string,
    onWrong?: () => Promise<unknown>,
  ): Promise<Administrator> {
    const outcome = await deps.signIn({ ...given, browser: browserCookie.in(headers) })
    switch (outcome.kind) {
      case 'signed-in':
        return outcome.administrator
      case 'wrong':
        await onWrong?.()
        throw new Refused(failure('InvalidCredentials', wrong))
      case 'busy':
        throw new Refused(BUSY)
      case 'wait': {
        const sentence = 'Too many wrong passwords. Wait, or have a link made: bellhop admin link NAME.'
        throw new Refused(failure('TooManyRequestsError', sentence, { 'retry-after': String(outcome.seconds) }))
      }
    }
  }

  async function hashOf(password: string): Promise<string> {
    const hash = await passwords.hash(password)
    if (hash === null) throw new Refused(BUSY)
    return hash
  }

  /** Signs somebody in; in a transaction. What the cookie is to hold. */
  function begin(administrator: Administrator, how: string, origin: string): string {
    log.add({ kind: 'administrator', ...administrator, origin }, 'sign in', '', { how })
    return sessions.start(administrator)
  }

  /** An answer by which a browser is signed in, or with `''` signed out. */
  function answer(session: string, actor: Actor | null, headers: Headers): Response {
    return Response.json(shown(actor), {
      headers: { 'set-cookie': sessionCookie.set(session, cameSecurely(headers)), 'cache-control': 'no-store' },
    })
  }

  /** Signed in, and known from now on. */
  function welcome(administrator: Administrator, session: string, headers: Headers): Response {
    const response = answer(session, { kind: 'administrator', ...administrator }, headers)
    const hash = administrators.hashOf(administrator.name)
    if (hash !== null) {
      response.headers.append('set-cookie', browserCookie.set(browsers.make(hash), cameSecurely(headers)))
    }
    return response
  }

  return new Elysia({ name: 'session-routes' })
    .use(gate)
    .get(
      '/api/session',
      ({ actor }) => shown(actor),
      adminCall({
        tag: 'Session',
        summary: 'Who you are, and whether there is any administrator',
        answer: 'SessionAnswer',
      }),
    )
    .post(
      '/api/session',
      async ({ body, request: { headers }, address }) => {
        const { name, password } = body
        const onWrong = () => {
          const refused = { result: 'refused', code: 'InvalidCredentials' } as const
          // A name that is nobody's may be a password in the wrong field.
          const subject = administrators.find(name)?.name ?? ''
          return commit(() => log.add({ kind: 'nobody', origin: address }, 'sign in', subject, {}, refused))
        }
        const administrator = await signIn({ name, password, address }, headers, 'Name or password is wrong.', onWrong)
        const step = secondSteps.begin(administrator, 'password')
        if (step !== null) return shown(null, step)
        return welcome(administrator, await commit(() => begin(administrator, 'password', address)), headers)
      },
      {
        ...adminCall({
          tag: 'Session',
          summary: 'Sign in; whoever has a second factor gets a step, and nobody is signed in yet',
          action: 'sign in',
          answer: 'SessionAnswer',
        }),
        body: SignIn,
      },
    )
    .post(
      '/api/session/code',
      async ({ body: { step, code }, request: { headers }, address }) => {
        const finished = await commit(() => {
          const outcome = secondSteps.finish(step, code)
          if (outcome.kind === 'over' || outcome.kind === 'wait') return outcome
          const { kind, administrator } = outcome
          if (kind === 'right') {
            return { kind, administrator, session: begin(administrator, howText(outcome), address) } as const
          }
          const by = { kind: 'administrator', ...administrator, origin: address } as const
          log.add(by, 'sign in', '', { how: 'code' }, { result: 'refused', code: WRONG_CODE.code })
          return outcome
        })
        if (finished.kind === 'over') throw new Refused(OVER)
        if (finished.kind === 'wait') throw new Refused(tooManyCodes(finished.seconds))
        if (finished.kind === 'wrong') throw new Refused(WRONG_CODE)
        return welcome(finished.administrator, finished.session, headers)
      },
      {
        ...adminCall({
          tag: 'Session',
          summary: 'The second step of signing in: a code of the authenticator app, or a recovery code',
          action: 'sign in',
          answer: 'SessionAnswer',
        }),
        body: FinishSignIn,
      },
    )
    .delete(
      '/api/session',
      async ({ actor, session, request: { headers } }) => {
        if (session !== null) {
          const by = known(actor)
          await commit(() => {
            sessions.end(session)
            log.add(by, 'sign out')
          })
        }
        return answer('', null, headers)
      },
      adminCall({ tag: 'Session', summary: 'Sign out here', action: 'sign out', answer: 'SessionAnswer' }),
    )
    .delete(
      '/api/sessions',
      async ({ actor, request: { headers } }) => {
        if (actor?.kind !== 'administrator') throw new Refused(failure('InvalidArgument', 'A token has no sessions.'))
        await commit(() => {
          sessions.endAll(actor)
          log.add(actor, 'sign out everywhere')
        })
        return answer('', null, headers)
      },
      adminCall({
        tag: 'Session',
        summary: 'Sign out everywhere',
        action: 'sign out everywhere',
        answer: 'SessionAnswer',
      }),
    )
    .put(
      '/api/password',
      async ({ actor, body, request: { headers }, address }) => {
        if (actor?.kind !== 'administrator') throw new Refused(failure('InvalidArgument', 'A token has no password.'))
        const current = { name: actor.name, password: body.current, address }
        const administrator = await signIn(current, headers, 'current is wrong.')
        await refuseGuessable(body.password, administrator.name)
        const hash = await hashOf(body.password)
        const session = await commit(() => {
          administrators.setPassword(administrator.name, hash)
          // Whoever knew the old one is out.
          sessions.endAll(administrator)
          log.add(actor, 'change password')
          return sessions.start(administrator)
        })
        return welcome(administrator, session, headers)
      },
      {
        ...adminCall({
          tag: 'Session',
          summary: 'Change your password; all other sessions end',
          action: 'change password',
          answer: 'SessionAnswer',
        }),
        body: ChangePassword,
      },
    )
    .post(
      '/api/link/look',
      ({ body: { link } }) => {
        const found = links.find(link)
        if (found === null) throw new Refused(SPENT)
        const name = found.kind === 'sign-in' ? found.administrator.name : null
        return { kind: found.kind, name, expiresAt: isoTime(found.expiresAt) }
      },
      {
        ...adminCall({ tag: 'Session', summary: 'Whose a link is, and what for', answer: 'LinkAnswer', isLook: true }),
        body: LookAtLink,
      },
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
            // A link stands for the password: a second factor is asked for all the same.
            const step = secondSteps.begin(administrator, 'link')
            return step === null ? { session: begin(administrator, 'link', address) } : { step }
          })
          if (used === null) throw new Refused(SPENT)
          return 'step' in used ? shown(null, used.step) : welcome(administrator, used.session, headers)
        }
        if (name === undefined) throw missing('name')
        if (password === undefined) throw missing('password')
        await refuseGuessable(password, name)
        const hash = await hashOf(password)
        const made = await commit(() => become(link, name, hash, address))
        if (made.kind === 'spent') throw new Refused(SPENT)
        if (made.kind === 'name-taken') {
          throw new Refused(failure('ConflictError', 'name is taken: there is an administrator of that name.'))
        }
        return welcome(made.administrator, made.session, headers)
      },
      {
        ...adminCall({
          tag: 'Session',
          summary: 'Use a link up: become an administrator, or sign in',
          action: 'sign in',
          answer: 'SessionAnswer',
        }),
        body: UseLink,
      },
    )

  /** Makes an administrator of whoever has the link; in a transaction. */
  function become(link: string, name: string, hash: string, origin: string) {
    if (administrators.find(name) !== null) return { kind: 'name-taken' } as const
    if (links.use(link) === null) return { kind: 'spent' } as const
    const administrator = administrators.add(name, hash)
    if (administrator === null) return { kind: 'name-taken' } as const
    log.add({ kind: 'administrator', ...administrator, origin }, 'add administrator', name, { how: 'link' })
    return { kind: 'made', administrator, session: begin(administrator, 'link', origin) } as const
  }
}

type RightStep = Extract<ReturnType<SecondSteps['finish']>, { kind: 'right' }>

/** `password and code` */
function howText({ first, proof }: RightStep): string {
  return `${first} and ${proof}`
}

async function refuseGuessable(password: string, name: string): Promise<void> {
  const why = await guessableAs(password, name)
  if (why !== null) throw invalid('password', why)
}

const OVER = failure('InvalidCredentials', 'step has expired, or is unknown: sign in again.')

const SPENT = failure(
  'ResourceNotFound',
  'This link is good for nothing: it was used, or is older than 30 minutes. bellhop admin link makes another one.',
)
