import { createHmac, timingSafeEqual } from 'node:crypto'

/*
 * Codes of an authenticator app (RFC 6238), with the only parameters that all of those apps know: SHA-1, 6 digits, 30
 * seconds from the epoch.
 */
const STEP_MS = 30_000
const DIGITS = 6

/** Steps before and after the present one whose code counts too: one is what RFC 6238, 5.2 recommends. */
const WINDOW = 1

/** Bytes: what RFC 4226, 4 (R6) recommends. */
export const TOTP_SECRET_LENGTH = 20

/** The code of a step (RFC 4226, 5.3). */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0x0f
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/**
 * The step that `code` is of, to be kept as the next `lastStep`; `null`: it is wrong, too old, or used up. `now`: ms since
 * the epoch. All codes that could count are compared, in constant time.
 */
export function stepOfCode(secret: Uint8Array, code: string, now: number, lastStep: number): number | null {
  const given = Buffer.from(code.replaceAll(/\s/g, ''))
  if (given.length !== DIGITS) return null
  const present = Math.floor(now / STEP_MS)
  let found: number | null = null
  for (let step = present - WINDOW; step <= present + WINDOW; step++) {
    const isSame = timingSafeEqual(Buffer.from(totpCode(secret, step)), given)
    if (isSame && step > lastStep) found = step
  }
  return found
}

/** What an authenticator app reads as a QR code (github.com/google/google-authenticator/wiki/Key-Uri-Format). */
export function totpUri(name: string, secret: Uint8Array): string {
  return `otpauth://totp/Bellhop:${encodeURIComponent(name)}?secret=${base32(secret)}&issuer=Bellhop`
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, 6; of a multiple of 5 bytes, so without padding. */
export function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/.{5}/g, (five) => ALPHABET.charAt(Number.parseInt(five, 2)))
}
