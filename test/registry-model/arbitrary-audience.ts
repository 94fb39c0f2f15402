import { array, constantFrom, integer, letrec, oneof, option, record } from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { distanceKm } from '../support/distance.ts'
import type { Place } from '../support/distance.ts'
import type { FilterBody, Tree } from './audience-model.ts'
import type { WirePlatform } from './call.ts'

/** Few names, so that calls meet: of one letter case and another, and of letters that UTF-16 and UTF-8 order differently. */
export const TAGS = ['a', 'b', 'B', 'é', '\uFB00', '😀']
export const TYPES = ['news', 'chat', 'a']
export const USERS = ['ann', 'é', 'e\u0301']
export const ALIASES = ['ann', 'bob', 'Ann', '😀']

/** Berlin and Potsdam, the date line from both sides, the poles. */
export const PLACES: readonly Place[] = [
  { lat: 52.52, lng: 13.405 },
  { lat: 52.4, lng: 13.06 },
  { lat: 0, lng: 179.9 },
  { lat: 0.1, lng: -180 },
  { lat: 90, lng: 0 },
  { lat: -89.5, lng: 77 },
]

export const aTag = constantFrom(...TAGS)
export const anAlias = constantFrom(...ALIASES)
export const aPlatform = constantFrom<WirePlatform[]>('0', '1', '2')

/** Nobody lies so close to the edge, a metre, that rounding decides. */
const aCircle = record({
  middle: constantFrom(...PLACES),
  radius_km: oneof(constantFrom(0.01, 20_038), integer({ min: 1, max: 20_000 })),
})
  .filter(({ middle, radius_km }) => PLACES.every((place) => Math.abs(distanceKm(middle, place) - radius_km) > 0.001))
  .map(({ middle: { lat, lng }, radius_km }) => ({ lat, lng, radius_km }))

/** Mostly such as part the devices, which came one after the other within a few days. */
const someDays = oneof({ weight: 3, arbitrary: constantFrom(1, 1.25, 1.5, 2, 2.25, 3) }, integer({ min: 1, max: 30 }))

const aLeaf: Arbitrary<Tree> = oneof(
  { weight: 4, arbitrary: record({ tag: oneof(aTag, constantFrom('unknown')) }) },
  { weight: 3, arbitrary: record({ type: constantFrom(...TYPES) }) },
  record({ alias: anAlias }),
  record({ user: constantFrom(...USERS) }),
  record({ platform: aPlatform }),
  record({ near: aCircle }),
  record({ seen_within: someDays }),
  record({ not_seen_for: someDays }),
  record({ registered_within: someDays }),
)

const aTree: Arbitrary<Tree> = letrec<{ tree: Tree }>((tie) => ({
  tree: oneof(
    { maxDepth: 4, withCrossShrink: true },
    aLeaf,
    record({ all: array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
    record({ any: array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
    record({ not: tie('tree') }),
  ),
})).tree

const names = (of: readonly string[]) => array(constantFrom(...of, 'unknown'), { minLength: 1, maxLength: 3 })
/** Of nobody: said to be nobody, not everybody. */
const few = (of: readonly string[]) => oneof({ weight: 9, arbitrary: names(of) }, constantFrom([]))

/** Everything that says who is reached. */
const FIELDS = {
  platform: constantFrom<readonly WirePlatform[]>(['0', '1', '2'], ['0', '1'], ['0'], ['1'], ['2']),
  tags: few(TAGS),
  except_tags: few(TAGS),
  active: few(TYPES),
  except_active: few(TYPES),
  alias: anAlias,
  except_alias: anAlias,
  users: few(USERS),
  except_users: few(USERS),
  near: aCircle,
  seen_within: someDays,
  not_seen_for: someDays,
  registered_within: someDays,
  where: aTree,
}
export type FilterField = keyof typeof FIELDS

const NAMES = Object.keys(FIELDS) as FilterField[]

/** Each field beside each other one: what is right alone may be forgotten beside another. */
export const PAIRS: readonly (readonly [field: FilterField, beside: FilterField])[] = NAMES.flatMap((field) =>
  NAMES.flatMap((beside) => (field === beside ? [] : [[field, beside] as const])),
)

/** A filter with these fields; most others are absent, for who is asked much finds nobody. */
export function aFilterWith(fields: readonly FilterField[]): Arbitrary<FilterBody> {
  const seldom = (arbitrary: Arbitrary<unknown>) => oneof({ weight: 12, arbitrary: constantFrom(undefined) }, arbitrary)
  const each = NAMES.map((name) => [name, fields.includes(name) ? FIELDS[name] : seldom(FIELDS[name])] as const)
  const tags_match = option(constantFrom('any' as const, 'all' as const), { nil: undefined, freq: 1 })
  return record<Record<string, unknown>>({ ...Object.fromEntries(each), tags_match }).map((filter) =>
    Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)),
  )
}

export const aFilter: Arbitrary<FilterBody> = constantFrom(...PAIRS).chain(aFilterWith)
