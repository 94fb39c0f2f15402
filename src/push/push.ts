import type { Platform } from '../device/device.ts'

/** What the phone shows, as read from a push request and stored with the push. */
export interface Notification {
  /** `null`: no alert is shown. */
  readonly msg: string | null
  /** `null` or `''`: silent. */
  readonly sound: string | null
  /** `null`: leave the badge alone. */
  readonly badge: BadgeChange | null
  /** Custom fields, beside `aps` for APNs and in `data` for FCM. */
  readonly payload: Readonly<Record<string, unknown>> | null
}

/** `set` to a number, or `add` to the device's stored count (never below 0). */
export type BadgeChange = { readonly set: number } | { readonly add: number }

/** To whom. `null` fields do not narrow; fields narrow together (AND). */
export interface Filter {
  readonly platforms: readonly Platform[]
  readonly tags: readonly string[] | null
  /** `any` of `tags` or `all` of them. */
  readonly tagsMatch: 'any' | 'all'
  readonly exceptTags: readonly string[] | null
  /** Any of these notification types. */
  readonly active: readonly string[] | null
  readonly exceptActive: readonly string[] | null
  readonly alias: string | null
  readonly exceptAlias: string | null
}

/** The audience of a push: one device by its `device.id`, or those that match. */
export type Audience = { readonly device: number; readonly platform: Platform } | { readonly filter: Filter }

/** The largest badge APNs and Android take: a signed 32-bit integer. */
export const MAX_BADGE = 2_147_483_647

/** The badge a device shows after `change`, from its stored count. */
export function applyBadge(change: BadgeChange, stored: number): number {
  if ('set' in change) return change.set
  return Math.min(Math.max(stored + change.add, 0), MAX_BADGE)
}
