import { hash, timingSafeEqual } from 'node:crypto'
import type { Application } from './application.ts'

/** Stands in for the hash of an unknown application, so that unknown and wrong take the same time. */
const NO_HASH = new Uint8Array(32)

/** SHA-256. Enough for 256 random bits: there is no list of likely secrets to try. */
export function hashSecret(secret: string): Uint8Array {
  return hash('sha256', secret, 'buffer')
}

/** Whether `secret` is the application's. `null` stands for an unknown application and never matches. */
export function secretMatches(application: Pick<Application, 'secretHash'> | null, secret: string): boolean {
  const same = timingSafeEqual(hashSecret(secret), application?.secretHash ?? NO_HASH)
  return same && application !== null
}
