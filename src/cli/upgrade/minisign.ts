import { createPublicKey, verify } from 'node:crypto'

/*
 * minisign's signatures (jedisct1.github.io/minisign, "Signature format"): Ed25519 over the file's BLAKE2b-512, and
 * once more over that signature and a comment, which is then trusted too.
 */

export interface MinisignKey {
  /** As minisign shows it: `33D784E0AB59F26C`. */
  readonly id: string
  readonly ed25519: Uint8Array
}

/** The key's owner wrote `comment`. Nothing is known of the file before `fitsFile`. */
export interface MinisignSignature {
  readonly kind: 'signature'
  readonly comment: string
  readonly ofFile: Uint8Array
}

export type SignatureFault =
  | 'not a signature'
  /** `minisign -l` signs the file itself, which would have to be in memory. */
  | 'not prehashed'
  | 'another key'
  | 'changed comment'

/** Algorithm, key ID and 32 bytes of the key. */
const KEY_BYTES = 42
const SIGNATURE_BYTES = 74
const COMMENT = 'trusted comment: '

/** From its file, or its base64 line; `null`: neither. */
export function minisignKeyIn(text: string): MinisignKey | null {
  const bytes = decoded(text.trim().split('\n').at(-1) ?? '', KEY_BYTES)
  if (bytes === null || algorithmOf(bytes) !== 'Ed') return null
  return { id: idOf(bytes), ed25519: bytes.subarray(10) }
}

/** Checks the comment, not the file. */
export function readSignature(
  text: string,
  key: MinisignKey,
): MinisignSignature | { readonly kind: 'fault'; readonly fault: SignatureFault } {
  const [untrusted = '', first = '', comment = '', second = ''] = text.split(/\r?\n/)
  const signed = decoded(first, SIGNATURE_BYTES)
  const global = decoded(second, 64)
  const isWhole = untrusted.startsWith('untrusted comment: ') && comment.startsWith(COMMENT)
  if (!isWhole || signed === null || global === null) return { kind: 'fault', fault: 'not a signature' }
  const algorithm = algorithmOf(signed)
  if (algorithm === 'Ed') return { kind: 'fault', fault: 'not prehashed' }
  if (algorithm !== 'ED') return { kind: 'fault', fault: 'not a signature' }
  if (idOf(signed) !== key.id) return { kind: 'fault', fault: 'another key' }
  const ofFile = signed.subarray(10)
  const trusted = comment.slice(COMMENT.length)
  if (!isBy(key, Buffer.concat([ofFile, Buffer.from(trusted)]), global))
    return { kind: 'fault', fault: 'changed comment' }
  return { kind: 'signature', comment: trusted, ofFile }
}

export function fitsFile({ ofFile }: MinisignSignature, blake2b512: Uint8Array, key: MinisignKey): boolean {
  return isBy(key, blake2b512, ofFile)
}

function isBy({ ed25519 }: MinisignKey, message: Uint8Array, signature: Uint8Array): boolean {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(ed25519).toString('base64url') }
  return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature)
}

function decoded(base64: string, length: number): Buffer | null {
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length === length && bytes.toString('base64') === base64.trim() ? bytes : null
}

function algorithmOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 2))
}

/** Stored little-endian. */
function idOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(2, 10)).reverse().toString('hex').toUpperCase()
}
