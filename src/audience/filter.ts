import type { PlainName } from '../device/columns.ts'
import type { Device, Platform } from '../device/device.ts'
import type { GeoCircle } from './geo-circle.ts'

/** `null` fields don't narrow; all others must match (AND). */
export interface Filter {
  readonly platforms: readonly Platform[]
  readonly tags: readonly string[] | null
  /** Any or all of `tags`. */
  readonly tagsMatch: 'any' | 'all'
  readonly exceptTags: readonly string[] | null
  readonly active: readonly string[] | null
  readonly exceptActive: readonly string[] | null
  readonly alias: string | null
  readonly exceptAlias: string | null
  // Below, a field that doesn't narrow is absent, as in pushes stored before it existed.
  /** Excludes devices without a location. */
  readonly near?: GeoCircle
  /** Since the last registration, at most. */
  readonly seenWithinMs?: number
  /** Since the last registration, more than this. */
  readonly notSeenForMs?: number
  /** Since the first registration, at most. */
  readonly registeredWithinMs?: number
  readonly where?: Where
  /** An empty list is nobody. */
  readonly users?: readonly string[]
  readonly exceptUsers?: readonly string[]
  /** Times count back from here: when the push was accepted. */
  readonly asOf?: number
  /** By `device.id`. */
  readonly devices?: readonly number[]
  /** `null`: unknown. */
  readonly zones?: readonly (string | null)[]
  /** Excludes devices whose zone changed since, ms of service time. */
  readonly stayedSince?: number
  readonly missed?: Missed
  /** Excludes devices that an earlier push missed. */
  readonly reached?: Missed
}

export interface Missed {
  /** `push.number` of the push and its waves, for recipients that were rejected or expired. */
  readonly pushes: readonly number[]
  /** Reasons of recipients that are not missed all the same. */
  readonly except?: readonly string[]
  /** Devices not reached when it ended, by platform and wave; absent: none. */
  readonly unsent?: readonly Unsent[]
}

export interface Unsent {
  readonly platform: Platform
  /** By `device.id`, both inclusive. */
  readonly ranges: readonly (readonly [number, number])[]
  /** The wave's own filter. */
  readonly turn?: Pick<Filter, 'zones' | 'stayedSince'>
}

/** `device`: `device.id`. */
export type Audience =
  | { readonly device: number; readonly platform: Platform }
  | {
      readonly filter: Filter
      /** Send when the device's clock shows this: `2026-12-24T09:00`. */
      readonly local?: string
      /** When its first wave started, ms of service time. */
      readonly letGoAt?: number
    }

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

/** In a `Where`, `all` and `any` are not empty. */
type Combined<Leaf> =
  | { readonly all: readonly Combined<Leaf>[] }
  | { readonly any: readonly Combined<Leaf>[] }
  | { readonly not: Combined<Leaf> }
  | Leaf

type WhereLeaf =
  | { readonly tag: string }
  | { readonly type: string }
  | { readonly alias: string }
  | { readonly user: string }
  | { readonly platform: Platform }
  /** Equals this. */
  | { readonly column: PlainName; readonly value: string }
  /** Excludes devices without a location. */
  | { readonly near: GeoCircle }
  /** Counts back from the filter's `asOf`. */
  | { readonly seenWithinMs: number }
  | { readonly notSeenForMs: number }
  | { readonly registeredWithinMs: number }

/** Also the stored form of `where`. */
export type Where = Combined<WhereLeaf>

/** An empty list is nobody. */
export type Demand = Combined<
  | WhereLeaf
  /** Any of these. */
  | { readonly tags: readonly string[] }
  | { readonly types: readonly string[] }
  | { readonly users: readonly string[] }
  | { readonly platforms: readonly Platform[] }
  /** By `device.id`. */
  | { readonly devices: readonly number[] }
  /** `null`: unknown. */
  | { readonly zones: readonly (string | null)[] }
  /** The zone has not changed since, ms of service time. */
  | { readonly stayedSince: number }
>
