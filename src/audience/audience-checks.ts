import type { Value } from '../database/statement.ts'
import { storedOf } from '../device/columns.ts'
import type { Condition } from './condition.ts'
import { boxesOf, cosine, maxHaversine } from './geo-circle.ts'
import type { GeoCircle } from './geo-circle.ts'

/** Returns the parameter's name. */
export type Bind = (value: Value) => string

/** Beyond this, reading the device's own labels is faster: 50 lookups take 8 times as long (measured). */
const MAX_LOOKUPS = 4

/** SQL on device `d`, never NULL, so it works under NOT. */
export function checkOf(condition: Condition, bind: Bind): string {
  switch (condition.kind) {
    case 'labels': {
      // The plus avoids the index, and reads the device's few labels.
      const label = condition.ids.length > MAX_LOOKUPS ? '+x.label' : 'x.label'
      const ids = condition.ids.map(bind).join(', ')
      return `EXISTS (SELECT 1 FROM device_label x WHERE x.device = d.id AND ${label} IN (${ids}))`
    }
    case 'alias':
      return `d.alias IS ${bind(condition.alias)}`
    case 'users':
      return `(d.user IS NOT NULL AND d.user IN ${listOf(condition.users, bind)})`
    case 'column':
      return `(d.${condition.column} IS ${bind(storedOf(condition.column, condition.value))})`
    case 'devices':
      return `d.id IN ${listOf(condition.ids, bind)}`
    case 'near':
      return nearCheck(condition.near, bind)
    case 'since':
      return `d.${condition.column} >= ${bind(condition.moment)}`
    case 'zones':
      return zoneCheck(condition.zones, bind)
    case 'stayed':
      return `(d.moved_at IS NULL OR d.moved_at < ${bind(condition.moment)})`
    case 'failed': {
      const { pushes, except } = condition
      const counts = except.length === 0 ? '' : ` AND x.reason NOT IN ${listOf(except, bind)}`
      return `EXISTS (SELECT 1 FROM push_exception x WHERE x.push IN ${listOf(pushes, bind)}
        AND x.platform = d.platform AND x.device = d.id AND x.state IN ('rejected', 'expired')${counts})`
    }
    case 'within':
      return `EXISTS (SELECT 1 FROM json_each(${bind(JSON.stringify(condition.ranges))}) r
        WHERE d.id BETWEEN r.value ->> 0 AND r.value ->> 1)`
    case 'not':
      if (condition.operand.kind === 'alias') return `d.alias IS NOT ${bind(condition.operand.alias)}`
      return `NOT ${checkOf(condition.operand, bind)}`
    case 'all':
    case 'any': {
      const word = condition.kind === 'all' ? ' AND ' : ' OR '
      return `(${condition.operands.map((one) => checkOf(one, bind)).join(word)})`
    }
    case 'everybody':
    case 'nobody':
      throw new Error('a condition that always or never holds is no filter')
  }
}

/** One parameter for all values, so the SQL text stays the same. */
function listOf(values: readonly Value[], bind: Bind): string {
  return `(SELECT value FROM json_each(${bind(JSON.stringify(values))}))`
}

export function weightOf(condition: Condition): number {
  if (condition.kind === 'not') return weightOf(condition.operand)
  if (condition.kind !== 'all' && condition.kind !== 'any') return 1
  return condition.operands.reduce((sum, one) => sum + weightOf(one), 0)
}

/** Boxes first: few places need the sines. `isInCircle` is the same without SQL. */
function nearCheck(near: GeoCircle, bind: Bind): string {
  const boxes = boxesOf(near).map(
    ({ south, north, west, east }) =>
      `d.lat BETWEEN ${bind(south)} AND ${bind(north)} AND d.lng BETWEEN ${bind(west)} AND ${bind(east)}`,
  )
  const lat = `pow(sin(radians(d.lat - ${bind(near.lat)}) / 2), 2)`
  const lng = `pow(sin(radians(d.lng - ${bind(near.lng)}) / 2), 2)`
  const haversine = `${lat} + ${bind(cosine(near.lat))} * cos(radians(d.lat)) * ${lng}`
  return `(d.lat IS NOT NULL AND (${boxes.join(' OR ')}) AND ${haversine} <= ${bind(maxHaversine(near.radiusKm))})`
}

function zoneCheck(zones: readonly (string | null)[], bind: Bind): string {
  const names = zones.filter((zone) => zone !== null).map(bind)
  // With an empty list SQLite takes the whole WHERE for false and refuses INDEXED BY.
  const known = names.length > 0 ? [`(d.timezone IS NOT NULL AND d.timezone IN (${names.join(', ')}))`] : []
  const unknown = zones.includes(null) ? ['d.timezone IS NULL'] : []
  return `(${[...unknown, ...known].join(' OR ')})`
}
