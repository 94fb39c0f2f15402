import { actorText } from './administrator.ts'
import type { Actor } from './administrator.ts'

interface Limits {
  readonly all: number
  /** So that one caller can't keep out the others. */
  readonly each: number
}

/** Places for what runs for long. */
export function createCallerPlaces({ all, each }: Limits) {
  const taken = new Map<string, number>()
  let count = 0

  return {
    /** Returns what gives the place back; `null`: none is left. */
    take(by: Actor): (() => void) | null {
      const caller = actorText(by)
      const own = taken.get(caller) ?? 0
      if (count >= all || own >= each) return null
      count++
      taken.set(caller, own + 1)
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        count--
        const left = (taken.get(caller) ?? 0) - 1
        if (left > 0) taken.set(caller, left)
        else taken.delete(caller)
      }
    },
  }
}
