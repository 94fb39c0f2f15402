import type { PlainName } from '../device/columns.ts'
import type { Platform } from '../device/device.ts'
import type { Demand, Filter, Missed } from './filter.ts'
import type { GeoCircle } from './geo-circle.ts'
import { ALL_NARROWINGS, turnDemand } from './narrowings.ts'

/** Must hold for a device on one platform. Label names are already ids. */
export type Condition =
  /** Any of these; never empty. */
  | { readonly kind: 'labels'; readonly ids: readonly number[] }
  | { readonly kind: 'alias'; readonly alias: string }
  /** Never empty. */
  | { readonly kind: 'users'; readonly users: readonly string[] }
  | { readonly kind: 'column'; readonly column: PlainName; readonly value: string }
  | { readonly kind: 'near'; readonly near: GeoCircle }
  | { readonly kind: 'since'; readonly column: 'seen_at' | 'registered_at'; readonly moment: number }
  /** By `device.id`. */
  | { readonly kind: 'devices'; readonly ids: readonly number[] }
  /** `null`: unknown. Never empty. */
  | { readonly kind: 'zones'; readonly zones: readonly (string | null)[] }
  /** The zone has not changed since this time. */
  | { readonly kind: 'stayed'; readonly moment: number }
  /** Failed in one of these, by `push.number`, for another reason. */
  | { readonly kind: 'failed'; readonly pushes: readonly number[]; readonly except: readonly string[] }
  /** By `device.id`, both inclusive. */
  | { readonly kind: 'within'; readonly ranges: readonly (readonly [number, number])[] }
  | { readonly kind: 'not'; readonly operand: Condition }
  | { readonly kind: 'all' | 'any'; readonly operands: readonly Condition[] }
  | typeof EVERYBODY
  | typeof NOBODY

const EVERYBODY = { kind: 'everybody' } as const
const NOBODY = { kind: 'nobody' } as const

export type LabelId = (kind: 'tag' | 'type', name: string) => number | null

/** All must hold; `null`: an empty audience. `labelId` is `null` for a name that no device ever had. */
export function conditionsOf(filter: Filter, platform: Platform, labelId: LabelId): readonly Condition[] | null {
  if (!filter.platforms.includes(platform)) return null
  const inner = (demand: Demand) => conditionOf(demand, platform, labelId, filter.asOf)
  const demands = ALL_NARROWINGS.flatMap(([, { demand }]) => demand(filter) ?? [])
  const missed = filter.missed === undefined ? [] : [missedBy(filter.missed, platform, inner)]
  const reached = filter.reached === undefined ? [] : [not(missedBy(filter.reached, platform, inner))]
  const whole = all([...demands.map(inner), ...missed, ...reached])
  if (whole.kind === 'nobody') return null
  return conjuncts(whole)
}

function missedBy(
  { pushes, except = [], unsent = [] }: Missed,
  platform: Platform,
  inner: (demand: Demand) => Condition,
): Condition {
  const here = unsent.filter((one) => one.platform === platform)
  const parts = here.map(({ ranges, turn = {} }) => all([{ kind: 'within', ranges }, inner(turnDemand(turn))]))
  return any([{ kind: 'failed', pushes, except }, ...parts])
}

function conditionOf(demand: Demand, platform: Platform, labelId: LabelId, asOf: number | undefined): Condition {
  const inner = (one: Demand) => conditionOf(one, platform, labelId, asOf)
  const has = (kind: 'tag' | 'type', names: readonly string[]) => any(names.map((name) => label(labelId(kind, name))))
  const since = (column: 'seen_at' | 'registered_at', ms: number): Condition => {
    if (asOf === undefined) throw new Error('a filter by time has no moment')
    return { kind: 'since', column, moment: asOf - ms }
  }
  if ('all' in demand) return all(demand.all.map(inner))
  if ('any' in demand) return any(demand.any.map(inner))
  if ('not' in demand) return not(inner(demand.not))
  if ('tag' in demand) return has('tag', [demand.tag])
  if ('tags' in demand) return has('tag', demand.tags)
  if ('type' in demand) return has('type', [demand.type])
  if ('types' in demand) return has('type', demand.types)
  if ('platform' in demand) return demand.platform === platform ? EVERYBODY : NOBODY
  if ('platforms' in demand) return demand.platforms.includes(platform) ? EVERYBODY : NOBODY
  if ('alias' in demand) return { kind: 'alias', alias: demand.alias }
  if ('user' in demand) return { kind: 'users', users: [demand.user] }
  if ('users' in demand) return demand.users.length === 0 ? NOBODY : { kind: 'users', users: demand.users }
  if ('column' in demand) return { kind: 'column', ...demand }
  if ('devices' in demand) return demand.devices.length === 0 ? NOBODY : { kind: 'devices', ids: demand.devices }
  if ('zones' in demand) return demand.zones.length === 0 ? NOBODY : { kind: 'zones', zones: demand.zones }
  if ('stayedSince' in demand) return { kind: 'stayed', moment: demand.stayedSince }
  if ('near' in demand) return { kind: 'near', near: demand.near }
  if ('seenWithinMs' in demand) return since('seen_at', demand.seenWithinMs)
  if ('notSeenForMs' in demand) return not(since('seen_at', demand.notSeenForMs))
  return since('registered_at', demand.registeredWithinMs)
}

function label(id: number | null): Condition {
  return id === null ? NOBODY : { kind: 'labels', ids: [id] }
}

/** Moves inwards, so that `conjuncts` finds every necessary condition. */
function not(condition: Condition): Condition {
  if (condition.kind === 'everybody') return NOBODY
  if (condition.kind === 'nobody') return EVERYBODY
  if (condition.kind === 'not') return condition.operand
  if (condition.kind === 'all') return any(condition.operands.map(not))
  if (condition.kind === 'any') return all(condition.operands.map(not))
  return { kind: 'not', operand: condition }
}

/** Merges excluded labels into one lookup, and excluded users. */
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

/** Merges labels into one lookup, and users. */
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
