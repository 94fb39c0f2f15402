import { DAY_MS } from '../clock.ts'
/** A gateway that asks for more than a day is taken to ask for a day. */
const MAX_RETRY_AFTER_MS = DAY_MS

/**
 * Milliseconds a `Retry-After` asks for, from `now` (ms since the Unix epoch); both forms of RFC 9110, 10.2.3: seconds,
 * or a date. `null` if it is absent or neither.
 */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null
  const value = header.trim()
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  if (Number.isNaN(ms) || value === '') return null
  return Math.min(Math.max(Math.ceil(ms), 0), MAX_RETRY_AFTER_MS)
}
