import { instantOf } from '../push/schedule/timing-schema.ts'
import { duration } from '../settings/setting-type.ts'

/** `2026-11-22T01:30:00Z`, or an age such as `2h`. */
export function timeGiven(text: string, now: number): number | null {
  const ago = duration(1000).read(text)
  return ago === undefined ? instantOf(text) : now - ago
}

export function notAMoment(flag: string, text: string): string {
  return `--${flag}: "${text}" is not a time such as 2026-11-22T01:30:00Z or an age such as 90m, 2h or 3d.`
}
