import type { PlainChanges } from '../columns.ts'
import type { SubscriptionKeys } from '../webpush/subscription-keys.ts'
import type { DeviceState, Environment, Platform } from '../device.ts'

/** A checked device of another registry. An omitted field stays; `null` removes it. */
export interface ImportedDevice extends PlainChanges {
  readonly token: string
  readonly platform: Platform
  /** Degrees; both or neither. */
  readonly lat?: number | null | undefined
  readonly lng?: number | null | undefined
  readonly active?: readonly string[] | undefined
  readonly tag?: readonly string[] | undefined
  readonly alias?: string | null | undefined
  /** The alias is the user's ID: set it only if the user has no other device. Default false. */
  readonly aliasIsUser?: boolean | undefined
  readonly badge?: number | undefined
  readonly environment?: Environment | null | undefined
  readonly registeredAt?: number | undefined
  /** Its last registration; absent: unknown. */
  readonly seenAt?: number | undefined
  readonly updatedAt?: number | undefined
  /** Default: registered. */
  readonly left?: Left | undefined
  /** `true`: imported and not registered since; `false`: registered since. Absent: not imported. */
  readonly imported?: boolean | undefined
  readonly keys?: SubscriptionKeys | undefined
  /** The imported token, replaced `at`. */
  readonly adopted?: { readonly token: string; readonly at: number } | undefined
}

export interface Left {
  readonly state: Exclude<DeviceState, 'registered'>
  /** The gateway's own word; `null`: forgotten. */
  readonly reason: string | null
  readonly at: number
}

export interface ImportedFeedback {
  readonly token: string
  readonly platform: Platform
  readonly reason: string
  readonly at: number
}
