import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { MAX_KNOWN_MS } from './session-cookie.ts'

interface Options {
  /** 32 bytes: the sealing key, of which another one is made for this alone. */
  readonly key: Uint8Array
  readonly clock: Pick<Clock, 'now'>
  /** Bytes, as many as asked for. Default the system's. */
  readonly random?: (length: number) => Uint8Array
}

export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>

/**
 * Browsers in which somebody has signed in, by a signed cookie (OWASP, "Slow Down Online Guessing Attacks with Device
 * Cookies"). It opens nothing: a guess that comes with it counts for that browser alone, so who guesses elsewhere does not
 * keep its administrator out. Nothing is stored. The hash of the password is signed along, and its salt is of one
 * administrator: the cookie is good for no other name, and ends with the password.
 */
export function createKnownBrowsers({ key, clock, random = randomBytes }: Options) {
  const own = new Uint8Array(hkdfSync('sha256', key, '', 'bellhop known browser', 32))
  const signature = (id: string, until: string, passwordHash: string) =>
    createHmac('sha256', own)
      .update(JSON.stringify([id, until, passwordHash]))
      .digest()

  return {
    /** What the cookie is to hold. */
    make(passwordHash: string): string {
      const id = Buffer.from(random(16)).toString('base64url')
      const until = String(clock.now() + MAX_KNOWN_MS)
      return [id, until, signature(id, until, passwordHash).toString('base64url')].join('.')
    },

    /** Which browser that is; `null`: none that has signed in with this password. */
    idIn(cookie: string, passwordHash: string): string | null {
      const [id = '', until = '', signed = ''] = cookie.split('.')
      const given = Buffer.from(signed, 'base64url')
      const right = signature(id, until, passwordHash)
      if (given.length !== right.length || !timingSafeEqual(given, right)) return null
      return clock.now() < Number(until) ? id : null
    },
  }
}
