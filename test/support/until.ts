/** The longest wait between two looks, in ms. */
const MAX_WAIT_MS = 25

/**
 * Resolves when it is so: for what is told to nobody, and only seen. Between two looks the processor is left to what is
 * waited for, and to the tests beside, the longer the longer it takes.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let waitMs = 1; !(await isSo()); waitMs = Math.min(waitMs * 1.5, MAX_WAIT_MS)) await Bun.sleep(waitMs)
}

/** Resolves with whether it is so within `patienceMs` milliseconds. `pauseMs`: between two looks. */
export async function within(
  patienceMs: number,
  isSo: () => boolean | Promise<boolean>,
  pauseMs = 20,
): Promise<boolean> {
  for (const deadline = performance.now() + patienceMs; performance.now() < deadline; await Bun.sleep(pauseMs)) {
    if (await isSo()) return true
  }
  return false
}
