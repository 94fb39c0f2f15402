import { array, constantFrom, integer, letrec, oneof, option, record } from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { distanceKm } from './audience-model.ts'
import type { FilterBody, Place, Tree } from './audience-model.ts'

/** Few names, so that calls meet: of one letter case and another, and of letters that UTF-16 and UTF-8 order differently. */
export const TAGS = ['a', 'b', 'B', 'é', '\uFB00', '😀']
export const TYPES = ['news', 'chat', 'a']
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
export const aPlatform = constantFrom('0' as const, '1' as const)

/** Nobody lies so close to the edge, a metre, that rounding decides. */
const aCircle = record({
  middle: constantFrom(...PLACES),
  radius_km: oneof(constantFrom(0.01, 20_038), integer({ min: 1, max: 20_000 })),
})
  .filter(({ middle, radius_km }) => PLACES.every((place) => Math.abs(distanceKm(middle, place) - radius_km) > 0.001))
  .map(({ middle: { lat, lng }, radius_km }) => ({ lat, lng, radius_km }))

const someDays = oneof(integer({ min: 1, max: 30 }), constantFrom(1.5, 2.25))

const aLeaf: Arbitrary<Tree> = oneof(
  { weight: 4, arbitrary: record({ tag: oneof(aTag, constantFrom('unknown')) }) },
  { weight: 3, arbitrary: record({ type: constantFrom(...TYPES) }) },
  record({ alias: anAlias }),
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

const rarely = <T>(arbitrary: Arbitrary<T>) => option(arbitrary, { nil: undefined, freq: 1 })
const seldom = <T>(arbitrary: Arbitrary<T>) => oneof({ weight: 6, arbitrary: constantFrom(undefined) }, arbitrary)
const names = (of: readonly string[]) => array(constantFrom(...of, 'unknown'), { maxLength: 3 })

/** Everything that says who is reached; most fields are absent in most filters. */
export const aFilter: Arbitrary<FilterBody> = record({
  platform: rarely(constantFrom<readonly ('0' | '1')[]>(['0', '1'], ['0'], ['1'])),
  tags: seldom(names(TAGS)),
  tags_match: rarely(constantFrom('any' as const, 'all' as const)),
  except_tags: seldom(names(TAGS)),
  active: seldom(names(TYPES)),
  except_active: seldom(names(TYPES)),
  alias: seldom(anAlias),
  except_alias: seldom(anAlias),
  near: seldom(aCircle),
  seen_within: seldom(someDays),
  not_seen_for: seldom(someDays),
  registered_within: seldom(someDays),
  where: rarely(aTree),
}).map((fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)))
