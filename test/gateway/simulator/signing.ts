import { createPrivateKey, sign } from 'node:crypto'
import type { IssuedCredentials } from '../../../src/gateway/simulator/known-credentials.ts'

type Part = Readonly<Record<string, unknown>>

/** A JSON web token, signed by hand so that every part of it can be made wrong. */
export function signJws(algorithm: 'ES256' | 'RS256', privateKey: string, header: Part, claims: Part): string {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const key = createPrivateKey(privateKey)
  const signature = sign('sha256', Buffer.from(text), algorithm === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' } : key)
  return `${text}.${signature.toString('base64url')}`
}

/** The value of `authorization` for APNs; `at` in ms since the Unix epoch. */
export function providerToken({ p8, keyId, teamId }: IssuedCredentials['apnsKey'], at: number): string {
  const claims = { iss: teamId, iat: Math.floor(at / 1000) }
  return `bearer ${signJws('ES256', p8, { alg: 'ES256', kid: keyId }, claims)}`
}

/** The form that asks for an access token; `claims` replace the right ones. */
export function grantForm(serviceAccount: string, at: number, claims: Part = {}): URLSearchParams {
  const { client_email: iss, private_key: key, private_key_id: kid } = readAccount(serviceAccount)
  const iat = Math.floor(at / 1000)
  const assertion = signJws(
    'RS256',
    key,
    { alg: 'RS256', typ: 'JWT', kid },
    {
      iss,
      scope: 'https://www.googleapis.com/auth/firebase.messaging',
      aud: 'https://oauth2.googleapis.com/token',
      iat,
      exp: iat + 3600,
      ...claims,
    },
  )
  return new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
}

export function readAccount(text: string): Readonly<Record<string, string>> & {
  readonly private_key: string
  readonly project_id: string
  readonly client_email: string
} {
  return JSON.parse(text)
}
