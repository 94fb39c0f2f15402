import { createHmac, timingSafeEqual } from 'node:crypto'

export interface UserKeys {
  readonly key: string
  readonly previous: { readonly key: string; readonly until: number } | null
}

/** 256 random bits. Secret scanners recognise the prefix, which is part of the key. */
export function newUserKey(random: (length: number) => Uint8Array): string {
  return `bhu_${Buffer.from(random(32)).toString('base64url')}`
}

/** HMAC-SHA256 of `name` under `key`, both in UTF-8, with the key's prefix. */
export function proofOf(key: string, name: string): Uint8Array {
  return createHmac('sha256', key).update(name).digest()
}

/** `proof`: 32 bytes. */
export function isProof({ key, previous }: UserKeys, name: string, proof: Uint8Array, now: number): boolean {
  if (timingSafeEqual(proofOf(key, name), proof)) return true
  return previous !== null && now < previous.until && timingSafeEqual(proofOf(previous.key, name), proof)
}
