import type { Device } from '../../src/device/device.ts'
import type { Filter } from '../../src/push/push.ts'

/**
 * Whether a registered device is in an audience, said as plainly as spec/decisions, "Pushes" says it. What the SQL
 * answers is held against this.
 */
export function matches(filter: Filter, device: Pick<Device, 'platform' | 'tag' | 'active' | 'alias'>): boolean {
  const { tags, exceptTags, active, exceptActive, alias, exceptAlias } = filter
  const hasTag = (name: string) => device.tag.includes(name)
  const hasType = (name: string) => device.active.includes(name)
  const hasTags = (names: readonly string[]) =>
    names.length > 0 && (filter.tagsMatch === 'any' ? names.some(hasTag) : names.every(hasTag))
  return (
    filter.platforms.includes(device.platform) &&
    (tags === null || hasTags(tags)) &&
    (active === null || active.some(hasType)) &&
    !(exceptTags ?? []).some(hasTag) &&
    !(exceptActive ?? []).some(hasType) &&
    (alias === null || device.alias === alias) &&
    (exceptAlias === null || device.alias !== exceptAlias)
  )
}
