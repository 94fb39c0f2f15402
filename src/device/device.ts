import type { Platform } from '../platform.ts'
import type { PlainValues } from './columns.ts'
import { canonicalToken } from './push-token.ts'

export type { Platform }

/**
 * registered → (PUT /deviceToken/del) → erased, no row left.
 * registered → (gateway: unregistered, not before the last registration) → gone.
 * registered → (gateway: bad token, in every environment tried) → quarantined.
 * gone or quarantined → (PUT /deviceToken) → registered.
 */
export type DeviceState = 'registered' | 'gone' | 'quarantined'

/** Each APNs token belongs to one (Apple, "Sending notification requests to APNs"). FCM has none. */
export type Environment = 'production' | 'sandbox'

export type FcmPlatform = NonNullable<PlainValues['fcm_platform']>

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

/** An alias finds a device only on its platform. */
export type DeviceAddress =
  | { readonly platform: Platform; readonly token: string }
  | { readonly platform: Platform; readonly alias: string }

export type PackedToken = string | Uint8Array

/**
 * Lower-case hex, such as Apple's tokens, is stored as bytes: half the size in table and index. `unpackToken` returns
 * the spelling of `canonicalToken`.
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
