import { hash, randomBytes } from 'node:crypto'

/** What is shown once, and of which only the digest is stored. */
export interface AdminSecret {
  readonly text: string
  readonly digest: Buffer
}

/** Lets secret scanners know what they have found. */
const PREFIXES = { session: '', link: '', step: '', token: 'bha_' } as const

/** 256 random bits. `random`: bytes, as many as asked for; default the system's. */
export function newAdminSecret(
  what: keyof typeof PREFIXES,
  random: (length: number) => Uint8Array = randomBytes,
): AdminSecret {
  const text = PREFIXES[what] + Buffer.from(random(32)).toString('base64url')
  return { text, digest: adminDigest(text) }
}

/** SHA-256. Enough for 256 random bits, and who looks a digest up by an index learns nothing of others from the time. */
export function adminDigest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
