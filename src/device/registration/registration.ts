import type { Device, FcmPlatform, Platform } from '../device.ts'
import type { LeftOut } from '../growth.ts'
import type { SubscriptionKeys } from '../webpush/subscription-keys.ts'

/** What an app says of its device at launch. A field left out stays as it was. */
export interface Registration {
  readonly token: string
  readonly platform: Platform
  /** The token that this one takes the place of: its device goes on under this one. */
  readonly replaces?: string | undefined
  /** Degrees; both or neither. */
  readonly lat?: number | undefined
  readonly lng?: number | undefined
  /** Notification types; `[]` clears. */
  readonly active?: readonly string[] | undefined
  /** `[]` clears. */
  readonly tag?: readonly string[] | undefined
  /** `''` removes it. */
  readonly alias?: string | undefined
  /** `''` removes it. */
  readonly user?: string | undefined
  /** IANA name; `''` removes it. */
  readonly timezone?: string | undefined
  /** Language tag in canonical form; `''` removes it. */
  readonly locale?: string | undefined
  /** Of platform 1. */
  readonly fcmPlatform?: FcmPlatform | undefined
  /** Of a browser, which has none but these. */
  readonly keys?: SubscriptionKeys | undefined
}

export interface Registered {
  /** `created` as well when a device comes back that was gone, quarantined or unregistered. */
  readonly kind: 'created' | 'updated'
  readonly device: Device
  /** Another device has the alias that was asked for: this one has none. */
  readonly aliasTaken: boolean
  /** Labels that it does not have, though they were asked for. */
  readonly leftOut?: LeftOut | undefined
  /** The device is an imported one, whose place the token has taken. */
  readonly adopted?: true
}

/** What the caller of a registration may do. */
export interface RegistrationRights {
  /** Take an alias away from another device. Default false. */
  readonly takesAlias?: boolean
  /** Have by `replaces` a user or an alias that the registration does not name. Default true. */
  readonly bringsNames?: boolean
  /** Take the place of an imported device of the user. Default false. */
  readonly adopts?: boolean
}

/** `replaces` would bring what the caller may not have; nothing was changed. */
export interface Unproven {
  readonly kind: 'unproven'
  readonly field: 'user' | 'alias'
}
