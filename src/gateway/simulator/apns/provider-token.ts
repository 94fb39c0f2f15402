import { HOUR_MS, MINUTE_MS } from '../../../clock.ts'
import type { Environment } from '../../../device/device.ts'
import { isSignedBy, readJws } from '../jws.ts'
import type { ApnsKey } from '../known-credentials.ts'
import type { ApnsReason } from '../../apns/answers.ts'

/*
 * Apple's rules for the provider tokens of one connection ("Establishing a token-based connection to APNs").
 *
 *   unbound   no valid token yet
 *   bound     to the team of the first valid token; other teams' tokens are refused
 *   wedged    by an expired token: every later token is refused as expired (observed by the makers of pushy)
 */

/** Returns the key, or why it refuses. */
export type CheckProviderToken = (authorization: string | undefined, now: number) => ApnsKey | ApnsReason

export interface ProviderTokenRules {
  readonly keyOf: (keyId: string) => ApnsKey | undefined
  readonly environment: Environment
  readonly limitUpdates: boolean
}

export function createProviderTokenCheck({ keyOf, environment, limitUpdates }: ProviderTokenRules): CheckProviderToken {
  let bound: { readonly jwt: string; readonly key: ApnsKey; readonly issuedAt: number; readonly since: number } | null =
    null
  let wedged = false

  return (authorization, now) => {
    const jwt = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
    if (jwt === undefined) return 'MissingProviderToken'
    if (wedged) return 'ExpiredProviderToken'
    // The usual case: verifying a signature is expensive.
    if (bound?.jwt === jwt) {
      if (isTimely(bound.issuedAt, now)) return bound.key
      wedged = true
      return 'ExpiredProviderToken'
    }
    const fresh = verifyProviderToken(jwt, keyOf)
    if (fresh === null) return 'InvalidProviderToken'
    if (!isTimely(fresh.issuedAt, now)) {
      wedged = true
      return 'ExpiredProviderToken'
    }
    if (fresh.key.environment !== null && fresh.key.environment !== environment) return 'BadEnvironmentKeyInToken'
    if (bound !== null && bound.key.teamId !== fresh.key.teamId) return 'InvalidProviderToken'
    if (bound !== null && limitUpdates && now - bound.since < MIN_UPDATE_MS) return 'TooManyProviderTokenUpdates'
    bound = { jwt, ...fresh, since: now }
    return fresh.key
  }
}

/** "No more than one hour from the current time", and no new one "more than once every 20 minutes". */
const MAX_AGE_MS = HOUR_MS
const MIN_UPDATE_MS = 20 * MINUTE_MS

function isTimely(issuedAt: number, now: number): boolean {
  return Math.abs(now - issuedAt) <= MAX_AGE_MS
}

function verifyProviderToken(
  jwt: string,
  keyOf: (keyId: string) => ApnsKey | undefined,
): { readonly key: ApnsKey; readonly issuedAt: number } | null {
  const jws = readJws(jwt)
  const keyId = jws?.header['kid']
  const issuedAtSeconds = jws?.claims['iat']
  if (jws === null || typeof keyId !== 'string' || typeof issuedAtSeconds !== 'number') return null
  const key = keyOf(keyId)
  if (key === undefined || jws.claims['iss'] !== key.teamId || !isSignedBy(jws, 'ES256', key.publicKey)) return null
  return { key, issuedAt: issuedAtSeconds * 1000 }
}
