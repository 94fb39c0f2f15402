import type { Demand, DeviceTraits, Filter } from './filter.ts'
import { isInCircle } from './geo-circle.ts'
import { ALL_NARROWINGS } from './narrowings.ts'

/** A clause about a field of the push: `has the tag "muted", which …`. */
export interface Exclusion {
  readonly field: string
  readonly why: string
}

/**
 * Empty: the filter includes the registered device. Does without SQL what `audience.ts` does in SQL; tests compare the
 * two.
 */
export function exclusionsBy(filter: Filter, device: DeviceTraits): Exclusion[] {
  return ALL_NARROWINGS.flatMap(([field, { demand, why }]) => {
    const asked = demand(filter)
    return asked === null || isTrue(asked, device, filter.asOf) ? [] : { field, why: why(filter, device) }
  })
}

function isTrue(demand: Demand, device: DeviceTraits, asOf: number | undefined): boolean {
  const holds = (one: Demand) => isTrue(one, device, asOf)
  if ('all' in demand) return demand.all.every(holds)
  if ('any' in demand) return demand.any.some(holds)
  if ('not' in demand) return !holds(demand.not)
  if ('tag' in demand) return device.tag.includes(demand.tag)
  if ('tags' in demand) return demand.tags.some((tag) => device.tag.includes(tag))
  if ('type' in demand) return device.active.includes(demand.type)
  if ('types' in demand) return demand.types.some((type) => device.active.includes(type))
  if ('alias' in demand) return device.alias === demand.alias
  if ('user' in demand) return device.user === demand.user
  if ('users' in demand) return device.user !== null && demand.users.includes(device.user)
  if ('platform' in demand) return device.platform === demand.platform
  if ('platforms' in demand) return demand.platforms.includes(device.platform)
  if ('column' in demand) return device[demand.column] === demand.value
  if ('devices' in demand) return demand.devices.includes(device.id)
  if ('zones' in demand) return demand.zones.includes(device.timezone)
  if ('stayedSince' in demand) return device.movedAt === null || device.movedAt < demand.stayedSince
  if ('near' in demand) {
    const { lat, lng } = device
    return lat !== null && lng !== null && isInCircle(demand.near, { lat, lng })
  }
  if (asOf === undefined) throw new Error('a filter by time has no moment')
  if ('seenWithinMs' in demand) return device.seenAt >= asOf - demand.seenWithinMs
  if ('notSeenForMs' in demand) return device.seenAt < asOf - demand.notSeenForMs
  return device.registeredAt >= asOf - demand.registeredWithinMs
}
