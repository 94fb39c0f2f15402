import { createHmac, timingSafeEqual } from 'node:crypto'

/** What proofs of an application's users are made with. */
export interface UserKeys {
  readonly key: string
  /** The key before it, which counts until `until`, ms since the Unix epoch; `null`: none does. */
  readonly previous: { readonly key: string; readonly until: number } | null
}

/** 256 random bits. The prefix lets secret scanners know it, and is a part of the key. */
export function newUserKey(random: (length: number) => Uint8Array): string {
  return `bhu_${Buffer.from(random(32)).toString('base64url')}`
}

/** HMAC-SHA256 of the UTF-8 of `name` under the UTF-8 of `key`, which is used as it is shown, with its prefix. */
export function proofOf(key: string, name: string): Uint8Array {
  return createHmac('sha256', key).update(name).digest()
}

/** Whether `proof`, 32 bytes, is one of `name` under a key that counts at `now`. */
export function isProof({ key, previous }: UserKeys, name: string, proof: Uint8Array, now: number): boolean {
  if (timingSafeEqual(proofOf(key, name), proof)) return true
  return previous !== null && now < previous.until && timingSafeEqual(proofOf(previous.key, name), proof)
}
