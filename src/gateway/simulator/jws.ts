import { verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { parseJsonObject } from '../../text/json-object.ts'
import type { JsonObject } from '../../text/json-object.ts'

/** Not verified (RFC 7515, compact serialization). */
export interface Jws {
  readonly header: JsonObject
  readonly claims: JsonObject
  readonly signedText: string
  readonly signature: Buffer
}

export function readJws(text: string): Jws | null {
  const [header, claims, signature, ...rest] = text.split('.')
  if (header === undefined || claims === undefined || signature === undefined || rest.length > 0) return null
  const parsedHeader = parseJsonObject(Buffer.from(header, 'base64url').toString())
  const parsedClaims = parseJsonObject(Buffer.from(claims, 'base64url').toString())
  if (parsedHeader === null || parsedClaims === null) return null
  return {
    header: parsedHeader,
    claims: parsedClaims,
    signedText: `${header}.${claims}`,
    signature: Buffer.from(signature, 'base64url'),
  }
}

/** RFC 7518, 3.3 and 3.4. */
export function isSignedBy(jws: Jws, algorithm: 'ES256' | 'RS256', key: KeyObject): boolean {
  if (jws.header['alg'] !== algorithm) return false
  const data = Buffer.from(jws.signedText)
  // For ECDSA: JSON web tokens carry r and s bare, not in DER.
  return verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, jws.signature)
}
