/** `add` counts from the device's stored badge and stops at 0. */
export type BadgeChange = { readonly set: number } | { readonly add: number }

/** APNs and Android read the badge as a signed 32-bit integer. */
export const MAX_BADGE = 2_147_483_647

export function applyBadge(change: BadgeChange, stored: number): number {
  if ('set' in change) return change.set
  return Math.min(Math.max(stored + change.add, 0), MAX_BADGE)
}
