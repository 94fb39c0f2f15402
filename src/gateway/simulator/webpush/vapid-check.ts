import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { DAY_MS } from '../../../clock.ts'
import { isSignedBy, readJws } from '../http2/jws.ts'

/** Who sends: the subject of the token. */
export type VapidVerdict =
  | { readonly kind: 'sender'; readonly subject: string }
  | { readonly kind: 'missing' }
  /** In order, and of another sender than the subscription was made for. */
  | { readonly kind: 'stranger' }
  | { readonly kind: 'refused'; readonly reason: string }

interface Circumstances {
  /** Of the endpoint. */
  readonly origin: string
  /** Milliseconds since the Unix epoch. */
  readonly now: number
  /** Whether subscriptions here are made with this public key, in base64url. */
  readonly isKnown: (publicKey: string) => boolean
}

/** What RFC 8292 asks of the value of `authorization`, and Apple of the token's subject. */
export function checkVapid(authorization: string | undefined, { origin, now, isKnown }: Circumstances): VapidVerdict {
  const [, given = ''] = /^vapid +(.*)$/i.exec(authorization ?? '') ?? []
  const fields = new Map(given.split(',').map((field) => [field.trim().slice(0, 2), field.trim().slice(2)]))
  const token = fields.get('t=')
  const publicKey = fields.get('k=')
  if (token === undefined || publicKey === undefined) return { kind: 'missing' }
  const refused = (reason: string): VapidVerdict => ({ kind: 'refused', reason })
  const jws = readJws(token)
  const key = keyOf(publicKey)
  if (jws === null || key === null || !isSignedBy(jws, 'ES256', key)) return refused('InvalidSignature')
  if (!isKnown(publicKey)) return { kind: 'stranger' }
  const { aud, exp, sub } = jws.claims
  if (aud !== origin) return refused('BadAudience')
  if (typeof exp !== 'number' || exp * 1000 <= now) return refused('ExpiredToken')
  if (exp * 1000 > now + DAY_MS) return refused('TooLongExpiration')
  if (typeof sub !== 'string' || !/^(mailto:|https:)/.test(sub)) return refused('BadSubject')
  return { kind: 'sender', subject: sub }
}

function keyOf(text: string): KeyObject | null {
  const point = Buffer.from(text, 'base64url')
  if (point.length !== 65 || point[0] !== 4) return null
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  } catch {
    // It is no point of the curve.
    return null
  }
}
