import { importPKCS8, SignJWT } from 'jose'
import type { FcmCredential } from '../../application/credential.ts'
import { MINUTE_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { retryAfterMs } from '../../network/retry-after.ts'
import { parseJsonObject } from '../../text/json-object.ts'
import { blameClock } from '../clock-fault.ts'
import type { Outcome } from '../gateway.ts'
import { outcomeOfFailure } from '../transport/failures.ts'
import { answerTo, DEADLINE_MS } from '../transport/transport.ts'
import type { OpenTransport } from '../transport/transport.ts'

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const HEADERS = { 'content-type': 'application/x-www-form-urlencoded', 'accept-encoding': 'identity' }
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** The maximum (Google, "Using OAuth 2.0 for server to server applications"). */
const ASSERTION_SECONDS = 3600

/** Google's tokens last an hour: renew while the old one works. */
const RENEW_BEFORE_MS = 10 * MINUTE_MS

/** It could expire on the way. */
const MARGIN_MS = MINUTE_MS

/** After a failed renewal. */
const RENEW_AGAIN_MS = 30_000

/** So a device that is always refused costs little. */
const EXPIRE_AGAIN_MS = 30_000

export interface AccessTokensOptions {
  readonly credential: FcmCredential
  /** The full URL. Google's: https://oauth2.googleapis.com/token. */
  readonly tokenUrl: string
  readonly ca?: string | undefined
  readonly openTransport: OpenTransport
  readonly clock: Clock
}

export type AccessTokens = ReturnType<typeof createAccessTokens>

interface Issued {
  readonly authorization: string
  /** Monotonic, in ms, as is `expiresAt`: the time of day may be corrected. */
  readonly renewAt: number
  readonly expiresAt: number
}

/** Gets values of `authorization` for a JWT signed by the service account (RFC 7523), one request at a time. */
export function createAccessTokens(options: AccessTokensOptions) {
  const { credential, tokenUrl, ca, openTransport, clock } = options
  const { origin, pathname, search } = new URL(tokenUrl)
  // A private endpoint may speak only HTTP/1.1.
  const transport = openTransport(origin, { ca, deadlineMs: DEADLINE_MS, olderWillDo: true })
  let issued: Issued | null = null
  let pending: Promise<string | Outcome> | null = null
  let expiredAt = Number.NEGATIVE_INFINITY

  async function request(): Promise<Issued | Outcome> {
    const askedAt = clock.monotonic()
    const assertion = await sign(credential, tokenUrl, Math.floor(clock.now() / 1000)).catch(() => null)
    if (assertion === null) return { kind: 'misconfigured', reason: 'the private key cannot be used', certain: true }
    const body = new URLSearchParams({ grant_type: GRANT_TYPE, assertion }).toString()
    const answer = await answerTo(transport, { path: pathname + search, headers: HEADERS, body })
    // Nothing can be sent without a token, whether or not this request arrived.
    if (answer.kind === 'failed') return outcomeOfFailure({ ...answer, sent: 'no' })
    const retryMs = retryAfterMs(answer.header('retry-after'), clock.now())
    const grant = readGrant(answer.status, answer.body, retryMs, askedAt)
    if ('authorization' in grant || grant.kind !== 'misconfigured') return grant
    const blamed = blameClock(grant, { date: answer.header('date'), now: clock.now(), whose: 'Google' })
    if (blamed !== grant || !/short-lived|timeframe/i.test(grant.reason)) return blamed
    // Even without a date: Google's words concern only the assertion's time.
    return { ...grant, reason: `${grant.reason.replace(/\.$/, '')}: is this machine's clock right?` }
  }

  async function renew(): Promise<string | Outcome> {
    const result = await request().finally(() => (pending = null))
    if ('authorization' in result) {
      issued = result
      return result.authorization
    }
    if (issued !== null) issued = { ...issued, renewAt: clock.monotonic() + RENEW_AGAIN_MS }
    return result
  }

  return {
    current(): string | Promise<string | Outcome> {
      const now = clock.monotonic()
      if (issued !== null && now < issued.renewAt) return issued.authorization
      pending ??= renew()
      return issued !== null && now < issued.expiresAt ? issued.authorization : pending
    },
    /** Returns whether the next call of `current` gives another token. */
    expired(authorization: string): boolean {
      if (issued?.authorization !== authorization) return true
      const now = clock.monotonic()
      if (now - expiredAt < EXPIRE_AGAIN_MS) return false
      expiredAt = now
      issued = null
      return true
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

async function sign(credential: FcmCredential, audience: string, nowSeconds: number): Promise<string> {
  return await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: credential.privateKeyId })
    .setIssuer(credential.clientEmail)
    .setAudience(audience)
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + ASSERTION_SECONDS)
    .sign(await importPKCS8(credential.privateKey, 'RS256'))
}

/** RFC 6749, 5.1 and 5.2. `askedAt`: monotonic, in ms. */
function readGrant(status: number, body: string, retryMs: number | null, askedAt: number): Issued | Outcome {
  const {
    access_token: token,
    expires_in: seconds,
    error,
    error_description: description,
  } = parseJsonObject(body) ?? {}
  if (status === 200 && typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) {
    const lifeMs = (typeof seconds === 'number' && seconds > 0 ? seconds : ASSERTION_SECONDS) * 1000
    return {
      authorization: `Bearer ${token}`,
      renewAt: askedAt + Math.max(lifeMs - RENEW_BEFORE_MS, lifeMs / 2),
      expiresAt: askedAt + Math.max(lifeMs - MARGIN_MS, lifeMs / 2),
    }
  }
  const said = [error, description].filter((text) => typeof text === 'string').join(': ')
  const reason = `access token: ${said === '' ? `HTTP ${status}` : said}`.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, 200)
  const passing = status < 400 || status >= 500 || status === 408 || status === 429
  return passing
    ? { kind: 'deferred', afterMs: retryMs, scope: 'credential', reason }
    : { kind: 'misconfigured', reason, certain: true }
}
