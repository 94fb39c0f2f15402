import { token, tokens } from '../device/device-fields.ts'
import { describedAs, invalid, optional, show } from '../http/fields.ts'
import type { Field, Given } from '../http/fields.ts'
import { instantOf } from './schedule/timing-schema.ts'
import type { When } from './schedule/timing-schema.ts'

const MAX_TOKENS = 1000

const LOOSE_MOMENT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?(Z|[+-]\d{2}:\d{2})?$/

const schedule: Field<When> = {
  schema: {
    type: 'string',
    description:
      '`send_at`, as clients of the original service write it: a time, in UTC where it has no offset, or milliseconds since 1970. One that is past is now.',
  },
  emptyIsAbsent: true,
  read(value, name) {
    const ms = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
    if (typeof ms === 'number' && ms >= 0) return { kind: 'at', at: Math.round(ms), isSchedule: true }
    const [text, date, time = '00:00', offset = 'Z'] = typeof value === 'string' ? (LOOSE_MOMENT.exec(value) ?? []) : []
    const at = text === undefined ? null : instantOf(`${date}T${time}${offset}`)
    if (at !== null) return { kind: 'at', at, isSchedule: true }
    throw invalid(name, `must be a time, such as 2026-12-24T09:00:00Z, or milliseconds since 1970, not ${show(value)}`)
  },
}

const named = tokens(MAX_TOKENS)
const namedOfAll = optional({
  ...describedAs(
    `Only devices with these tokens: an array of at most ${MAX_TOKENS}, or one; unregistered ones are skipped, and an empty array selects nobody.`,
    named,
  ),
  // As for the filters, an empty token must not address everybody.
  emptyIsAbsent: false,
})

/** Fields that only clients of the original service send. */
export const looseFieldsToAll = { token: namedOfAll, tokens: namedOfAll, schedule: optional(schedule) }

export const looseFieldsToOne = {
  token: optional(token),
  tokens: optional(
    describedAs(
      `The devices with these tokens, at most ${MAX_TOKENS}; those that are not registered are skipped.`,
      named,
    ),
  ),
  schedule: optional(schedule),
}

/** The original service narrowed by it, in an undocumented form: ignored, the push would go to everybody. */
export function refuseGeo(given: Given): void {
  if ((given['geo'] ?? '') === '') return
  throw invalid('geo', 'is not read: near says it, {"lat": "52.52", "lng": "13.405", "radius_km": 25}')
}
