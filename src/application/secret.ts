import { timingSafeEqual } from 'node:crypto'
import type { Application } from './application.ts'

/** For unknown applications, so that they take as long as a wrong secret. */
const NO_HASH = new Uint8Array(32)

export function hashSecret(secret: string): Uint8Array {
  return Bun.CryptoHasher.hash('sha256', secret)
}

/** `application`: `null`: unknown, and never matches. */
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
