import { ECDH } from 'node:crypto'

/** For the encryption of messages to one browser (RFC 8291, 3.1 and 3.2). */
export interface SubscriptionKeys {
  /** An uncompressed point on P-256, 65 bytes. */
  readonly p256dh: Uint8Array
  readonly auth: Uint8Array
}

const POINT_BYTES = 65
const SECRET_BYTES = 16

/** base64url without padding (Push API, `PushSubscription.toJSON`). */
const BASE64URL = /^[A-Za-z0-9_-]+$/

/** `expected` ends the sentence `keys.p256dh …` or `keys.auth …`. */
export function readSubscriptionKeys(given: {
  readonly p256dh: string
  readonly auth: string
}):
  | { readonly kind: 'keys'; readonly keys: SubscriptionKeys }
  | { readonly kind: 'invalid'; readonly field: 'p256dh' | 'auth'; readonly expected: string } {
  const p256dh = bytesOf(given.p256dh, POINT_BYTES)
  if (p256dh === null || !isPoint(p256dh)) {
    const expected = 'must be a public key of P-256: an uncompressed point, 65 bytes in base64url without padding'
    return { kind: 'invalid', field: 'p256dh', expected }
  }
  const auth = bytesOf(given.auth, SECRET_BYTES)
  if (auth === null) {
    return { kind: 'invalid', field: 'auth', expected: 'must be 16 bytes in base64url without padding' }
  }
  return { kind: 'keys', keys: { p256dh, auth } }
}

/** `null`: wrong length, or not a browser's spelling. */
function bytesOf(text: string, length: number): Uint8Array | null {
  if (text.length !== Math.ceil((length * 4) / 3) || !BASE64URL.test(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  // The last character may carry unused bits.
  return bytes.toString('base64url') === text ? bytes : null
}

/** P-256 has prime order: every point but infinity is a key, and infinity has another form. */
function isPoint(bytes: Uint8Array): boolean {
  if (bytes[0] !== UNCOMPRESSED) return false
  try {
    ECDH.convertKey(bytes, 'prime256v1')
    return true
  } catch {
    // OpenSSL refuses points off the curve.
    return false
  }
}

/** SEC 1, 2.3.3. */
const UNCOMPRESSED = 4
