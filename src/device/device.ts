import type { Platform } from '../platform.ts'
import { canonicalToken } from './push-token.ts'

export type { Platform }

/**
 * registered → (PUT /deviceToken/del) → erased, no row left.
 * registered → (gateway: unregistered, not before the last registration) → gone.
 * registered → (gateway: bad token, in every environment tried) → quarantined.
 * Any PUT /deviceToken brings a gone or quarantined device back to registered.
 */
export type DeviceState = 'registered' | 'gone' | 'quarantined'

/** Of APNs: each token belongs to one of them (Apple, "Sending notification requests to APNs"). FCM has none. */
export type Environment = 'production' | 'sandbox'

/** What stands behind a token of FCM: an iPhone can too, in an app with Firebase's SDK. */
export type FcmPlatform = 'android' | 'ios'

/** One device of one application. Times are ms since the Unix epoch. */
export interface Device {
  readonly id: number
  readonly token: string
  readonly platform: Platform
  /** Degrees, ±90; `null` with `lng` when unset. */
  readonly lat: number | null
  /** Degrees, ±180. */
  readonly lng: number | null
  /** Notification types. */
  readonly active: readonly string[]
  readonly tag: readonly string[]
  readonly alias: string | null
  /** Whose device it is; others may have the same. `null`: not said. */
  readonly user: string | null
  readonly badge: number
  /** Of platform 1; `null`: not said. */
  readonly fcmPlatform: FcmPlatform | null
  /** IANA name; `null`: not known. */
  readonly timezone: string | null
  /** A language tag (BCP 47) in canonical form; `null`: not known. */
  readonly locale: string | null
  readonly registeredAt: number
  readonly updatedAt: number
}

/** Most tags, and most notification types, one device can have (test/api/http/bodies.test.ts). */
export const MAX_LABELS = 100

export type PackedToken = string | Uint8Array

/**
 * How a token is kept: lower-case hex, which is what Apple's tokens are, as its bytes — half the room in the table
 * and in its index — and anything else as text. `unpackToken` gives back what was packed, see `canonicalToken`.
 */
export function packToken(token: string, platform: Platform): PackedToken {
  if (LOWER_HEX.test(token)) return token.length % 2 === 0 ? Uint8Array.fromHex(token) : token
  const canonical = canonicalToken(platform, token)
  return canonical === token ? token : packToken(canonical, platform)
}

export function unpackToken(packed: PackedToken): string {
  return typeof packed === 'string' ? packed : packed.toHex()
}

const LOWER_HEX = /^[0-9a-f]+$/
