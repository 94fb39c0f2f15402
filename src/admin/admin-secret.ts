import { hash, randomBytes } from 'node:crypto'

/** Only `text`'s digest is stored. */
export interface AdminSecret {
  readonly text: string
  readonly digest: Buffer
}

/** Secret scanners recognise prefixes. */
const PREFIXES = { session: '', link: '', step: '', token: 'bha_' } as const

/** 256 random bits. */
export function newAdminSecret(
  what: keyof typeof PREFIXES,
  random: (length: number) => Uint8Array = randomBytes,
): AdminSecret {
  const text = PREFIXES[what] + Buffer.from(random(32)).toString('base64url')
  return { text, digest: adminDigest(text) }
}

/** Enough for 256 random bits. Index lookup of a digest is safe against timing. */
export function adminDigest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

/** Browsers do not send the part after `#`: no proxy logs the secret. */
export function linkUrl(origin: string, link: string): string {
  return `${origin}/setup#${link}`
}
