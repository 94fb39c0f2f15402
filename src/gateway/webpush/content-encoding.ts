import { createCipheriv, createHmac } from 'node:crypto'

/* The content encoding aes128gcm (RFC 8188), as far as a sender of push messages needs it: one record. */

const KEY_BYTES = 16
const NONCE_BYTES = 12

/** Ends the last record (RFC 8188, 2). */
const LAST_RECORD = 2

/** What a record is encrypted with. */
interface ContentSecrets {
  /** Input keying material. */
  readonly ikm: Uint8Array
  /** 16 bytes, which never come again with the same key. */
  readonly salt: Uint8Array
}

interface ContentOptions {
  /** `keyid`; empty where both sides know the key. */
  readonly keyId: Uint8Array
  /** `rs`, in bytes. */
  readonly recordSize: number
  /** To how many bytes the plaintext is padded; its own length: not at all. */
  readonly paddedTo: number
}

/** The whole encoded body: header, and the only record. */
export function encodeContent(
  plaintext: Uint8Array,
  { ikm, salt }: ContentSecrets,
  { keyId, recordSize, paddedTo }: ContentOptions,
): Buffer {
  const { key, nonce } = contentKeyOf(ikm, salt)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const padding = Buffer.alloc(1 + paddedTo - plaintext.length)
  padding[0] = LAST_RECORD
  const head = Buffer.alloc(5)
  head.writeUInt32BE(recordSize)
  head[4] = keyId.length
  // Update hands out all that it gets, since GCM is a stream.
  const record = [cipher.update(plaintext), cipher.update(padding), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([salt, head, keyId, ...record])
}

/** The key, and the nonce of the first record. */
export function contentKeyOf(ikm: Uint8Array, salt: Uint8Array): { readonly key: Buffer; readonly nonce: Buffer } {
  const prk = hmac(salt, ikm)
  return { key: expand(prk, KEY_INFO, KEY_BYTES), nonce: expand(prk, NONCE_INFO, NONCE_BYTES) }
}

const KEY_INFO = Buffer.from('Content-Encoding: aes128gcm\0')
const NONCE_INFO = Buffer.from('Content-Encoding: nonce\0')

/** HKDF's first step, and HMAC-SHA-256. */
export function hmac(key: Uint8Array, data: Uint8Array): Buffer {
  return createHmac('sha256', key).update(data).digest()
}

/** HKDF's second step (RFC 5869, 2.3), for 32 bytes at the most: one block. */
export function expand(prk: Uint8Array, info: Uint8Array, length: number): Buffer {
  return createHmac('sha256', prk).update(info).update(FIRST_BLOCK).digest().subarray(0, length)
}

const FIRST_BLOCK = Buffer.from([1])
