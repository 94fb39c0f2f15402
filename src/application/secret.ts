import { timingSafeEqual } from 'node:crypto'
import type { Application } from './application.ts'

/** Stands in for the hash of an unknown application, so that unknown and wrong take the same time. */
const NO_HASH = new Uint8Array(32)

/** SHA-256. Enough for 256 random bits: there is no list of likely secrets to try. */
export function hashSecret(secret: string): Uint8Array {
  return Bun.CryptoHasher.hash('sha256', secret)
}

/**
 * Whether `secret` is the application's, or the one before it that counts at `now`, ms since the Unix epoch. `null` stands
 * for an unknown application and never matches.
 */
export function secretMatches(
  application: Pick<Application, 'secretHash' | 'previousSecret'> | null,
  secret: string,
  now: number,
): boolean {
  const given = hashSecret(secret)
  const same = timingSafeEqual(given, application?.secretHash ?? NO_HASH)
  const previous = application?.previousSecret ?? null
  const sameAsBefore = timingSafeEqual(given, previous?.hash ?? NO_HASH)
  if (application === null) return false
  return same || (sameAsBefore && previous !== null && now < previous.until)
}
