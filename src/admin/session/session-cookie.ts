import { DAY_MS, HOUR_MS } from '../../clock.ts'
import { cameSecurely } from '../own-names.ts'

/** A session without a call for so long is over. */
export const MAX_IDLE_MS = 24 * HOUR_MS

/** A session is over after this, whatever is done in it. */
export const MAX_SESSION_MS = 30 * DAY_MS

/** How long a browser that signed in is known: see `createKnownBrowsers`. */
export const MAX_KNOWN_MS = 180 * DAY_MS

export const sessionCookie = cookie('bellhop', MAX_SESSION_MS)
export const browserCookie = cookie('bellhop-browser', MAX_KNOWN_MS)

/**
 * Over https the name has a prefix by which the browser holds the cookie to this one host (RFC 6265bis, 4.1.3.2), and it
 * goes nowhere else. Over plain http there is no such cookie: Safari takes none that is `Secure` from http://localhost.
 */
function cookie(plain: string, maxAgeMs: number) {
  const secured = `__Host-${plain}`
  return {
    /** A `Set-Cookie`. `value`: `''` takes it away. `secure`: whether the browser came by https. */
    set(value: string, secure: boolean): string {
      const ends = value === '' ? 0 : maxAgeMs / 1000
      const name = secure ? secured : plain
      return `${name}=${value}; Path=/; Max-Age=${ends}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
    },

    /**
     * What the cookie of a request holds; `null`: it has none. Over https that without the prefix is not read: whoever can
     * answer for this name over plain http could have set it, and have somebody else work in a session of theirs.
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
