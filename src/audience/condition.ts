import type { PlainName } from '../device/columns.ts'
import type { Platform } from '../device/device.ts'
import type { Filter, Missed } from './filter.ts'
import type { GeoCircle } from './geo-circle.ts'
import type { Where } from './where.ts'

/** What must hold of a device on one platform, with names looked up, for an index or a row to answer. */
export type Condition =
  /** Has one of these labels; never an empty list. */
  | { readonly kind: 'labels'; readonly ids: readonly number[] }
  | { readonly kind: 'alias'; readonly alias: string }
  /** Never an empty list. */
  | { readonly kind: 'users'; readonly users: readonly string[] }
  | { readonly kind: 'column'; readonly column: PlainName; readonly value: string }
  | { readonly kind: 'near'; readonly near: GeoCircle }
  /** Not before this time, ms since the Unix epoch. */
  | { readonly kind: 'since'; readonly column: 'seen_at' | 'registered_at'; readonly moment: number }
  /** By `device.id`. */
  | { readonly kind: 'devices'; readonly ids: readonly number[] }
  /** `null`: unknown zone. Never an empty list. */
  | { readonly kind: 'zones'; readonly zones: readonly (string | null)[] }
  /** In the same time zone since before this time. */
  | { readonly kind: 'stayed'; readonly moment: number }
  /** Failed in one of these, by `push.number`. */
  | { readonly kind: 'failed'; readonly pushes: readonly number[] }
  /** By `device.id`, from and to. */
  | { readonly kind: 'within'; readonly ranges: readonly (readonly [number, number])[] }
  | { readonly kind: 'not'; readonly operand: Condition }
  | { readonly kind: 'all' | 'any'; readonly operands: readonly Condition[] }
  | typeof EVERYBODY
  | typeof NOBODY

const EVERYBODY = { kind: 'everybody' } as const
const NOBODY = { kind: 'nobody' } as const

export type LabelId = (kind: 'tag' | 'type', name: string) => number | null

/**
 * The conditions that all must hold for a device of `platform`; `null`: the audience is empty. `labelId` is `null` for
 * a name that no device ever had: it includes nobody and excludes nobody.
 */
export function conditionsOf(filter: Filter, platform: Platform, labelId: LabelId): readonly Condition[] | null {
  if (!filter.platforms.includes(platform)) return null
  const whole = all([...labelConditions(filter, labelId), ...otherConditions(filter, platform, labelId)])
  if (whole.kind === 'nobody') return null
  return conjuncts(whole)
}

function labelConditions(filter: Filter, labelId: LabelId): Condition[] {
  const { tags, active, exceptTags, exceptActive, tagsMatch } = filter
  const has = (kind: 'tag' | 'type', names: readonly string[]) => names.map((name) => label(labelId(kind, name)))
  const conditions: Condition[] = []
  // All of no tags is nobody rather than everybody.
  if (tags !== null)
    conditions.push(tagsMatch === 'any' || tags.length === 0 ? any(has('tag', tags)) : all(has('tag', tags)))
  if (active !== null) conditions.push(any(has('type', active)))
  if (exceptTags !== null) conditions.push(not(any(has('tag', exceptTags))))
  if (exceptActive !== null) conditions.push(not(any(has('type', exceptActive))))
  return conditions
}

function otherConditions(filter: Filter, platform: Platform, labelId: LabelId): Condition[] {
  const {
    alias,
    exceptAlias,
    users,
    exceptUsers,
    near,
    seenWithinMs,
    notSeenForMs,
    registeredWithinMs,
    where,
    devices,
    missed,
  } = filter
  const conditions: Condition[] = []
  const add = (one: Where) => conditions.push(conditionOf(one, platform, labelId, filter.asOf))
  if (alias !== null) add({ alias })
  if (exceptAlias !== null) add({ not: { alias: exceptAlias } })
  if (users !== undefined) conditions.push(ofUsers(users))
  if (exceptUsers !== undefined) conditions.push(not(ofUsers(exceptUsers)))
  if (near !== undefined) add({ near })
  if (seenWithinMs !== undefined) add({ seenWithinMs })
  if (notSeenForMs !== undefined) add({ notSeenForMs })
  if (registeredWithinMs !== undefined) add({ registeredWithinMs })
  if (where !== undefined) add(where)
  if (devices !== undefined) conditions.push(devices.length > 0 ? { kind: 'devices', ids: devices } : NOBODY)
  conditions.push(...turnConditions(filter))
  if (missed !== undefined) conditions.push(missedBy(missed, platform))
  return conditions
}

function turnConditions({ zones, stayedSince }: Pick<Filter, 'zones' | 'stayedSince'>): Condition[] {
  const conditions: Condition[] = []
  if (zones !== undefined) conditions.push(zones.length > 0 ? { kind: 'zones', zones } : NOBODY)
  if (stayedSince !== undefined) conditions.push({ kind: 'stayed', moment: stayedSince })
  return conditions
}

function missedBy({ pushes, unsent = [] }: Missed, platform: Platform): Condition {
  const here = unsent.filter((one) => one.platform === platform)
  const parts = here.map(({ ranges, turn = {} }) => all([{ kind: 'within', ranges }, ...turnConditions(turn)]))
  return any([{ kind: 'failed', pushes }, ...parts])
}

function conditionOf(where: Where, platform: Platform, labelId: LabelId, asOf: number | undefined): Condition {
  const inner = (one: Where) => conditionOf(one, platform, labelId, asOf)
  const since = (column: 'seen_at' | 'registered_at', ms: number): Condition => {
    if (asOf === undefined) throw new Error('a filter by time has no moment')
    return { kind: 'since', column, moment: asOf - ms }
  }
  if ('all' in where) return all(where.all.map(inner))
  if ('any' in where) return any(where.any.map(inner))
  if ('not' in where) return not(inner(where.not))
  if ('tag' in where) return label(labelId('tag', where.tag))
  if ('type' in where) return label(labelId('type', where.type))
  if ('platform' in where) return where.platform === platform ? EVERYBODY : NOBODY
  if ('alias' in where) return { kind: 'alias', alias: where.alias }
  if ('user' in where) return ofUsers([where.user])
  if ('column' in where) return { kind: 'column', ...where }
  if ('near' in where) return { kind: 'near', near: where.near }
  if ('seenWithinMs' in where) return since('seen_at', where.seenWithinMs)
  if ('notSeenForMs' in where) return not(since('seen_at', where.notSeenForMs))
  return since('registered_at', where.registeredWithinMs)
}

function label(id: number | null): Condition {
  return id === null ? NOBODY : { kind: 'labels', ids: [id] }
}

function ofUsers(users: readonly string[]): Condition {
  return users.length === 0 ? NOBODY : { kind: 'users', users }
}

/** Pushed inwards, so that what must hold can be told from what may, whichever way it was written. */
function not(condition: Condition): Condition {
  if (condition.kind === 'everybody') return NOBODY
  if (condition.kind === 'nobody') return EVERYBODY
  if (condition.kind === 'not') return condition.operand
  if (condition.kind === 'all') return any(condition.operands.map(not))
  if (condition.kind === 'any') return all(condition.operands.map(not))
  return { kind: 'not', operand: condition }
}

/** One lookup answers for all labels a device must not have, and one for all users it must not be of. */
function all(conditions: readonly Condition[]): Condition {
  const flat = conditions.flatMap(conjuncts)
  if (flat.some(({ kind }) => kind === 'nobody')) return NOBODY
  const excluded = flat.flatMap((one) => (one.kind === 'not' && isNamed(one.operand) ? [one.operand] : []))
  const others = flat.filter((one) => one.kind !== 'not' || !isNamed(one.operand))
  return joined(
    'all',
    [...others, ...merged(excluded).map((operand) => ({ kind: 'not', operand }) as const)],
    EVERYBODY,
  )
}

/** One lookup answers for all labels of which one is enough, and one for all users. */
function any(conditions: readonly Condition[]): Condition {
  const flat = conditions.flatMap((one) => (one.kind === 'any' ? one.operands : one.kind === 'nobody' ? [] : [one]))
  if (flat.some(({ kind }) => kind === 'everybody')) return EVERYBODY
  const others = flat.filter((one) => !isNamed(one))
  return joined('any', [...merged(flat.filter(isNamed)), ...others], NOBODY)
}

type Named = Extract<Condition, { readonly kind: 'labels' | 'users' }>

function isNamed(condition: Condition): condition is Named {
  return condition.kind === 'labels' || condition.kind === 'users'
}

/** What holds where one of these does. */
function merged(conditions: readonly Named[]): Named[] {
  const ids = conditions.flatMap((one) => (one.kind === 'labels' ? one.ids : []))
  const users = conditions.flatMap((one) => (one.kind === 'users' ? one.users : []))
  return [
    ...(ids.length > 0 ? [{ kind: 'labels', ids: [...new Set(ids)] } as const] : []),
    ...(users.length > 0 ? [{ kind: 'users', users: [...new Set(users)] } as const] : []),
  ]
}

function joined(kind: 'all' | 'any', conditions: readonly Condition[], empty: Condition): Condition {
  return conditions.length > 1 ? { kind, operands: conditions } : (conditions[0] ?? empty)
}

function conjuncts(condition: Condition): readonly Condition[] {
  if (condition.kind === 'everybody') return []
  return condition.kind === 'all' ? condition.operands : [condition]
}
