import { ASKABLE } from '../device/columns.ts'
import { alias, names, users } from '../device/device-fields.ts'
import { describedAs, optional } from '../http/fields.ts'
import type { Field, Member } from '../http/fields.ts'
import { PLATFORM } from '../platform.ts'
import { isoTime } from '../text/format.ts'
import { days, near, platforms, tagsMatch, where } from './filter-fields.ts'
import type { Demand, DeviceTraits, Filter } from './filter.ts'

interface Narrowing {
  /** `null`: does not narrow. */
  readonly demand: (filter: Filter) => Demand | null
  /** Why it excludes a device: a clause after "it …". */
  readonly why: (filter: Filter, device: DeviceTraits) => string
}

interface Asks<Value> {
  readonly demand: (value: Value, filter: Filter) => Demand | null
  readonly why: (value: Value, device: DeviceTraits, filter: Filter) => string
  /** Names in other services. */
  readonly alsoCalled?: string
  /** A filter's value without this field. Absent: none, as in pushes stored before the field existed. */
  readonly unsaid?: null | 'any'
}

type ValueOf<Key extends keyof Filter> = NonNullable<Filter[Key]>

/** `key`: in a filter; `said`: in a body. */
function narrowing<Key extends keyof Filter>(
  key: Key,
  said: Member<ValueOf<Key>, false>,
  { demand, why, ...more }: Asks<ValueOf<Key>>,
) {
  const valueIn = (filter: Filter): ValueOf<Key> | null => (filter[key] as ValueOf<Key> | undefined) ?? null
  return {
    ...more,
    key,
    said,
    demand: (filter: Filter) => {
      const value = valueIn(filter)
      return value === null ? null : demand(value, filter)
    },
    why: (filter: Filter, device: DeviceTraits) => {
      const value = valueIn(filter)
      return value === null ? '' : why(value, device, filter)
    },
  }
}

/** Empty isn't absent here: a caller whose user has no alias must not address everybody. */
function including<T>(description: string, field: Field<T>): Member<T, false> {
  return optional({ ...describedAs(description, field), emptyIsAbsent: false })
}

const asked = Array.from(ASKABLE.keys(), (column) => `{"${column}": "…"}, `).join('')

/** By their names in bodies. The API's description and stored filters keep this order. */
export const NARROWINGS = {
  platform: narrowing('platforms', optional(platforms), {
    demand: (given) => ({ platforms: given }),
    why: (_, device) =>
      `is ${PLATFORM[device.platform].article} ${PLATFORM[device.platform].device}, which the push does not address`,
    alsoCalled: 'os deviceType deviceTypes',
    unsaid: null,
  }),
  tags: narrowing(
    'tags',
    including('Devices with any of these tags. An array or one value; an empty array selects nobody.', names),
    {
      // All of no tags is nobody, not everybody.
      demand: (tags, filter) =>
        filter.tagsMatch === 'any' || tags.length === 0 ? { tags } : { all: tags.map((tag) => ({ tag })) },
      why: (tags, device, filter) =>
        filter.tagsMatch === 'any' || tags.length === 0
          ? hasNone('tag', tags, 'tags')
          : `lacks the ${shown('tag', without(tags, device.tag))}, which the push requires`,
      alsoCalled: 'tag topic topics channels',
      unsaid: null,
    },
  ),
  tags_match: narrowing('tagsMatch', optional(tagsMatch), { demand: () => null, why: () => '', unsaid: 'any' }),
  except_tags: narrowing(
    'exceptTags',
    optional(describedAs('Only devices with none of these tags. An array or one value.', names)),
    {
      demand: (tags) => ({ not: { tags } }),
      why: (tags, device) => `has the ${shown('tag', both(tags, device.tag))}, which the push excludes`,
      alsoCalled: 'exclude excludeTags excludedTags notTags',
      unsaid: null,
    },
  ),
  active: narrowing(
    'active',
    including('Devices with any of these types. An array or one value; an empty array selects nobody.', names),
    {
      demand: (types) => ({ types }),
      why: (types) => hasNone('type', types, 'active'),
      alsoCalled: 'type types activeTypes',
      unsaid: null,
    },
  ),
  except_active: narrowing(
    'exceptActive',
    optional(describedAs('Only devices with none of these types. An array or one value.', names)),
    {
      demand: (types) => ({ not: { types } }),
      why: (types, device) => `has the ${shown('type', both(types, device.active))}, which the push excludes`,
      alsoCalled: 'exceptType exceptTypes',
      unsaid: null,
    },
  ),
  alias: narrowing(
    'alias',
    { ...including('The device with this alias.', alias), also: ['Alias'] },
    {
      demand: (one) => ({ alias: one }),
      why: (one) => `does not have the ${shown('alias', [one])}`,
      alsoCalled: 'aliases currentAlias',
      unsaid: null,
    },
  ),
  except_alias: narrowing('exceptAlias', optional(describedAs('Not the device with this alias.', alias)), {
    demand: (one) => ({ not: { alias: one } }),
    why: (one) => `has the ${shown('alias', [one])}, which the push excludes`,
    unsaid: null,
  }),
  users: narrowing(
    'users',
    including(
      'The devices of these users. An array of at most 10000, or one value; an empty array selects nobody.',
      users,
    ),
    {
      demand: (ids) => ({ users: ids }),
      why: (_, { user }) =>
        user === null
          ? 'has no user, and the push addresses users'
          : `belongs to the ${shown('user', [user])}, whom the push does not address`,
      alsoCalled: 'user userId userIds uid uids externalId externalUserId includeExternalUserIds includeAliases',
    },
  ),
  except_users: narrowing(
    'exceptUsers',
    optional(describedAs('Not the devices of these users. An array of at most 10000, or one.', users)),
    {
      demand: (ids) => ({ not: { users: ids } }),
      why: (_, { user }) => `belongs to the ${shown('user', [user ?? ''])}, whom the push excludes`,
      alsoCalled: 'exceptUser exceptUserId exceptUserIds excludeUsers',
    },
  ),
  near: narrowing(
    'near',
    optional(describedAs('Devices whose location is at most `radius_km` (0.01 to 20038) away.', near)),
    {
      demand: (circle) => ({ near: circle }),
      why: ({ radiusKm }, { lat }) =>
        lat === null
          ? 'has no location, and the push addresses devices near a place'
          : `is not within ${radiusKm} km of the place that the push addresses`,
      alsoCalled: 'geo location geolocation radius lat lng',
    },
  ),
  seen_within: narrowing(
    'seenWithinMs',
    optional(describedAs('Registered, as at every launch, within this many days.', days)),
    {
      demand: (seenWithinMs) => ({ seenWithinMs }),
      why: (_, { seenAt }) => `last registered at ${isoTime(seenAt)}, longer ago than "seen_within" allows`,
    },
  ),
  not_seen_for: narrowing('notSeenForMs', optional(describedAs('Not registered within this many days.', days)), {
    demand: (notSeenForMs) => ({ notSeenForMs }),
    why: (_, { seenAt }) => `registered at ${isoTime(seenAt)}, more recently than "not_seen_for" allows`,
  }),
  registered_within: narrowing(
    'registeredWithinMs',
    optional(describedAs('Registered for the first time within this many days.', days)),
    {
      demand: (registeredWithinMs) => ({ registeredWithinMs }),
      why: (_, { registeredAt }) =>
        `first registered at ${isoTime(registeredAt)}, longer ago than "registered_within" allows`,
    },
  ),
  where: narrowing(
    'where',
    optional(
      describedAs(
        `An expression: {"all": […]}, {"any": […]} and {"not": …} of {"tag": "…"}, {"type": "…"}, {"alias": "…"}, {"user": "…"}, {"platform": "0"}, ${asked}{"near": {…}}, {"seen_within": 7}, {"not_seen_for": 30}, {"registered_within": 1}. At most 16 levels and 200 conditions.`,
        where,
      ),
    ),
    {
      demand: (expression) => expression,
      why: () => 'does not meet the condition in "where"',
      alsoCalled:
        'segment segments includedSegments excludedSegments filter filters condition conditions query audience',
    },
  ),
}

/** Other fields of a push give a filter its devices or turn. */
const BY_OTHER_FIELDS = {
  tokens: {
    demand: ({ devices }) => (devices === undefined ? null : { devices }),
    why: () => 'is not one of the devices whose tokens the push names',
  },
  send_at_local: {
    demand: turnDemand,
    why({ stayedSince }, { movedAt, timezone }) {
      const zone = timezone ?? 'not known'
      return stayedSince !== undefined && movedAt !== null && movedAt >= stayedSince
        ? `has changed its time zone (${zone}) while the push went around the world`
        : `is in a time zone (${zone}) that nobody was in when its turn came`
    },
  },
} satisfies Readonly<Record<string, Narrowing>>

export type FilterField = keyof typeof NARROWINGS | keyof typeof BY_OTHER_FIELDS

export const ALL_NARROWINGS = Object.entries({ ...NARROWINGS, ...BY_OTHER_FIELDS }) as unknown as readonly (readonly [
  FilterField,
  Narrowing,
])[]

/** A wave's own part of a filter. */
export function turnDemand({ zones, stayedSince }: Pick<Filter, 'zones' | 'stayedSince'>): Demand {
  return {
    all: [...(zones === undefined ? [] : [{ zones }]), ...(stayedSince === undefined ? [] : [{ stayedSince }])],
  }
}

const MAX_NAMES = 5

const both = (named: readonly string[], has: readonly string[]) => named.filter((one) => has.includes(one))
const without = (named: readonly string[], has: readonly string[]) => named.filter((one) => !has.includes(one))

function hasNone(kind: string, named: readonly string[], field: string): string {
  if (named.length === 0) return `cannot match "${field}", which is empty`
  if (named.length === 1) return `does not have the ${shown(kind, named)}, which the push addresses`
  return `has none of the ${shown(kind, named)} that the push addresses`
}

function shown(kind: string, named: readonly string[]): string {
  const first = named.slice(0, MAX_NAMES).map((name) => JSON.stringify(name))
  const more = named.length > MAX_NAMES ? ' …' : ''
  return `${kind}${named.length === 1 ? '' : 's'} ${first.join(', ')}${more}`
}
