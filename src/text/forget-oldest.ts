/** Keeps the `max` entries added last. */
export function forgetOldest(entries: Map<unknown, unknown> | Set<unknown>, max: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= max) return
    entries.delete(oldest)
  }
}
