import { beforeAll, describe, expect, test } from 'bun:test'
import { createTokenIssuer } from '../../../../src/gateway/simulator/fcm/token-issuer.ts'
import type { TokenIssuer } from '../../../../src/gateway/simulator/fcm/token-issuer.ts'
import { createKnownCredentials } from '../../../../src/gateway/simulator/known-credentials.ts'
import type { KnownCredentials } from '../../../../src/gateway/simulator/known-credentials.ts'
import { grantForm, readAccount } from '../signing.ts'

const NOW = Date.UTC(2026, 0, 1)
const SECONDS = NOW / 1000

let known: KnownCredentials
let serviceAccount: string
let tokens: TokenIssuer
beforeAll(async () => {
  known = await createKnownCredentials()
  serviceAccount = known.issue('mine').serviceAccount
  let made = 0
  tokens = createTokenIssuer({
    accountOf: (email) => known.serviceAccount(email),
    audiences: () => ['https://oauth2.googleapis.com/token', 'https://127.0.0.1:1/token'],
    newId: () => `id-${++made}`,
  })
})

const refused = (error: string, error_description: string) => ({
  kind: 'refused',
  answer: {
    status: 400,
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    body: `${JSON.stringify({ error, error_description }, null, 2)}\n`,
  },
})

describe('a grant', () => {
  const check = (form: URLSearchParams): unknown => tokens.check(form, NOW)

  test('signed by a known account is granted', () => {
    const { client_email: clientEmail, project_id: projectId } = readAccount(serviceAccount)
    expect(check(grantForm(serviceAccount, NOW))).toMatchObject({
      kind: 'granted',
      account: { clientEmail, projectId },
    })
  })

  test('may be for the address of the endpoint itself, and for several scopes', () => {
    const claims = { aud: 'https://127.0.0.1:1/token', scope: 'openid https://www.googleapis.com/auth/cloud-platform' }
    expect(check(grantForm(serviceAccount, NOW, claims))).toMatchObject({ kind: 'granted' })
  })

  test('must be of the JWT kind', () => {
    const form = grantForm(serviceAccount, NOW)
    form.set('grant_type', 'password')
    expect(check(form)).toEqual(refused('unsupported_grant_type', 'Invalid grant_type: password'))
    expect(check(new URLSearchParams())).toEqual(refused('unsupported_grant_type', 'Invalid grant_type: '))
  })

  test.each(['', 'a.b', 'a.b.c'])('must carry a JWT: %p', (assertion) => {
    const form = grantForm(serviceAccount, NOW)
    form.set('assertion', assertion)
    expect(check(form)).toEqual(refused('invalid_grant', 'Bad Request'))
  })

  test('must be signed by the account it names', () => {
    const form = grantForm(serviceAccount, NOW)
    const [header, claims] = form.get('assertion')?.split('.') ?? []
    form.set('assertion', `${header}.${claims}.${Buffer.from('wrong').toString('base64url')}`)
    expect(check(form)).toEqual(refused('invalid_grant', 'Invalid JWT Signature.'))
  })

  const AUDIENCE = 'Invalid JWT: Failed audience check. The right audience is https://oauth2.googleapis.com/token'
  const TIMES =
    'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.'
  const SCOPE = 'Invalid OAuth scope or ID token audience provided.'

  test.each<[string, object, string, string]>([
    ['of an unknown account', { iss: 'nobody@example.com' }, 'invalid_grant', 'Invalid grant: account not found'],
    ['of no account', { iss: undefined }, 'invalid_grant', 'Invalid grant: account not found'],
    ['for somebody else', { aud: 'https://example.com' }, 'invalid_grant', AUDIENCE],
    ['for nobody', { aud: undefined }, 'invalid_grant', AUDIENCE],
    ['that lives longer than an hour', { exp: SECONDS + 3601 }, 'invalid_grant', TIMES],
    ['that has expired', { iat: SECONDS - 3600, exp: SECONDS }, 'invalid_grant', TIMES],
    ['from the future', { iat: SECONDS + 301, exp: SECONDS + 3600 }, 'invalid_grant', TIMES],
    ['without exp', { exp: undefined }, 'invalid_grant', TIMES],
    ['without iat', { iat: undefined }, 'invalid_grant', TIMES],
    ['for another API', { scope: 'https://www.googleapis.com/auth/drive' }, 'invalid_scope', SCOPE],
    ['without a scope', { scope: undefined }, 'invalid_scope', SCOPE],
  ])('%s is refused', (_name, claims, error, description) => {
    expect(check(grantForm(serviceAccount, NOW, { ...claims }))).toEqual(refused(error, description))
  })
})

describe('an access token', () => {
  const issue = (at: number) => {
    const grant = tokens.check(grantForm(serviceAccount, NOW), NOW)
    if (grant.kind !== 'granted') throw new Error('the grant is in order')
    const { status, body } = tokens.issue(grant.account, at)
    expect(status).toBe(200)
    return JSON.parse(body)
  }

  test('is a bearer token for 3599 seconds, and each one is new', () => {
    const first = issue(NOW)
    expect(first).toEqual({ access_token: expect.any(String), expires_in: 3599, token_type: 'Bearer' })
    expect(issue(NOW).access_token).not.toBe(first.access_token)
  })

  test('stands for its account until it expires', () => {
    const { access_token: token } = issue(NOW)
    const { client_email: clientEmail } = readAccount(serviceAccount)
    expect(tokens.lookUp(token, NOW + 3_598_999)).toMatchObject({ kind: 'valid', account: { clientEmail } })
    expect(tokens.lookUp(token, NOW + 3_599_000)).toEqual({ kind: 'expired' })
  })

  test('is forgotten a day after it expired', () => {
    const { access_token: token } = issue(NOW)
    const dayLater = NOW + 3_599_000 + 86_400_001
    issue(dayLater)
    expect(tokens.lookUp(token, dayLater)).toEqual({ kind: 'unknown' })
  })

  test('that was never issued is unknown', () => {
    expect(tokens.lookUp('ya29.other', NOW)).toEqual({ kind: 'unknown' })
  })
})
