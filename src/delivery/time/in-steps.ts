/** Runs one step after the other, each in a transaction of its own, until one says that there is no more. */
export async function inSteps<From>(
  persist: <T>(operation: () => T) => Promise<T>,
  step: (from: From | null) => From | null,
): Promise<void> {
  let from: From | null = null
  do {
    const at: From | null = from
    from = await persist(() => step(at))
  } while (from !== null)
}
