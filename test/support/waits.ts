/** Who waits for a condition is asked again whenever something happened, and at no other time. */
export interface Waits {
  /** Something happened. */
  readonly changed: () => void
  /** Resolves once `condition` holds. */
  readonly until: (condition: () => boolean) => Promise<void>
}

export function createWaits(): Waits {
  const waiting = new Set<() => void>()
  return {
    changed() {
      for (const look of waiting) look()
    },
    until: (condition) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!condition()) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}
