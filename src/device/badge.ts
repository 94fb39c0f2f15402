/** `set` to a number, or `add` to the device's stored count (never below 0). */
export type BadgeChange = { readonly set: number } | { readonly add: number }

/** The largest badge that APNs and Android accept: a signed 32-bit integer. */
export const MAX_BADGE = 2_147_483_647

export function applyBadge(change: BadgeChange, stored: number): number {
  if ('set' in change) return change.set
  return Math.min(Math.max(stored + change.add, 0), MAX_BADGE)
}
