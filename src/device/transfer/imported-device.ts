import type { SubscriptionKeys } from '../webpush/subscription-keys.ts'
import type { DeviceState, Environment, FcmPlatform, Platform } from '../device.ts'

/** A device as another registry knew it, checked. What is left out stays as it is; `null` takes away. */
export interface ImportedDevice {
  readonly token: string
  readonly platform: Platform
  /** Degrees; both or neither. */
  readonly lat?: number | null | undefined
  readonly lng?: number | null | undefined
  readonly active?: readonly string[] | undefined
  readonly tag?: readonly string[] | undefined
  readonly alias?: string | null | undefined
  readonly user?: string | null | undefined
  /** The alias is the user: it is given only where this is their one device. Default false. */
  readonly aliasIsUser?: boolean | undefined
  readonly timezone?: string | null | undefined
  readonly locale?: string | null | undefined
  readonly badge?: number | undefined
  readonly environment?: Environment | null | undefined
  /** Of platform 1. */
  readonly fcmPlatform?: FcmPlatform | undefined
  /** Times are ms since the Unix epoch. */
  readonly registeredAt?: number | undefined
  /** When the device last registered there; left out: not known. */
  readonly seenAt?: number | undefined
  readonly updatedAt?: number | undefined
  /** Default registered. */
  readonly left?: Left | undefined
  /** `true`: it has not registered by itself, but came by a list; `false`: it came so, and has since. Default neither. */
  readonly imported?: boolean | undefined
  /** Of a browser, which has none but these. */
  readonly keys?: SubscriptionKeys | undefined
  /** The token that it came with, where another one has its place since `at`. */
  readonly adopted?: { readonly token: string; readonly at: number } | undefined
}

/** What a gateway has said of the device. */
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
