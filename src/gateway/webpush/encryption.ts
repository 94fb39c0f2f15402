import type { SubscriptionKeys } from '../../device/webpush/subscription-keys.ts'
import { encodeContent, expand, hmac } from './content-encoding.ts'
import type { Agreement } from './key-agreement.ts'

/* Message encryption for web push (RFC 8291). */

/** What a message is encrypted with besides the browser's keys: never twice the same. */
export interface MessageSecrets extends Agreement {
  /** 16 bytes. */
  readonly salt: Uint8Array
}

/** What a push service takes at the most (RFC 8030, 7.2), and the record size that says so (RFC 8291, 4). In bytes. */
export const MAX_MESSAGE_BYTES = 4096

/** By how many bytes an encrypted message is longer: salt, record size, key id with its length, delimiter and tag. */
const OVERHEAD_BYTES = 16 + 4 + 1 + 65 + 1 + 16

/** Bytes of plaintext that fit. */
export const MAX_PLAINTEXT_BYTES = MAX_MESSAGE_BYTES - OVERHEAD_BYTES

/** Bytes of a message with a plaintext of so many, as far as a push service counts them: without padding. */
export function messageBytes(plaintextBytes: number): number {
  return plaintextBytes + OVERHEAD_BYTES
}

/** The body of a push message for one browser. `paddedTo`: bytes; default by `paddedLength`. */
export function encryptMessage(
  plaintext: Uint8Array,
  { p256dh, auth }: SubscriptionKeys,
  { publicKey: sender, secret, salt }: MessageSecrets,
  paddedTo = paddedLength(plaintext.length),
): Buffer {
  const ikm = messageKeyOf({ secret, auth, receiver: p256dh, sender })
  return encodeContent(plaintext, { ikm, salt }, { keyId: sender, recordSize: MAX_MESSAGE_BYTES, paddedTo })
}

/** What both sides derive (RFC 8291, 3.4). */
export function messageKeyOf(shared: {
  /** The x coordinate that both get. */
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
 * To how many bytes a message is padded, so that its length tells a push service little. UC Browser takes 2,048 bytes
 * (web-push-libs/web-push-php#199), Firefox for Android some 3,015, since a message goes through FCM in base64
 * (web-push-libs/web-push-php#62); the others 4,096.
 */
const PADDED_BYTES = [256, 512, 1024].map(messageBytes).concat(2048, 3015, MAX_MESSAGE_BYTES)

/** Whether the padding of a plaintext may be what makes a message too large for a browser. */
export function isPaddedToLimit(length: number): boolean {
  return paddedLength(length) > length && messageBytes(paddedLength(length)) >= SMALLEST_LIMIT_BYTES
}

/** No browser that is known takes less. */
const SMALLEST_LIMIT_BYTES = 2048

/** To how many bytes a plaintext is padded. */
export function paddedLength(length: number): number {
  const bytes = PADDED_BYTES.find((padded) => padded >= messageBytes(length)) ?? messageBytes(length)
  return bytes - OVERHEAD_BYTES
}
