import type { PlainChanges } from '../columns.ts'
import type { SubscriptionKeys } from '../webpush/subscription-keys.ts'
import type { DeviceState, Environment, Platform } from '../device.ts'

/** A device as another registry knew it, checked. What is left out stays; `null` removes. */
export interface ImportedDevice extends PlainChanges {
  readonly token: string
  readonly platform: Platform
  /** Degrees; both or neither. */
  readonly lat?: number | null | undefined
  readonly lng?: number | null | undefined
  readonly active?: readonly string[] | undefined
  readonly tag?: readonly string[] | undefined
  readonly alias?: string | null | undefined
  /** The alias is the user's name: it is set only if the user has no other device. Default false. */
  readonly aliasIsUser?: boolean | undefined
  readonly badge?: number | undefined
  readonly environment?: Environment | null | undefined
  /** Times are ms since the Unix epoch. */
  readonly registeredAt?: number | undefined
  /** When the device last registered there; left out: unknown. */
  readonly seenAt?: number | undefined
  readonly updatedAt?: number | undefined
  /** Default registered. */
  readonly left?: Left | undefined
  /** `true`: an import brought it, and it has not registered since; `false`: it has. Left out: no import brought it. */
  readonly imported?: boolean | undefined
  readonly keys?: SubscriptionKeys | undefined
  /** The imported token, if another one replaced it at `at`. */
  readonly adopted?: { readonly token: string; readonly at: number } | undefined
}

export interface Left {
  readonly state: Exclude<DeviceState, 'registered'>
  /** The gateway's own reason; `null`: forgotten. */
  readonly reason: string | null
  readonly at: number
}

export interface ImportedFeedback {
  readonly token: string
  readonly platform: Platform
  readonly reason: string
  readonly at: number
}
