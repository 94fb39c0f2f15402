import { fullGC } from 'bun:jsc'
import { SECOND_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'

/** Calls a second from which their latency matters more than memory. */
const BUSY_CALLS_PER_SECOND = 50

interface Collect {
  readonly fully: () => void
  readonly inBackground: () => void
}

/**
 * Collects garbage during a broadcast. A full collection keeps memory lowest, but calls wait for it. With more callers
 * JavaScriptCore collects in the background.
 *
 * Measured on 2 busy cores, 1,000,000 devices, 500 calls a second during a broadcast: GET p99 16 ms in the background
 * and 34 ms with full collections (25 ms each); memory at most 149 MB and 122 MB.
 */
export function garbageCollector(
  clock: Pick<Clock, 'monotonic'>,
  calls: { readonly count: number },
  collect: Collect = { fully: () => void fullGC(), inBackground: () => Bun.gc(false) },
): () => void {
  let since = clock.monotonic()
  let before = calls.count
  let isBusy = false
  return () => {
    const now = clock.monotonic()
    if (now - since >= SECOND_MS) {
      isBusy = ((calls.count - before) * SECOND_MS) / (now - since) >= BUSY_CALLS_PER_SECOND
      since = now
      before = calls.count
    }
    if (isBusy) collect.inBackground()
    else collect.fully()
  }
}
