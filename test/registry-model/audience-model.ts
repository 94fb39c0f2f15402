import { distanceKm } from '../support/distance.ts'
import type { Place } from '../support/distance.ts'
import type { WirePlatform } from './call.ts'

/** A registered device, as far as filters ask for it. */
export interface ModelTraits {
  readonly platform: WirePlatform
  readonly tag: readonly string[]
  readonly active: readonly string[]
  readonly alias: string | null
  readonly user: string | null
  readonly place: Place | null
  /** First registration and the last, ms since the Unix epoch. */
  readonly createdAt: number
  readonly seenAt: number
}

type Circle = Place & { readonly radius_km: number }

/** A tree of conditions, as `where` has it. */
export type Tree = { readonly all: readonly Tree[] } | { readonly any: readonly Tree[] } | { readonly not: Tree } | Leaf

type Leaf =
  | { readonly tag: string }
  | { readonly type: string }
  | { readonly alias: string }
  | { readonly user: string }
  | { readonly platform: WirePlatform }
  | { readonly near: Circle }
  | { readonly seen_within: number }
  | { readonly not_seen_for: number }
  | { readonly registered_within: number }

/** The fields of a push that say who is reached, as they are sent. Days, kilometres. */
export interface FilterBody {
  readonly platform?: readonly WirePlatform[]
  readonly tags?: readonly string[]
  readonly tags_match?: 'any' | 'all'
  readonly except_tags?: readonly string[]
  readonly active?: readonly string[]
  readonly except_active?: readonly string[]
  readonly alias?: string
  readonly except_alias?: string
  readonly users?: readonly string[]
  readonly except_users?: readonly string[]
  readonly near?: Circle
  readonly seen_within?: number
  readonly not_seen_for?: number
  readonly registered_within?: number
  readonly where?: Tree
}

const DAY_MS = 24 * 60 * 60 * 1000

/** Whether a push with this filter goes to this device, at `now`. Filters narrow together. */
export function isAddressed(filter: FilterBody, device: ModelTraits, now: number): boolean {
  const { platform, tags, except_tags, active, except_active, alias, except_alias, users, except_users, where } = filter
  const has = (names: readonly string[]) => (name: string) => names.includes(name)
  const narrowed = [
    platform === undefined || platform.includes(device.platform),
    tags === undefined || tags.some(has(device.tag)),
    tags === undefined || filter.tags_match !== 'all' || tags.every(has(device.tag)),
    except_tags === undefined || !except_tags.some(has(device.tag)),
    active === undefined || active.some(has(device.active)),
    except_active === undefined || !except_active.some(has(device.active)),
    alias === undefined || device.alias === alias,
    except_alias === undefined || device.alias !== except_alias,
    users === undefined || has(users)(device.user ?? ''),
    except_users === undefined || !has(except_users)(device.user ?? ''),
    filter.near === undefined || isNear(filter.near, device.place),
    filter.seen_within === undefined || isWithin(filter.seen_within, device.seenAt, now),
    filter.not_seen_for === undefined || !isWithin(filter.not_seen_for, device.seenAt, now),
    filter.registered_within === undefined || isWithin(filter.registered_within, device.createdAt, now),
    where === undefined || holds(where, device, now),
  ]
  return narrowed.every(Boolean)
}

function holds(tree: Tree, device: ModelTraits, now: number): boolean {
  if ('all' in tree) return tree.all.every((each) => holds(each, device, now))
  if ('any' in tree) return tree.any.some((each) => holds(each, device, now))
  if ('not' in tree) return !holds(tree.not, device, now)
  if ('tag' in tree) return device.tag.includes(tree.tag)
  if ('type' in tree) return device.active.includes(tree.type)
  if ('alias' in tree) return device.alias === tree.alias
  if ('user' in tree) return device.user === tree.user
  if ('platform' in tree) return device.platform === tree.platform
  if ('near' in tree) return isNear(tree.near, device.place)
  if ('seen_within' in tree) return isWithin(tree.seen_within, device.seenAt, now)
  if ('not_seen_for' in tree) return !isWithin(tree.not_seen_for, device.seenAt, now)
  return isWithin(tree.registered_within, device.createdAt, now)
}

function isWithin(days: number, at: number, now: number): boolean {
  return now - at <= Math.round(days * DAY_MS)
}

function isNear({ radius_km, ...middle }: Circle, place: Place | null): boolean {
  return place !== null && distanceKm(middle, place) <= radius_km
}
