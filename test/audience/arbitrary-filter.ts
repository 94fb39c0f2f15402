import { array, constant, constantFrom, double, integer, letrec, nat, oneof, option, record } from 'fast-check'
import type { Arbitrary } from 'fast-check'
import type { Filter, Where } from '../../src/audience/filter.ts'
import { MAX_RADIUS_KM, MIN_RADIUS_KM } from '../../src/audience/geo-circle.ts'
import type { GeoCircle } from '../../src/audience/geo-circle.ts'
import type { Platform } from '../../src/device/device.ts'
import { CENTRES, DEVICES, TAGS, TYPES, USERS, ZONES } from './population.ts'

const UNKNOWN = 'unknown'

const names = (known: readonly string[]) =>
  option(array(constantFrom(...known, UNKNOWN), { maxLength: 7 }), { nil: null })

const alias = nat(DEVICES).map((number) => `alias-${number}`)
const anAlias = option(alias, { nil: null, freq: 1 })
const user = constantFrom(...USERS, UNKNOWN)
const platform = constantFrom<Platform[]>(0, 1)

export const aPlace = oneof(
  constantFrom(...CENTRES).map(([lat, lng]) => ({ lat, lng })),
  record({
    lat: oneof(degrees(90), constantFrom(-90, 0, 89.999, 90)),
    lng: oneof(degrees(180), constantFrom(-180, 0, 179.9999, 180)),
  }),
)

/** Never -0, which is read as 0. */
function degrees(max: number): Arbitrary<number> {
  return double({ min: -max, max, noNaN: true }).map((drawn) => drawn + 0)
}

/** From ten metres to around the world, each order of magnitude as often as another. */
export const aCircle: Arbitrary<GeoCircle> = record({
  at: aPlace,
  radiusKm: double({ min: Math.log(MIN_RADIUS_KM), max: Math.log(MAX_RADIUS_KM), noNaN: true }).map((log) =>
    Math.min(Math.max(Math.exp(log), MIN_RADIUS_KM), MAX_RADIUS_KM),
  ),
}).map(({ at: { lat, lng }, radiusKm }) => ({ lat, lng, radiusKm }))

/** Around the times of the population, on the hour and beside it. */
const someTimeMs = oneof(
  integer({ min: 1, max: 1500 }).map((hours) => hours * 60 * 60 * 1000),
  integer({ min: 1, max: 1500 * 60 * 60 * 1000 }),
)

const leaf: Arbitrary<Where> = oneof(
  { weight: 4, arbitrary: record({ tag: constantFrom(...TAGS, UNKNOWN) }) },
  { weight: 3, arbitrary: record({ type: constantFrom(...TYPES, UNKNOWN) }) },
  record({ alias }),
  record({ user }),
  record({ platform }),
  record({ near: aCircle }),
  record({ seenWithinMs: someTimeMs }),
  record({ notSeenForMs: someTimeMs }),
  record({ registeredWithinMs: someTimeMs }),
)

export const anExpression: Arbitrary<Where> = letrec<{ where: Where }>((tie) => ({
  where: oneof(
    { maxDepth: 5, withCrossShrink: true },
    leaf,
    record({ all: array(tie('where'), { minLength: 1, maxLength: 4 }) }),
    record({ any: array(tie('where'), { minLength: 1, maxLength: 4 }) }),
    record({ not: tie('where') }),
  ),
})).where

const rarely = <T>(arbitrary: Arbitrary<T>) => oneof({ weight: 5, arbitrary: constant(undefined) }, arbitrary)

/** A filter of everything there is; `asOf` is any moment from `from` to `to`, ms since the Unix epoch. */
export function aFilter(from: number, to: number): Arbitrary<Filter> {
  return record({
    platforms: constantFrom<(readonly Platform[])[]>([0, 1], [0], [1]),
    tags: names(TAGS),
    tagsMatch: constantFrom<('any' | 'all')[]>('any', 'all'),
    exceptTags: names(TAGS),
    active: names(TYPES),
    exceptActive: names(TYPES),
    alias: oneof({ weight: 9, arbitrary: constant(null) }, { weight: 1, arbitrary: anAlias }),
    exceptAlias: anAlias,
    later: record({
      users: rarely(array(user, { maxLength: 3 })),
      exceptUsers: rarely(array(user, { maxLength: 3 })),
      near: rarely(aCircle),
      seenWithinMs: rarely(someTimeMs),
      notSeenForMs: rarely(someTimeMs),
      registeredWithinMs: rarely(someTimeMs),
      where: rarely(anExpression),
      devices: rarely(array(integer({ min: 0, max: DEVICES + 1 }), { maxLength: 30 })),
      zones: rarely(array(constantFrom(...ZONES, null, 'Mars/Olympus'), { maxLength: 4 })),
      stayedSince: rarely(integer({ min: from, max: to })),
    }),
    asOf: integer({ min: from, max: to }),
  }).map(({ later, ...filter }) => Object.assign(filter, present(later)))
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>
}
