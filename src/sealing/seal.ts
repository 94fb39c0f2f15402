import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { ProviderName } from '../platform.ts'

/** The owner of a sealed record, which opens for no other. */
export interface SealedFor {
  /** `Application.id`; of a second factor `administrator 3`, of a hook `hook NAME`, of an alert `alert NAME`. */
  readonly application: string
  readonly provider:
    | ProviderName
    | 'apns token'
    | 'webhook secret'
    | 'user key'
    | 'second factor'
    | 'hook secret'
    | 'move secret'
    | 'alert target'
}

const CIPHER = 'aes-256-gcm'
/** Bytes. The nonce length AES-GCM is specified for (NIST SP 800-38D, 8.2). */
const NONCE_LENGTH = 12
/** Bytes. */
const TAG_LENGTH = 16
/** Changes with the layout of the sealed bytes or of the text inside. */
const FORMAT_VERSION = 1

/**
 * Encrypts `plaintext` with AES-256-GCM: 12 bytes nonce, ciphertext, 16 bytes tag. `key` is 32 bytes. `random` must
 * never give the same nonce twice under one key; only tests pass their own.
 */
export function seal(
  key: Uint8Array,
  sealedFor: SealedFor,
  plaintext: string,
  random: (length: number) => Uint8Array = randomBytes,
): Uint8Array {
  const nonce = random(NONCE_LENGTH)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH })
  cipher.setAAD(associatedData(sealedFor))
  return Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** `null`: the key or the owner is wrong, or a bit has changed. */
export function open(key: Uint8Array, sealedFor: SealedFor, sealed: Uint8Array): string | null {
  if (sealed.length < NONCE_LENGTH + TAG_LENGTH) return null
  const tagStart = sealed.length - TAG_LENGTH
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_LENGTH), { authTagLength: TAG_LENGTH })
  decipher.setAAD(associatedData(sealedFor))
  decipher.setAuthTag(sealed.subarray(tagStart))
  const text = decipher.update(sealed.subarray(NONCE_LENGTH, tagStart))
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    // final() throws for one reason only: the tag does not fit.
    return null
  }
}

function associatedData({ application, provider }: SealedFor): Uint8Array {
  // JSON separates the parts, whatever they hold.
  return Buffer.from(JSON.stringify([application, provider, FORMAT_VERSION]))
}
