import { createCipheriv, createHmac } from 'node:crypto'
import type { SubscriptionKeys } from '../../device/webpush/subscription-keys.ts'
import type { Agreement } from './key-agreement.ts'

/* Message encryption for web push (RFC 8291). */

export interface MessageSecrets extends Agreement {
  /** 16 bytes. */
  readonly salt: Uint8Array
}

/** Bytes that every push service accepts (RFC 8030, 7.2), and the record size (RFC 8291, 4). */
export const MAX_MESSAGE_BYTES = 4096

/** Salt, record size, key id with its length, delimiter and tag. */
const OVERHEAD_BYTES = 16 + 4 + 1 + 65 + 1 + 16

export const MAX_PLAINTEXT_BYTES = MAX_MESSAGE_BYTES - OVERHEAD_BYTES

export function messageBytes(plaintextBytes: number): number {
  return plaintextBytes + OVERHEAD_BYTES
}

/** `paddedTo`: bytes; default by `paddedLength`. */
export function encryptMessage(
  plaintext: Uint8Array,
  { p256dh, auth }: SubscriptionKeys,
  { publicKey: sender, secret, salt }: MessageSecrets,
  paddedTo = paddedLength(plaintext.length),
): Buffer {
  const ikm = messageKeyOf({ secret, auth, receiver: p256dh, sender })
  return encodeContent(plaintext, { ikm, salt }, { keyId: sender, recordSize: MAX_MESSAGE_BYTES, paddedTo })
}

/** RFC 8291, 3.4. */
export function messageKeyOf(shared: {
  readonly secret: Uint8Array
  readonly auth: Uint8Array
  readonly receiver: Uint8Array
  readonly sender: Uint8Array
}): Buffer {
  const { secret, auth, receiver, sender } = shared
  return expand(hmac(auth, secret), Buffer.concat([KEY_INFO, receiver, sender]), KEY_BYTES)
}

const KEY_INFO = Buffer.from('WebPush: info\0')
const KEY_BYTES = 32

/**
 * Padding hides a message's length from the push service. UC Browser accepts 2,048 bytes
 * (web-push-libs/web-push-php#199), Firefox for Android about 3,015, since FCM carries it in base64
 * (web-push-libs/web-push-php#62), others 4,096.
 */
const PADDED_BYTES = [256, 512, 1024].map(messageBytes).concat(2048, 3015, MAX_MESSAGE_BYTES)

export function isPaddedToLimit(length: number): boolean {
  return paddedLength(length) > length && messageBytes(paddedLength(length)) >= SMALLEST_LIMIT_BYTES
}

/** No known browser accepts less. */
const SMALLEST_LIMIT_BYTES = 2048

export function paddedLength(length: number): number {
  const bytes = PADDED_BYTES.find((padded) => padded >= messageBytes(length)) ?? messageBytes(length)
  return bytes - OVERHEAD_BYTES
}

/* aes128gcm (RFC 8188), as far as push messages need it: one record. */

const CONTENT_KEY_BYTES = 16
const NONCE_BYTES = 12

/** The delimiter of the last record (RFC 8188, 2). */
const LAST_RECORD = 2

interface ContentSecrets {
  readonly ikm: Uint8Array
  /** 16 bytes, used once per key. */
  readonly salt: Uint8Array
}

interface ContentOptions {
  /** `keyid`; empty if both sides know the key. */
  readonly keyId: Uint8Array
  /** `rs`, in bytes. */
  readonly recordSize: number
  /** Of the padded plaintext. */
  readonly paddedTo: number
}

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
  // GCM is a stream: `update` returns all that it gets.
  const record = [cipher.update(plaintext), cipher.update(padding), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([salt, head, keyId, ...record])
}

export function contentKeyOf(ikm: Uint8Array, salt: Uint8Array): { readonly key: Buffer; readonly nonce: Buffer } {
  const prk = hmac(salt, ikm)
  return { key: expand(prk, CONTENT_KEY_INFO, CONTENT_KEY_BYTES), nonce: expand(prk, NONCE_INFO, NONCE_BYTES) }
}

const CONTENT_KEY_INFO = Buffer.from('Content-Encoding: aes128gcm\0')
const NONCE_INFO = Buffer.from('Content-Encoding: nonce\0')

/** HMAC-SHA-256, HKDF's first step. */
function hmac(key: Uint8Array, data: Uint8Array): Buffer {
  return createHmac('sha256', key).update(data).digest()
}

/** HKDF's second step (RFC 5869, 2.3), up to 32 bytes: one block. */
function expand(prk: Uint8Array, info: Uint8Array, length: number): Buffer {
  return createHmac('sha256', prk).update(info).update(FIRST_BLOCK).digest().subarray(0, length)
}

const FIRST_BLOCK = Buffer.from([1])
