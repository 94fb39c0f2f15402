import { hash, randomBytes } from 'node:crypto'

/** `text` is shown once; only the digest is stored. */
export interface AdminSecret {
  readonly text: string
  readonly digest: Buffer
}

/** Recognised by secret scanners. */
const PREFIXES = { session: '', link: '', step: '', token: 'bha_' } as const

/** 256 random bits. */
export function newAdminSecret(
  what: keyof typeof PREFIXES,
  random: (length: number) => Uint8Array = randomBytes,
): AdminSecret {
  const text = PREFIXES[what] + Buffer.from(random(32)).toString('base64url')
  return { text, digest: adminDigest(text) }
}

/** SHA-256: enough for 256 random bits. Looking digests up by an index is safe against timing. */
export function adminDigest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
