import { isoOrNull } from '../../text/format.ts'
import { VERSION } from '../../version.ts'
import type { AdminLogStore } from '../admin-log-store.ts'
import type { AdministratorStore } from '../administrator-store.ts'
import type { Actor, Administrator } from '../administrator.ts'
import type { SessionAnswer } from '../api-types/session-types.ts'
import { cameSecurely } from '../own-names.ts'
import type { AdminSessionStore } from './admin-session-store.ts'
import type { KnownBrowsers } from './known-browsers.ts'
import { browserCookie, sessionCookie } from './session-cookie.ts'

interface Dependencies {
  readonly administrators: AdministratorStore
  readonly sessions: AdminSessionStore
  readonly browsers: KnownBrowsers
  readonly log: AdminLogStore
  readonly publicUrl: () => string
}

export type Arrival = ReturnType<typeof createArrival>

export function createArrival({ administrators, sessions, browsers, log, publicUrl }: Dependencies) {
  const shown = (actor: Actor | null, step: string | null = null): SessionAnswer => ({
    administrator: actor?.kind === 'administrator' ? { name: actor.name } : null,
    token:
      actor?.kind === 'token'
        ? { name: actor.name, purpose: actor.purpose, expiresAt: isoOrNull(actor.expiresAt) }
        : null,
    step,
    isSetUp: administrators.any(),
    service: actor === null ? null : { version: VERSION, url: publicUrl() },
  })

  /** `session`: the cookie's value; `''` signs out. */
  const withSession = (session: string, actor: Actor | null, headers: Headers): Response =>
    Response.json(shown(actor), {
      headers: { 'set-cookie': sessionCookie.set(session, cameSecurely(headers)), 'cache-control': 'no-store' },
    })

  return {
    shown,

    /** Starts a session, in a transaction. Returns the cookie's value. */
    begin(administrator: Administrator, how: string, origin: string): string {
      log.add({ kind: 'administrator', ...administrator, origin }, 'sign in', '', { how })
      return sessions.start(administrator)
    },

    signedOut: (headers: Headers): Response => withSession('', null, headers),

    /** Also remembers the browser as the administrator's. */
    signedIn(administrator: Administrator, session: string, headers: Headers): Response {
      const response = withSession(session, { kind: 'administrator', ...administrator }, headers)
      const hash = administrators.hashOf(administrator.name)
      if (hash !== null) {
        response.headers.append('set-cookie', browserCookie.set(browsers.make(hash), cameSecurely(headers)))
      }
      return response
    },
  }
}
