import { invalid, show } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'

/** Names only: the runtime would also read an offset, or a whole date with its zone. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/

/** An IANA time zone, in the spelling of the database; `''` removes it. */
export const timezone: Field<string> = {
  schema: {
    type: 'string',
    maxLength: 64,
    description: 'The time zone of the device, by its IANA name; "" removes it.',
    example: 'Europe/Berlin',
  },
  emptyIsAbsent: false,
  read(value, name) {
    if (value === '') return ''
    const known = typeof value === 'string' && NAME.test(value) ? nameInDatabase(value) : null
    if (known !== null) return known
    throw invalid(name, `must be an IANA time zone such as Europe/Berlin, or "" for none, not ${show(value)}`)
  },
}

/** As the database writes it: `europe/berlin` is Europe/Berlin, and a former name stays. `null`: unknown. */
function nameInDatabase(name: string): string | null {
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
