import type { PlainName } from '../device/columns.ts'
import type { Device } from '../device/device.ts'
import type { Filter } from './filter.ts'
import { isInCircle } from './geo-circle.ts'
import type { GeoCircle } from './geo-circle.ts'
import type { Where } from './where.ts'

/** Times are ms since the Unix epoch. */
export interface DeviceTraits
  extends
    Pick<Device, 'id' | 'platform' | 'tag' | 'active' | 'alias' | 'user' | 'lat' | 'lng' | 'registeredAt'>,
    Partial<Readonly<Record<Exclude<PlainName, 'user'>, string | null>>> {
  readonly seenAt: number
  /** IANA name; `null`: unknown. */
  readonly timezone: string | null
  /** Ms of service time; `null`: not since it registered. */
  readonly movedAt: number | null
}

export type FilterField =
  | 'platform'
  | 'tags'
  | 'except_tags'
  | 'active'
  | 'except_active'
  | 'alias'
  | 'except_alias'
  | 'users'
  | 'except_users'
  | 'near'
  | 'seen_within'
  | 'not_seen_for'
  | 'registered_within'
  | 'where'
  | 'tokens'
  | 'send_at_local'

/**
 * The fields, by their names on the wire, that leave out a registered device; none: it is in the audience. Says without
 * SQL what `audience.ts` says in SQL; tests compare the two.
 */
export function failedFields(filter: Filter, device: DeviceTraits): readonly FilterField[] {
  const {
    users,
    exceptUsers = [],
    near,
    seenWithinMs,
    notSeenForMs,
    registeredWithinMs,
    where,
    devices,
    zones,
    stayedSince,
    asOf,
  } = filter
  const hasTag = (name: string) => device.tag.includes(name)
  const hasType = (name: string) => device.active.includes(name)
  const holds = (condition: Where) => isTrue(condition, device, asOf)
  const passed: Readonly<Record<FilterField, boolean>> = {
    platform: filter.platforms.includes(device.platform),
    tags: filter.tags === null || (filter.tagsMatch === 'any' ? filter.tags.some(hasTag) : hasAll(filter.tags, hasTag)),
    except_tags: !(filter.exceptTags ?? []).some(hasTag),
    active: filter.active === null || filter.active.some(hasType),
    except_active: !(filter.exceptActive ?? []).some(hasType),
    alias: filter.alias === null || device.alias === filter.alias,
    except_alias: filter.exceptAlias === null || device.alias !== filter.exceptAlias,
    users: users === undefined || (device.user !== null && users.includes(device.user)),
    except_users: device.user === null || !exceptUsers.includes(device.user),
    near: near === undefined || holds({ near }),
    seen_within: seenWithinMs === undefined || holds({ seenWithinMs }),
    not_seen_for: notSeenForMs === undefined || holds({ notSeenForMs }),
    registered_within: registeredWithinMs === undefined || holds({ registeredWithinMs }),
    where: where === undefined || holds(where),
    tokens: devices === undefined || devices.includes(device.id),
    send_at_local:
      (zones === undefined || zones.includes(device.timezone)) &&
      (stayedSince === undefined || device.movedAt === null || device.movedAt < stayedSince),
  }
  return (Object.keys(passed) as FilterField[]).filter((field) => !passed[field])
}

/** All of no names is nobody rather than everybody. */
function hasAll(names: readonly string[], has: (name: string) => boolean): boolean {
  return names.length > 0 && names.every(has)
}

function isTrue(where: Where, device: DeviceTraits, asOf: number | undefined): boolean {
  if ('all' in where) return where.all.every((one) => isTrue(one, device, asOf))
  if ('any' in where) return where.any.some((one) => isTrue(one, device, asOf))
  if ('not' in where) return !isTrue(where.not, device, asOf)
  if ('tag' in where) return device.tag.includes(where.tag)
  if ('type' in where) return device.active.includes(where.type)
  if ('alias' in where) return device.alias === where.alias
  if ('user' in where) return device.user === where.user
  if ('platform' in where) return device.platform === where.platform
  if ('column' in where) return device[where.column] === where.value
  if ('near' in where) return isThere(where.near, device)
  if (asOf === undefined) throw new Error('a filter by time has no moment')
  if ('seenWithinMs' in where) return device.seenAt >= asOf - where.seenWithinMs
  if ('notSeenForMs' in where) return device.seenAt < asOf - where.notSeenForMs
  return device.registeredAt >= asOf - where.registeredWithinMs
}

function isThere(near: GeoCircle, { lat, lng }: DeviceTraits): boolean {
  return lat !== null && lng !== null && isInCircle(near, { lat, lng })
}
