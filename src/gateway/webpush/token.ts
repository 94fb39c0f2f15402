import { importPKCS8, SignJWT } from 'jose'
import type { VapidCredential } from '../../application/vapid.ts'
import { HOUR_MS, MINUTE_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { forgetOldest } from '../../text/forget-oldest.ts'

/** "MUST NOT be more than 24 hours from the time of the request" (RFC 8292, 2): well below, since clocks differ. */
const LIFE_MS = 12 * HOUR_MS

const RENEW_MS = 6 * HOUR_MS

/** A token from further ahead was signed before the clock was set back. */
const MAX_AHEAD_MS = 5 * MINUTE_MS

export type VapidTokens = ReturnType<typeof createVapidTokens>

/** Signs VAPID tokens (RFC 8292): ES256, one per push service, used for half its life. */
export function createVapidTokens(key: Omit<VapidCredential, 'kind'>, clock: Pick<Clock, 'now'>) {
  const issued = new Map<string, { readonly authorization: string; readonly at: number }>()
  const pending = new Map<string, Promise<string>>()
  let imported: ReturnType<typeof importPKCS8> | null = null

  async function sign(origin: string): Promise<string> {
    const at = clock.now()
    imported ??= importPKCS8(key.privateKey, 'ES256')
    const jwt = await new SignJWT()
      .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
      .setAudience(origin)
      .setExpirationTime(Math.floor((at + LIFE_MS) / 1000))
      .setSubject(key.subject)
      .sign(await imported)
    const authorization = `vapid t=${jwt}, k=${key.publicKey}`
    issued.delete(origin)
    issued.set(origin, { authorization, at })
    forgetOldest(issued, MAX_ORIGINS)
    return authorization
  }

  return {
    /** `origin`: `https://host[:port]`. Rejects if the key is unusable. */
    authorization(origin: string): string | Promise<string> {
      const known = issued.get(origin)
      const ageMs = known === undefined ? Number.NaN : clock.now() - known.at
      if (known !== undefined && ageMs >= -MAX_AHEAD_MS && ageMs < LIFE_MS - RENEW_MS) return known.authorization
      let signing = pending.get(origin)
      if (signing === undefined) {
        signing = sign(origin).finally(() => pending.delete(origin))
        pending.set(origin, signing)
      }
      return signing
    },
  }
}

/** Push services have some dozens of hosts. */
const MAX_ORIGINS = 1000
