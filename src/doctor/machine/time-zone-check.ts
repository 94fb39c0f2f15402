import { failing, ok } from '../finding.ts'
import type { Finding } from '../finding.ts'

/** Noon UTC on a day in July. */
const MOMENT = Date.UTC(2026, 6, 1, 12)
const HOURS: Readonly<Record<string, string>> = {
  'Europe/Berlin': '14',
  'America/New_York': '08',
  'Asia/Kolkata': '17',
}

/** Whether pushes by local time will go at the right hour. */
export function checkTimeZones(hourIn: (zone: string, at: number) => string = hourOf): Finding {
  const wrong = Object.keys(HOURS).filter((zone) => hourIn(zone, MOMENT) !== HOURS[zone])
  if (wrong.length === 0) return ok('The time zones of the world are known.')
  return failing(
    `The time zone data is wrong or missing (${wrong.join(', ')}): pushes by local time would go at the wrong hour.`,
    'Unset TZDIR and ICU_DATA if they are set; else use the program as it was released.',
  )
}

function hourOf(zone: string, at: number): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone, hour: '2-digit', hourCycle: 'h23' }).format(at)
  } catch {
    // An unknown zone throws a RangeError.
    return ''
  }
}
