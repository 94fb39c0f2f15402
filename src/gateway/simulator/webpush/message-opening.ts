import { createDecipheriv, createECDH } from 'node:crypto'
import type { ECDH } from 'node:crypto'
import { contentKeyOf, MAX_MESSAGE_BYTES, messageKeyOf } from '../../webpush/encryption.ts'

/** A browser's side of a subscription. */
export interface SubscriptionSecrets {
  readonly pair: ECDH
  /** 16 bytes. */
  readonly auth: Uint8Array
}

/** RFC 8291, appendix A. Its private key is public, so messages for it can be read here, whatever their endpoint. */
export const EXAMPLE_SUBSCRIPTION = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
} as const

const EXAMPLE_PRIVATE_KEY = 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'

export function exampleSecrets(): SubscriptionSecrets {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(Buffer.from(EXAMPLE_PRIVATE_KEY, 'base64url'))
  return { pair, auth: Buffer.from(EXAMPLE_SUBSCRIPTION.auth, 'base64url') }
}

/** RFC 8188, 2.1, and RFC 8291, 4. */
export interface SealedMessage {
  readonly salt: Buffer
  /** The public key, an uncompressed point. */
  readonly sender: Buffer
  readonly record: Buffer
}

export type EncodingFault = 'too large' | 'no header' | 'no sender key' | 'more than one record'

const HEAD_BYTES = 21
const TAG_BYTES = 16
const POINT_BYTES = 65

export function readMessage(body: Buffer): SealedMessage | EncodingFault {
  if (body.length > MAX_MESSAGE_BYTES) return 'too large'
  if (body.length < HEAD_BYTES) return 'no header'
  const recordSize = body.readUInt32BE(16)
  const keyLength = body[20] ?? 0
  const sender = body.subarray(HEAD_BYTES, HEAD_BYTES + keyLength)
  const record = body.subarray(HEAD_BYTES + keyLength)
  if (keyLength !== POINT_BYTES || sender.length !== POINT_BYTES || sender[0] !== 4) return 'no sender key'
  // "A record size of less than 18 is invalid", and a record has a delimiter and a tag.
  if (recordSize < 18 || record.length < 1 + TAG_BYTES) return 'no header'
  if (record.length > recordSize) return 'more than one record'
  return { salt: body.subarray(0, 16), sender, record }
}

/** `null`: encrypted for another subscription, or wrongly. */
export function openMessage(
  { salt, sender, record }: SealedMessage,
  { pair, auth }: SubscriptionSecrets,
): Buffer | null {
  try {
    const secret = pair.computeSecret(sender)
    const { key, nonce } = contentKeyOf(messageKeyOf({ secret, auth, receiver: pair.getPublicKey(), sender }), salt)
    const decipher = createDecipheriv('aes-128-gcm', key, nonce)
    decipher.setAuthTag(record.subarray(-TAG_BYTES))
    const padded = Buffer.concat([decipher.update(record.subarray(0, -TAG_BYTES)), decipher.final()])
    const end = padded.findLastIndex((byte) => byte !== 0)
    // The last record's delimiter.
    return padded[end] === 2 ? padded.subarray(0, end) : null
  } catch {
    // Not on the curve, or a wrong tag.
    return null
  }
}
