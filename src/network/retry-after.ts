import { DAY_MS } from '../clock.ts'
/** A longer Retry-After counts as a day. */
const MAX_RETRY_AFTER_MS = DAY_MS

/** Seconds or a date (RFC 9110, 10.2.3), as ms from `now`. `null`: absent or neither. */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null
  const value = header.trim()
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  if (Number.isNaN(ms) || value === '') return null
  return Math.min(Math.max(Math.ceil(ms), 0), MAX_RETRY_AFTER_MS)
}
