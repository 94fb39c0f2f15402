import { Elysia } from 'elysia'
import { guessableAs } from '../../account/guessable-password.ts'
import { failure, Refused } from '../../failure.ts'
import { invalid } from '../../http/fields.ts'
import { adminCall } from '../admin-endpoint.ts'
import { ChangePassword, FinishSignIn, SignIn } from '../admin-schema.ts'
import type { AdministratorStore } from '../administrator-store.ts'
import type { Administrator } from '../administrator.ts'
import { SessionAnswer } from '../api-types/session-types.ts'
import { BUSY } from '../password.ts'
import type { Passwords } from '../password.ts'
import type { AdminSessionStore } from '../session/admin-session-store.ts'
import type { Arrival } from '../session/arrival.ts'
import { tooManyCodes, WRONG_CODE } from '../session/second-step.ts'
import type { SecondSteps } from '../session/second-step.ts'
import { browserCookie } from '../session/session-cookie.ts'
import type { createSignIn, SignInTry } from '../session/sign-in.ts'
import type { AdminParts } from './admin-parts.ts'

interface Dependencies extends AdminParts {
  readonly administrators: AdministratorStore
  readonly sessions: AdminSessionStore
  readonly passwords: Passwords
  readonly signIn: ReturnType<typeof createSignIn>
  readonly secondSteps: SecondSteps
  readonly arrival: Arrival
}

export function sessionRoutes(deps: Dependencies) {
  const { gate, commit, administrators, sessions, passwords, secondSteps, log, arrival } = deps

  /** Throws `Refused` with the sentence `wrong`, or if the caller must wait. */
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
        const sentence = 'Too many wrong passwords. Wait, or create a link: bellhop admin link NAME.'
        throw new Refused(failure('TooManyRequestsError', sentence, { 'retry-after': String(outcome.seconds) }))
      }
    }
  }

  return new Elysia({ name: 'session-routes' })
    .use(gate)
    .get(
      '/api/session',
      ({ actor }) => arrival.shown(actor),
      adminCall('Session', 'Who you are, and whether there is any administrator', { answer: SessionAnswer }),
    )
    .post(
      '/api/session',
      async ({ body, request: { headers }, address }) => {
        const { name, password } = body
        const onWrong = () => {
          const refused = { result: 'refused', code: 'InvalidCredentials' } as const
          // Unknown names are not logged: one may be a password in the wrong field.
          const subject = administrators.find(name)?.name ?? ''
          return commit(() => log.add({ kind: 'nobody', origin: address }, 'sign in', subject, {}, refused))
        }
        const administrator = await signIn({ name, password, address }, headers, 'Name or password is wrong.', onWrong)
        const step = secondSteps.begin(administrator, 'password')
        if (step !== null) return arrival.shown(null, step)
        return arrival.signedIn(
          administrator,
          await commit(() => arrival.begin(administrator, 'password', address)),
          headers,
        )
      },
      adminCall('Session', 'Sign in. With a second factor, this returns a step to continue with', {
        action: 'sign in',
        answer: SessionAnswer,
        body: SignIn,
      }),
    )
    .post(
      '/api/session/code',
      async ({ body: { step, code }, request: { headers }, address }) => {
        const finished = await commit(() => {
          const outcome = secondSteps.finish(step, code)
          if (outcome.kind === 'over' || outcome.kind === 'wait') return outcome
          const { administrator } = outcome
          if (outcome.kind === 'right') {
            const how = `${outcome.first} and ${outcome.proof}`
            return { ...outcome, session: arrival.begin(administrator, how, address) }
          }
          const by = { kind: 'administrator', ...administrator, origin: address } as const
          log.add(by, 'sign in', '', { how: 'code' }, { result: 'refused', code: WRONG_CODE.code })
          return outcome
        })
        if (finished.kind === 'over') throw new Refused(OVER)
        if (finished.kind === 'wait') throw new Refused(tooManyCodes(finished.seconds))
        if (finished.kind === 'wrong') throw new Refused(WRONG_CODE)
        return arrival.signedIn(finished.administrator, finished.session, headers)
      },
      adminCall('Session', 'The second step of signing in: a code of the authenticator app, or a recovery code', {
        action: 'sign in',
        answer: SessionAnswer,
        body: FinishSignIn,
      }),
    )
    .delete(
      '/api/session',
      async ({ change, session, request: { headers } }) => {
        if (session !== null) await change('', () => sessions.end(session))
        return arrival.signedOut(headers)
      },
      adminCall('Session', 'Sign out here', { action: 'sign out', answer: SessionAnswer }),
    )
    .delete(
      '/api/sessions',
      async ({ actor, change, request: { headers } }) => {
        if (actor?.kind !== 'administrator') throw new Refused(failure('InvalidArgument', 'A token has no sessions.'))
        await change('', () => sessions.endAll(actor))
        return arrival.signedOut(headers)
      },
      adminCall('Session', 'Sign out everywhere', { action: 'sign out everywhere', answer: SessionAnswer }),
    )
    .put(
      '/api/password',
      async ({ actor, change, body, request: { headers }, address }) => {
        if (actor?.kind !== 'administrator') throw new Refused(failure('InvalidArgument', 'A token has no password.'))
        const current = { name: actor.name, password: body.current, address }
        const administrator = await signIn(current, headers, 'current is wrong.')
        const hash = await newPasswordHash(passwords, body.password, administrator.name)
        const session = await change('', () => {
          administrators.setPassword(administrator.name, hash)
          sessions.endAll(administrator)
          return sessions.start(administrator)
        })
        return arrival.signedIn(administrator, session, headers)
      },
      adminCall('Session', 'Change your password and end all other sessions', {
        action: 'change password',
        answer: SessionAnswer,
        body: ChangePassword,
      }),
    )
}

/** Throws `Refused` for an easily guessed password, or when too many are being hashed. */
export async function newPasswordHash(passwords: Passwords, password: string, name: string): Promise<string> {
  const why = await guessableAs(password, name)
  if (why !== null) throw invalid('password', why)
  const hash = await passwords.hash(password)
  if (hash === null) throw new Refused(BUSY)
  return hash
}

const OVER = failure('InvalidCredentials', 'step has expired, or is unknown: sign in again.')
