import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { Refused } from '../../failure.ts'
import { invalid, optional, show, wholeNumber } from '../../http/fields.ts'
import type { Field, Given } from '../../http/fields.ts'
import { flag } from '../../notification/option-fields.ts'
import { wavesOf } from './local-time.ts'

export type When =
  | { readonly kind: 'now' }
  | { readonly kind: 'in'; readonly delayMs: number }
  /** `isSchedule`: from the field `schedule`, which takes any past time as now. */
  | { readonly kind: 'at'; readonly at: number; readonly isSchedule?: true }
  /** By the clock of each device: `2026-12-24T09:00`. */
  | { readonly kind: 'local'; readonly wall: string }

const MAX_DAYS = 90
const MAX_AHEAD_MS = MAX_DAYS * DAY_MS
const MAX_SECONDS = MAX_AHEAD_MS / SECOND_MS

/** RFC 3339, with optional seconds. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/
const WALL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/

const sendAt: Field<When> = {
  schema: {
    oneOf: [{ type: 'string' }, { type: 'number', minimum: 0, maximum: MAX_SECONDS }],
    description: `When to send: a time with its offset (2026-12-24T09:00:00+01:00, or Z), or a number of seconds from now. At most ${MAX_DAYS} days ahead. A time that has just come is now; more than 60 seconds past is refused.`,
    example: '3600',
  },
  emptyIsAbsent: true,
  read(value, name) {
    const seconds = typeof value === 'string' && /^\d{1,8}$/.test(value) ? Number(value) : value
    if (typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_SECONDS) {
      return { kind: 'in', delayMs: Math.round(seconds * 1000) }
    }
    const at = typeof value === 'string' && MOMENT.test(value) ? instantOf(value) : null
    if (at !== null) return { kind: 'at', at }
    throw invalid(
      name,
      `must be a time with its offset, such as 2026-12-24T09:00:00Z, or a number of seconds from 0 to ${MAX_SECONDS}, not ${show(value)}`,
    )
  },
}

const sendAtLocal: Field<When> = {
  schema: {
    type: 'string',
    description: `When to send, by the clock of each device: 2026-12-24T09:00, at most ${MAX_DAYS} days ahead. A device without a known time zone has UTC. Where the time is more than 1 hour past, it is not sent; \`passed\` names the zones.`,
  },
  emptyIsAbsent: true,
  read(value, name) {
    if (typeof value === 'string' && WALL.test(value) && read(() => Temporal.PlainDateTime.from(value)) !== null) {
      return { kind: 'local', wall: value }
    }
    throw invalid(name, `must be a date and time without an offset, such as 2026-12-24T09:00, not ${show(value)}`)
  },
}

const confirm: Field<number> = {
  ...wholeNumber(0, Number.MAX_SAFE_INTEGER),
  schema: {
    type: 'integer',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: "The expected number of devices, within 10 percent. Required above the application's confirm-above.",
  },
}

const replace = flag(
  'With an Idempotency-Key: takes the place of the push of that key, which must not have gone out. true, false, 1 or 0.',
)

export const lifeFields = {
  send_at: optional(sendAt),
  send_at_local: optional(sendAtLocal),
  confirm: optional(confirm),
  replace: optional(replace),
}

export const lifeFieldsOfOne = { send_at: lifeFields.send_at, replace: lifeFields.replace }

/** `null`: no such day or time. */
export function instantOf(moment: string): number | null {
  return read(() => Temporal.Instant.from(moment).epochMilliseconds)
}

function read<T>(parse: () => T): T | null {
  try {
    return parse()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

export function whenOf(input: { readonly [Field in (typeof MOMENTS)[number]]?: When | undefined }): When {
  const [first, second] = MOMENTS.filter((name) => input[name] !== undefined)
  if (second !== undefined) throw invalid(second, `can't be combined with ${first}`)
  return (first && input[first]) ?? { kind: 'now' }
}

const MOMENTS = ['send_at', 'schedule', 'send_at_local'] as const

/** Ignored like an unknown field, it would send the push now. */
export function refuseLocal(given: Given): void {
  if ((given['send_at_local'] ?? '') !== '') throw invalid('send_at_local', 'is for /push/all; here it is send_at')
}

/** A `send_at` that is past by no more is now: clocks differ, and calls take time. */
const JUST_PASSED_MS = MINUTE_MS

/** No moment: now. Several: waves by local time. Throws `Refused`. */
export function momentsOf(when: When, now: number, holdMs: number): number[] {
  const earliest = now + holdMs
  if (when.kind === 'local') {
    const waves = wavesOf(when.wall, now, earliest)
    const last = waves.at(-1)
    if (last === undefined) throw invalid('send_at_local', 'must not be past in every time zone')
    if (last > now + MAX_AHEAD_MS) throw tooFar('send_at_local')
    return waves
  }
  const at = when.kind === 'at' ? when.at : now + (when.kind === 'in' ? when.delayMs : 0)
  const isSchedule = when.kind === 'at' && when.isSchedule === true
  if (at < now - JUST_PASSED_MS && !isSchedule) throw invalid('send_at', 'must not be more than 60 seconds past')
  if (at > now + MAX_AHEAD_MS) throw tooFar(isSchedule ? 'schedule' : 'send_at')
  const moment = Math.max(at, earliest)
  return moment > now ? [moment] : []
}

function tooFar(field: string): Refused {
  return invalid(field, `must be at most ${MAX_DAYS} days ahead`)
}
