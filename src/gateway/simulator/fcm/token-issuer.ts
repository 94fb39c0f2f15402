import { DAY_MS } from '../../../clock.ts'
import { isSignedBy, readJws } from '../jws.ts'
import type { Jws } from '../jws.ts'
import type { SimulatedAnswer } from '../http2/reply.ts'
import type { ServiceAccount } from '../known-credentials.ts'
import { googleAnswer } from './google-error.ts'

type Grant =
  | { readonly kind: 'granted'; readonly account: ServiceAccount; readonly claims: Jws['claims'] }
  | { readonly kind: 'refused'; readonly answer: SimulatedAnswer }

type Lookup =
  | { readonly kind: 'valid'; readonly account: ServiceAccount }
  | { readonly kind: 'expired' }
  | { readonly kind: 'unknown' }

/** Google's clock, or its copy of the keys, is behind. */
export type GrantFault = 'clock' | 'key'

export type TokenIssuer = ReturnType<typeof createTokenIssuer>

export interface TokenIssuerOptions {
  readonly accountOf: (clientEmail: string) => ServiceAccount | undefined
  readonly audiences: () => readonly string[]
  readonly newId: () => string
}

/** Google's token endpoint for service accounts ("Using OAuth 2.0 for server to server applications"; RFC 7523). */
export function createTokenIssuer({ accountOf, audiences, newId }: TokenIssuerOptions) {
  const issued = new Map<string, { readonly account: ServiceAccount; readonly endsAt: number }>()
  const faults = new Map<string, GrantFault>()
  return {
    check(form: URLSearchParams, now: number): Grant {
      const grantType = form.get('grant_type') ?? ''
      if (grantType !== JWT_BEARER) return refused('unsupported_grant_type', `Invalid grant_type: ${grantType}`)
      const jws = readJws(form.get('assertion') ?? '')
      if (jws === null) return refused('invalid_grant', 'Bad Request')
      const { iss, scope, aud } = jws.claims
      const account = typeof iss === 'string' ? accountOf(iss) : undefined
      if (account === undefined) return refused('invalid_grant', 'Invalid grant: account not found')
      if (!isSignedBy(jws, 'RS256', account.publicKey)) return refused('invalid_grant', BAD_SIGNATURE)
      if (typeof aud !== 'string' || !audiences().includes(aud)) {
        return refused('invalid_grant', `Invalid JWT: Failed audience check. The right audience is ${audiences()[0]}`)
      }
      if (!isShortLived(jws.claims, now)) return refused('invalid_grant', NOT_SHORT_LIVED)
      if (typeof scope !== 'string' || !scope.split(' ').some((each) => SCOPES.has(each))) {
        return refused('invalid_scope', 'Invalid OAuth scope or ID token audience provided.')
      }
      const fault = faults.get(account.projectId)
      faults.delete(account.projectId)
      if (fault !== undefined) return refused('invalid_grant', fault === 'clock' ? NOT_SHORT_LIVED : BAD_SIGNATURE)
      return { kind: 'granted', account, claims: jws.claims }
    },
    /** `passed`: monotonic, in ms, as for `lookUp`. */
    issue(account: ServiceAccount, passed: number): SimulatedAnswer {
      for (const [token, { endsAt }] of issued) if (passed - endsAt > KEEP_EXPIRED_MS) issued.delete(token)
      const token = `ya29.simulated.${newId()}`
      issued.set(token, { account, endsAt: passed + LIFETIME_SECONDS * 1000 })
      return googleAnswer(200, { access_token: token, expires_in: LIFETIME_SECONDS, token_type: 'Bearer' })
    },
    refuseNext: (projectId: string, fault: GrantFault) => void faults.set(projectId, fault),
    lookUp(token: string, passed: number): Lookup {
      const found = issued.get(token)
      if (found === undefined) return { kind: 'unknown' }
      return passed < found.endsAt ? { kind: 'valid', account: found.account } : { kind: 'expired' }
    },
  }
}

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** `messages:send` needs either. */
const SCOPES = new Set([
  'https://www.googleapis.com/auth/firebase.messaging',
  'https://www.googleapis.com/auth/cloud-platform',
])
const LIFETIME_SECONDS = 3599
/** Long enough to call a token expired rather than unknown. */
const KEEP_EXPIRED_MS = DAY_MS
const MAX_LIFETIME_SECONDS = 3600
/** How far a client's clock may be ahead. */
const SKEW_SECONDS = 300
const BAD_SIGNATURE = 'Invalid JWT Signature.'
const NOT_SHORT_LIVED =
  'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.'

function isShortLived({ iat, exp }: Jws['claims'], now: number): boolean {
  if (typeof iat !== 'number' || typeof exp !== 'number') return false
  const seconds = now / 1000
  return iat <= seconds + SKEW_SECONDS && exp > seconds && exp - iat <= MAX_LIFETIME_SECONDS
}

function refused(error: string, description: string): Grant {
  return { kind: 'refused', answer: googleAnswer(400, { error, error_description: description }) }
}
