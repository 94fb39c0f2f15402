import { PLATFORM } from '../platform.ts'
import { isoTime } from '../text/format.ts'
import { failedFields } from './filter-match.ts'
import type { DeviceTraits, FilterField } from './filter-match.ts'
import type { Filter } from './filter.ts'

const MAX_NAMES = 5

/** Why a filter leaves out a registered device: clauses that continue "it …". */
export function exclusionsBy(filter: Filter, device: DeviceTraits): Exclusion[] {
  return failedFields(filter, device).map((field) => ({ field, why: clauseOf(field, filter, device) }))
}

function clauseOf(field: FilterField, filter: Filter, device: DeviceTraits): string {
  const { tags, exceptTags, active, exceptActive, near, stayedSince } = filter
  const zone = device.timezone ?? 'not known'
  switch (field) {
    case 'platform':
      return `is ${PLATFORM[device.platform].article} ${PLATFORM[device.platform].device}, which platform does not name`
    case 'tags':
      if (filter.tagsMatch === 'any') return `has none of the tags that tags names${listed(tags)}`
      return `does not have all tags that tags names: it lacks ${shown(without(tags, device.tag))}`
    case 'except_tags':
      return `has the tag ${shown(both(exceptTags, device.tag))}, which except_tags names`
    case 'active':
      return `has none of the types that active names${listed(active)}`
    case 'except_active':
      return `has the type ${shown(both(exceptActive, device.active))}, which except_active names`
    case 'alias':
      return `does not have the alias ${shown([filter.alias ?? ''])}`
    case 'except_alias':
      return `has the alias ${shown([filter.exceptAlias ?? ''])}, which except_alias names`
    case 'users':
      return `is not a device of one of the users that users names${device.user === null ? ': it has no user' : ''}`
    case 'except_users':
      return `is a device of the user ${shown([device.user ?? ''])}, whom except_users names`
    case 'near':
      if (device.lat === null) return 'has no location, which near asks for'
      return `is not within ${near?.radiusKm} km of the place that near names`
    case 'seen_within':
      return `has last registered at ${isoTime(device.seenAt)}, longer ago than seen_within allows`
    case 'not_seen_for':
      return `has registered at ${isoTime(device.seenAt)}, more recently than not_seen_for allows`
    case 'registered_within':
      return `has first registered at ${isoTime(device.registeredAt)}, longer ago than registered_within allows`
    case 'where':
      return 'does not meet the condition in where'
    case 'tokens':
      return 'is not one of the devices whose tokens the push names'
    case 'send_at_local':
      if (stayedSince !== undefined && device.movedAt !== null && device.movedAt >= stayedSince) {
        return `has changed its time zone (${zone}) while the push went around the world`
      }
      return `is in a time zone (${zone}) that nobody was in when its turn came`
  }
}

function without(named: readonly string[] | null, has: readonly string[]): string[] {
  return (named ?? []).filter((one) => !has.includes(one))
}

function both(named: readonly string[] | null, has: readonly string[]): string[] {
  return (named ?? []).filter((one) => has.includes(one))
}

function listed(names: readonly string[] | null): string {
  return names === null || names.length === 0 ? ', for it names none' : ` (${shown(names)})`
}

function shown(names: readonly string[]): string {
  const first = names.slice(0, MAX_NAMES).map((name) => JSON.stringify(name))
  return names.length > MAX_NAMES ? `${first.join(', ')} …` : first.join(', ')
}

/** A field of the push that leaves the device out, with a clause: `has the tag "muted", which …`. */
export interface Exclusion {
  readonly field: string
  readonly why: string
}
