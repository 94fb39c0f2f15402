import type { PlainChanges } from '../columns.ts'
import type { Device, Platform } from '../device.ts'
import type { LeftOut } from '../growth.ts'
import type { SubscriptionKeys } from '../webpush/subscription-keys.ts'

/** An omitted field stays. */
export interface Registration extends PlainChanges {
  readonly token: string
  readonly platform: Platform
  /** The device with this token continues under the new one. */
  readonly replaces?: string | undefined
  /** Degrees; both or neither. */
  readonly lat?: number | undefined
  readonly lng?: number | undefined
  /** `[]` clears. */
  readonly active?: readonly string[] | undefined
  /** `[]` clears. */
  readonly tag?: readonly string[] | undefined
  /** `''` removes it. */
  readonly alias?: string | undefined
  readonly keys?: SubscriptionKeys | undefined
}

export interface Registered {
  /** `created` also if the device was gone or quarantined. */
  readonly kind: 'created' | 'updated'
  readonly device: Device
  /** Another device has the alias; this one got none. */
  readonly aliasTaken: boolean
  readonly leftOut?: LeftOut | undefined
  /** The token replaced an imported one. */
  readonly adopted?: true
}

export interface RegistrationRights {
  /** May take an alias from another device. Default false. */
  readonly takesAlias?: boolean
  /** `replaces` may bring a user or alias that the registration does not name. Default true. */
  readonly bringsNames?: boolean
  /** May replace an imported device of the user. Default false. */
  readonly adopts?: boolean
}

/** Nothing changed: `replaces` would bring a name that the caller may not have. */
export interface Unproven {
  readonly kind: 'unproven'
  readonly field: 'user' | 'alias'
}
