import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { MAX_KNOWN_MS } from './session-cookie.ts'

interface Options {
  /** The sealing key, 32 bytes, from which this derives its own. */
  readonly key: Uint8Array
  readonly clock: Pick<Clock, 'now'>
  readonly random?: (length: number) => Uint8Array
}

export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>

/**
 * Recognises browsers that signed in before, by a signed cookie (OWASP, "Slow Down Online Guessing Attacks with Device
 * Cookies"). They have their own limit for wrong passwords, so guessing elsewhere does not lock an administrator out.
 * The signature covers the salted password hash: a cookie is for one administrator, until the password changes.
 */
export function createKnownBrowsers({ key, clock, random = randomBytes }: Options) {
  const own = new Uint8Array(hkdfSync('sha256', key, '', 'bellhop known browser', 32))
  const signature = (id: string, until: string, passwordHash: string) =>
    createHmac('sha256', own)
      .update(JSON.stringify([id, until, passwordHash]))
      .digest()

  return {
    /** Returns the cookie's value. */
    make(passwordHash: string): string {
      const id = Buffer.from(random(16)).toString('base64url')
      const until = String(clock.now() + MAX_KNOWN_MS)
      return [id, until, signature(id, until, passwordHash).toString('base64url')].join('.')
    },

    /** `null`: it has not signed in with this password. */
    idIn(cookie: string, passwordHash: string): string | null {
      const [id = '', until = '', signed = ''] = cookie.split('.')
      const given = Buffer.from(signed, 'base64url')
      const right = signature(id, until, passwordHash)
      if (given.length !== right.length || !timingSafeEqual(given, right)) return null
      return clock.now() < Number(until) ? id : null
    },
  }
}
