import type { Platform } from '../platform.ts'
import type { PlainValues } from './columns.ts'
import { canonicalToken } from './push-token.ts'

export type { Platform }

/**
 * registered → (PUT /deviceToken/del) → erased, no row left.
 * registered → (gateway: unregistered, not before the last registration) → gone.
 * registered → (gateway: bad token, in every environment tried) → quarantined.
 * Any PUT /deviceToken brings a gone or quarantined device back to registered.
 */
export type DeviceState = 'registered' | 'gone' | 'quarantined'

/** Each APNs token belongs to one of them (Apple, "Sending notification requests to APNs"). FCM has none. */
export type Environment = 'production' | 'sandbox'

export type FcmPlatform = NonNullable<PlainValues['fcm_platform']>

/** One device of one application. Times are ms since the Unix epoch. */
export interface Device extends PlainValues {
  readonly id: number
  readonly token: string
  readonly platform: Platform
  /** Degrees, ±90; `null` with `lng` when unset. */
  readonly lat: number | null
  /** Degrees, ±180. */
  readonly lng: number | null
  readonly active: readonly string[]
  readonly tag: readonly string[]
  readonly alias: string | null
  readonly badge: number
  readonly registeredAt: number
  readonly updatedAt: number
}

/** How a caller names one device. An alias finds it only on its platform. */
export type DeviceAddress =
  | { readonly platform: Platform; readonly token: string }
  | { readonly platform: Platform; readonly alias: string }

export type PackedToken = string | Uint8Array

/**
 * A token as it is stored: lower-case hex, such as Apple's tokens, as its bytes, which halves its size in the table and in
 * the index; anything else as text. `unpackToken` gives back the spelling of `canonicalToken`.
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
