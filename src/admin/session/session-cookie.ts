import { DAY_MS, HOUR_MS } from '../../clock.ts'
import { cameSecurely } from '../own-names.ts'

/** Without a call. */
export const MAX_IDLE_MS = 24 * HOUR_MS

/** In any case. */
export const MAX_SESSION_MS = 30 * DAY_MS

/** See `createKnownBrowsers`. */
export const MAX_KNOWN_MS = 180 * DAY_MS

export const sessionCookie = cookie('bellhop', MAX_SESSION_MS)
export const browserCookie = cookie('bellhop-browser', MAX_KNOWN_MS)

/**
 * Over https the `__Host-` prefix binds the cookie to this host (RFC 6265bis, 4.1.3.2). Over plain http it cannot:
 * Safari ignores `Secure` cookies from http://localhost.
 */
function cookie(plain: string, maxAgeMs: number) {
  const secured = `__Host-${plain}`
  return {
    /** For `Set-Cookie`. `value`: `''` deletes the cookie. `secure`: whether the browser uses https. */
    set(value: string, secure: boolean): string {
      const ends = value === '' ? 0 : maxAgeMs / 1000
      const name = secure ? secured : plain
      return `${name}=${value}; Path=/; Max-Age=${ends}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
    },

    /**
     * `null`: no cookie. Over https only the prefixed name counts: an attacker who answers for this host over plain
     * http could set the other, and have somebody work in the attacker's session.
     */
    in(headers: Pick<Headers, 'get'>): string | null {
      const cookies = new Map(
        (headers.get('cookie') ?? '').split(';').map((each) => {
          const [name = '', ...value] = each.split('=')
          return [name.trim(), value.join('=').trim()]
        }),
      )
      return cookies.get(secured) || (!cameSecurely(headers) && cookies.get(plain)) || null
    },
  }
}
