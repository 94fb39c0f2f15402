import type { PlainChanges } from '../columns.ts'
import type { Device, Platform } from '../device.ts'
import type { LeftOut } from '../growth.ts'
import type { SubscriptionKeys } from '../webpush/subscription-keys.ts'

/** What an app says about its device at launch. What it leaves out stays. */
export interface Registration extends PlainChanges {
  readonly token: string
  readonly platform: Platform
  /** The token that this one replaces: its device continues under this one. */
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
  readonly keys?: SubscriptionKeys | undefined
}

export interface Registered {
  /** `created` also for a device that was gone, quarantined or unregistered. */
  readonly kind: 'created' | 'updated'
  readonly device: Device
  /** Another device has the alias: this one has none. */
  readonly aliasTaken: boolean
  readonly leftOut?: LeftOut | undefined
  /** The token has replaced that of an imported device. */
  readonly adopted?: true
}

export interface RegistrationRights {
  /** Take an alias away from another device. Default false. */
  readonly takesAlias?: boolean
  /** Have by `replaces` a user or an alias that the registration does not name. Default true. */
  readonly bringsNames?: boolean
  /** Replace an imported device of the user. Default false. */
  readonly adopts?: boolean
}

/** `replaces` would bring a name that the caller may not have; nothing was changed. */
export interface Unproven {
  readonly kind: 'unproven'
  readonly field: 'user' | 'alias'
}
