import { totpCode } from '../../src/account/totp.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Bytes of a text in base32 (RFC 4648, 6), without padding. */
export function fromBase32(text: string): Uint8Array {
  const bits = Array.from(text, (character) => ALPHABET.indexOf(character).toString(2).padStart(5, '0')).join('')
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}

/** What an authenticator app shows that was given `secret`. `steps`: of 30 s from the present one. */
export function authenticator(secret: string, clock: { readonly now: () => number }) {
  return (steps = 0): string => totpCode(fromBase32(secret), Math.floor(clock.now() / 30_000) + steps)
}
