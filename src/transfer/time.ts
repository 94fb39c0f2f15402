import { isJsonObject } from '../text/json-object.ts'

/** Smaller numbers are seconds: as ms they would be before March 1973. */
const MIN_MS = 100_000_000_000

/** A date or a time, also as PostgreSQL writes it; UTC without a zone. */
const WRITTEN = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))? ?(Z|UTC|[+-]\d{2}:?(?:\d{2})?)?$/

/**
 * `null`: no time. Reads text, seconds, ms, MongoDB's `{"$date": …}` (Extended JSON 2), Parse's `{"__type": "Date",
 * "iso": …}`, and Firestore timestamps as its libraries print them.
 */
export function readTime(value: unknown): number | null {
  if (typeof value === 'number') return ofNumber(value)
  if (typeof value === 'string') return ofText(value.trim())
  if (!isJsonObject(value)) return null
  const seconds = value['_seconds'] ?? value['seconds']
  if (seconds !== undefined) return typeof seconds === 'number' ? ofNumber(seconds) : null
  const inner = value['$date'] ?? value['iso'] ?? value['$numberLong'] ?? value['__time__'] ?? value['value']
  return inner === undefined ? null : readTime(inner)
}

function ofNumber(value: number): number | null {
  if (!(value > 0)) return null
  const ms = Math.round(value < MIN_MS ? value * 1000 : value)
  return Number.isSafeInteger(ms) ? ms : null
}

function ofText(text: string): number | null {
  if (/^\d+(\.\d+)?$/.test(text)) return ofNumber(Number(text))
  const [, date, time = '00:00', zone = 'Z'] = WRITTEN.exec(text) ?? []
  if (date === undefined) return null
  const ms = Date.parse(`${date}T${time}${zoneOf(zone)}`)
  return Number.isNaN(ms) ? null : ms
}

/** To ISO 8601, from `+00`, `+0000` or `UTC`. */
function zoneOf(zone: string): string {
  if (zone === 'Z' || zone === 'UTC') return 'Z'
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  return `${zone.charAt(0)}${digits.slice(0, 2)}:${digits.slice(2)}`
}
