import { ASKABLE } from '../device/columns.ts'
import { alias, asPlatform, names, platform, users } from '../device/device-fields.ts'
import { PLATFORM_CHOICE, PLATFORMS } from '../platform.ts'
import type { Platform } from '../device/device.ts'
import { describedAs, invalid, optional, show } from '../http/fields.ts'
import type { Field, Input } from '../http/fields.ts'
import { days, near } from './filter-fields.ts'
import type { Filter } from './filter.ts'
import { where } from './where-schema.ts'

const platforms: Field<readonly Platform[]> = {
  schema: {
    type: 'array',
    items: platform.schema,
    description: 'An array, or one value; unknown members are skipped.',
  },
  emptyIsAbsent: true,
  read(value, name) {
    const given: readonly unknown[] = Array.isArray(value) ? value : [value]
    const known = PLATFORMS.filter((one) => given.some((item) => asPlatform(item) === one))
    if (known.length === 0)
      throw invalid(
        name,
        `must contain ${PLATFORM_CHOICE}, ${Array.isArray(value) ? 'which this array does not' : `not ${show(value)}`}`,
      )
    return known
  },
}

const tagsMatch: Field<'any' | 'all'> = {
  schema: { type: 'string', enum: ['any', 'all'], default: 'any', description: 'Whether one of `tags` is enough.' },
  emptyIsAbsent: true,
  read(value, name) {
    if (value === 'any' || value === 'all') return value
    throw invalid(name, `must be "any" or "all", not ${show(value)}`)
  },
}

/** Empty isn't absent here: a caller whose user has no alias would otherwise address everybody. */
function including<T>(description: string, field: Field<T>): Field<T> {
  return { ...describedAs(description, field), emptyIsAbsent: false }
}

const asked = Array.from(ASKABLE.keys(), (column) => `{"${column}": "…"}, `).join('')

export const filterFields = {
  platform: optional(platforms),
  tags: optional(including('Devices with any of these tags. An array, or one; an empty one is nobody.', names)),
  tags_match: optional(tagsMatch),
  except_tags: optional(describedAs('Not devices with one of these tags. An array, or one.', names)),
  active: optional(including('Devices with any of these types. An array, or one; an empty one is nobody.', names)),
  except_active: optional(describedAs('Not devices with one of these types. An array, or one.', names)),
  alias: optional(including('The device with this alias.', alias), ['Alias']),
  except_alias: optional(describedAs('Not the device with this alias.', alias)),
  users: optional(
    including('The devices of these users. An array of at most 10000, or one; an empty one is nobody.', users),
  ),
  except_users: optional(describedAs('Not the devices of these users. An array of at most 10000, or one.', users)),
  near: optional(describedAs('Devices whose location is at most `radius_km` (0.01 to 20038) away.', near)),
  seen_within: optional(describedAs('Devices that registered, as at every launch, in these last days.', days)),
  not_seen_for: optional(describedAs('Devices that did not register in these last days.', days)),
  registered_within: optional(describedAs('Devices that registered for the first time in these last days.', days)),
  where: optional(
    describedAs(
      `An expression: {"all": […]}, {"any": […]} and {"not": …} of {"tag": "…"}, {"type": "…"}, {"alias": "…"}, {"user": "…"}, {"platform": "0"}, ${asked}{"near": {…}}, {"seen_within": 7}, {"not_seen_for": 30}, {"registered_within": 1}. At most 16 levels and 200 conditions.`,
      where,
    ),
  ),
}

/** `platforms` is `null` if the caller names none. */
export type WantedFilter = Omit<Filter, 'platforms'> & { readonly platforms: readonly Platform[] | null }

export function filterOf(input: Input<typeof filterFields> & { readonly platform: readonly Platform[] }): Filter {
  return { ...wantedFilterOf(input), platforms: input.platform }
}

export function wantedFilterOf(input: Input<typeof filterFields>): WantedFilter {
  return {
    platforms: input.platform ?? null,
    tags: input.tags ?? null,
    tagsMatch: input.tags_match ?? 'any',
    exceptTags: input.except_tags ?? null,
    active: input.active ?? null,
    exceptActive: input.except_active ?? null,
    alias: input.alias ?? null,
    exceptAlias: input.except_alias ?? null,
    ...(input.users !== undefined && { users: input.users }),
    ...(input.except_users !== undefined && { exceptUsers: input.except_users }),
    ...(input.near !== undefined && { near: input.near }),
    ...(input.seen_within !== undefined && { seenWithinMs: input.seen_within }),
    ...(input.not_seen_for !== undefined && { notSeenForMs: input.not_seen_for }),
    ...(input.registered_within !== undefined && { registeredWithinMs: input.registered_within }),
    ...(input.where !== undefined && { where: input.where }),
  }
}

/** Whether nothing narrows the audience but its platforms. */
export function isBroadcast(filter: WantedFilter): boolean {
  const narrows = ([name, value]: [string, unknown]) =>
    !['platforms', 'tagsMatch'].includes(name) && (value ?? null) !== null
  return !Object.entries(filter).some(narrows)
}
