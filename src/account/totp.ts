import { createHmac, timingSafeEqual } from 'node:crypto'
import { base32 } from '../text/base32.ts'

/* RFC 6238, with the parameters that all authenticator apps support. */
const STEP_MS = 30_000
const DIGITS = 6

/** Accepted steps before and after the present one (RFC 6238, 5.2). */
const WINDOW = 1

/** Bytes (RFC 4226, 4, R6). */
export const TOTP_SECRET_LENGTH = 20

/** RFC 4226, 5.3. */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0x0f
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** The step of `code`, to store as `lastStep`; `null`: wrong, too old, or used. Constant time. */
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

/** For the QR code (github.com/google/google-authenticator/wiki/Key-Uri-Format). */
export function totpUri(name: string, secret: Uint8Array): string {
  return `otpauth://totp/Bellhop:${encodeURIComponent(name)}?secret=${base32(secret)}&issuer=Bellhop`
}
