import { hash } from 'node:crypto'
import { base32 } from './totp.ts'

/** How many there are at a time. */
export const RECOVERY_CODES = 10

/** Bytes: 80 bits, which nobody finds from a digest by trying. */
const LENGTH = 10

/** `abcd-efgh-ijkl-mnop` */
export function newRecoveryCode(random: (length: number) => Uint8Array): string {
  return base32(random(LENGTH))
    .toLowerCase()
    .replaceAll(/.{4}(?!$)/g, '$&-')
}

/** SHA-256, whatever the case, and with or without dashes and spaces. */
export function recoveryDigest(code: string): Buffer {
  return hash('sha256', code.toLowerCase().replaceAll(/[\s-]/g, ''), 'buffer')
}
