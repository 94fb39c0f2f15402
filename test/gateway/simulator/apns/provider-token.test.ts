import { beforeAll, describe, expect, test } from 'bun:test'
import { createProviderTokenCheck } from '../../../../src/gateway/simulator/apns/provider-token.ts'
import type { CheckProviderToken } from '../../../../src/gateway/simulator/apns/provider-token.ts'
import { createKnownCredentials } from '../../../../src/gateway/simulator/known-credentials.ts'
import type { IssuedCredentials, KnownCredentials } from '../../../../src/gateway/simulator/known-credentials.ts'
import { providerToken, signJws } from '../signing.ts'

const NOW = Date.UTC(2026, 0, 1)
const MINUTE = 60_000
type Key = IssuedCredentials['apnsKey']

let known: KnownCredentials
let mine: Key
let other: Key
beforeAll(async () => {
  known = await createKnownCredentials()
  mine = known.issue('mine').apnsKey
  other = known.issue('other').apnsKey
})

function connection(
  rules: { environment?: 'production' | 'sandbox'; limitUpdates?: boolean } = {},
): CheckProviderToken {
  const { environment = 'production', limitUpdates = true } = rules
  return createProviderTokenCheck({ keyOf: (keyId) => known.apnsKey(keyId), environment, limitUpdates })
}

const accepted = (key: Key) => ({ teamId: key.teamId, topics: [key.topic] })

describe('a provider token', () => {
  test('of a known key and team is accepted, again and again', () => {
    const check = connection()
    const token = providerToken(mine, NOW)
    expect(check(token, NOW)).toMatchObject(accepted(mine))
    expect(check(token, NOW + 59 * MINUTE)).toMatchObject(accepted(mine))
  })

  test.each([undefined, '', 'bearer', 'Basic dTpw'])('is missing from %p', (authorization) => {
    expect(connection()(authorization, NOW)).toBe('MissingProviderToken')
  })

  test('may say Bearer or bearer', () => {
    expect(connection()(providerToken(mine, NOW).replace('bearer', 'Bearer'), NOW)).toMatchObject(accepted(mine))
  })

  test.each(['x', 'a.b', 'a.b.c', 'a.b.c.d', `${btoa('[]')}.${btoa('{}')}.x`])(
    'that is no JWT is invalid: %s',
    (text) => {
      expect(connection()(`bearer ${text}`, NOW)).toBe('InvalidProviderToken')
    },
  )

  test('of an unknown key is invalid', () => {
    expect(connection()(providerToken({ ...mine, keyId: 'UNKNOWN000' }, NOW), NOW)).toBe('InvalidProviderToken')
  })

  test('of another team than the key belongs to is invalid', () => {
    expect(connection()(providerToken({ ...mine, teamId: other.teamId }, NOW), NOW)).toBe('InvalidProviderToken')
  })

  test('with a changed claim no longer fits its signature', () => {
    const [header, , signature] = providerToken(mine, NOW).split('.')
    const [, claims] = providerToken(mine, NOW + 1000).split('.')
    expect(connection()([header, claims, signature].join('.'), NOW)).toBe('InvalidProviderToken')
  })

  test.each([
    ['without iat', { iss: true }],
    ['with iat as text', { iss: true, iat: '1767225600' }],
    ['without iss', { iat: NOW / 1000 }],
  ])('%s is invalid', (_name, { iss, ...claims }: { iss?: boolean; iat?: unknown }) => {
    const issuer = iss === true ? { iss: mine.teamId } : {}
    const jwt = signJws('ES256', mine.p8, { alg: 'ES256', kid: mine.keyId }, { ...issuer, ...claims })
    expect(connection()(`bearer ${jwt}`, NOW)).toBe('InvalidProviderToken')
  })

  test('that does not name ES256 is invalid', () => {
    const jwt = signJws('ES256', mine.p8, { alg: 'none', kid: mine.keyId }, { iss: mine.teamId, iat: NOW / 1000 })
    expect(connection()(`bearer ${jwt}`, NOW)).toBe('InvalidProviderToken')
  })

  test.each([
    [-60 * MINUTE, true],
    [-60 * MINUTE - 1000, false],
    [60 * MINUTE, true],
    [60 * MINUTE + 1000, false],
  ])('issued %d ms from now: %p', (offset, fresh) => {
    const result = connection()(providerToken(mine, NOW + offset), NOW)
    if (fresh) expect(result).toMatchObject(accepted(mine))
    else expect(result).toBe('ExpiredProviderToken')
  })
})

describe('a connection', () => {
  test('whose token grew old is wedged: it refuses good tokens too', () => {
    const check = connection()
    const old = providerToken(mine, NOW)
    check(old, NOW)
    const later = NOW + 61 * MINUTE
    expect(check(old, later)).toBe('ExpiredProviderToken')
    const fresh = providerToken(mine, later)
    expect(check(fresh, later)).toBe('ExpiredProviderToken')
    expect(connection()(fresh, later)).toMatchObject(accepted(mine))
  })

  test('that began with an expired token is wedged as well', () => {
    const check = connection()
    expect(check(providerToken(mine, NOW - 61 * MINUTE), NOW)).toBe('ExpiredProviderToken')
    expect(check(providerToken(mine, NOW), NOW)).toBe('ExpiredProviderToken')
  })

  test('takes a new token once in 20 minutes, and keeps the old one until then', () => {
    const check = connection()
    const first = providerToken(mine, NOW)
    check(first, NOW)
    const early = NOW + 19 * MINUTE
    expect(check(providerToken(mine, early), early)).toBe('TooManyProviderTokenUpdates')
    expect(check(first, early)).toMatchObject(accepted(mine))
    const due = NOW + 20 * MINUTE
    expect(check(providerToken(mine, due), due)).toMatchObject(accepted(mine))
  })

  test('can be told not to count new tokens', () => {
    const check = connection({ limitUpdates: false })
    check(providerToken(mine, NOW), NOW)
    expect(check(providerToken(mine, NOW + 1000), NOW + 1000)).toMatchObject(accepted(mine))
  })

  test('serves one team only', () => {
    const check = connection()
    check(providerToken(mine, NOW), NOW)
    expect(check(providerToken(other, NOW), NOW)).toBe('InvalidProviderToken')
  })

  test('takes a key of the other environment nowhere', () => {
    const { p8, topic } = mine
    const key = { p8, topic, keyId: 'SANDBOX000', teamId: 'TEAM000000' }
    known.accept({ ...key, kind: 'apns-key', key: p8, topics: [topic], environment: 'sandbox' })
    const token = providerToken(key, NOW)
    expect(connection()(token, NOW)).toBe('BadEnvironmentKeyInToken')
    expect(connection({ environment: 'sandbox' })(token, NOW)).toMatchObject(accepted(key))
  })
})
