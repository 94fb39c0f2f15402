import { DAY_MS, HOUR_MS } from '../../clock.ts'

/** A session without a call for so long is over. */
export const MAX_IDLE_MS = 24 * HOUR_MS

/** A session is over after this, whatever is done in it. */
export const MAX_SESSION_MS = 30 * DAY_MS

/**
 * Over https the name has a prefix by which the browser holds the cookie to this one host (RFC 6265bis, 4.1.3.2), and it
 * goes nowhere else. Over plain http there is no such cookie: Safari takes none that is `Secure` from http://localhost.
 */
const SECURE = '__Host-bellhop'
const PLAIN = 'bellhop'

/** A `Set-Cookie`. `value`: `''` takes it away. `secure`: whether the browser came by https. */
export function sessionCookie(value: string, secure: boolean): string {
  const ends = value === '' ? 0 : MAX_SESSION_MS / 1000
  const name = secure ? SECURE : PLAIN
  return `${name}=${value}; Path=/; Max-Age=${ends}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
}

/** What the cookie of a request holds; `null`: it has none. */
export function sessionIn(headers: Pick<Headers, 'get'>): string | null {
  const cookies = new Map(
    (headers.get('cookie') ?? '').split(';').map((cookie) => {
      const [name = '', ...value] = cookie.split('=')
      return [name.trim(), value.join('=').trim()]
    }),
  )
  return cookies.get(SECURE) || cookies.get(PLAIN) || null
}

/** Whether the page that calls was loaded by https, as its browser says: a proxy may have ended TLS. */
export function cameSecurely(headers: Pick<Headers, 'get'>): boolean {
  return headers.get('origin')?.startsWith('https://') === true
}
