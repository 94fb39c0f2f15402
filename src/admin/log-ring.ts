import { logOf } from '../log.ts'
import type { Log, LogLine } from '../log.ts'

/** Lines that are kept: about 200 KB of them. */
const KEPT_LINES = 500

/** `number` counts from the start on. */
export type KeptLine = LogLine & { readonly number: number }

/** What a service has said lately: those lines after the one of this number, the oldest first. */
export type RecentLines = (number: number) => readonly KeptLine[]

/** A log that keeps its last lines, for who looks at them while the service runs. */
export function createLogRing(base: Log, now: () => number): { readonly log: Log; readonly recentLines: RecentLines } {
  const lines: KeptLine[] = []
  let last = 0
  return {
    log: logOf(
      (level) => base.writes(level),
      (level, event, fields) => {
        if (base.writes(level)) {
          lines.push({ number: ++last, at: now(), level, event, fields })
          if (lines.length > KEPT_LINES) lines.shift()
        }
        base[level](event, fields)
      },
    ),
    // A number of the future is that of a service before this one.
    recentLines: (number) => (number > last ? [...lines] : lines.filter((line) => line.number > number)),
  }
}
