import type { PlainName } from '../device/columns.ts'
import type { Device, Platform } from '../device/device.ts'
import type { GeoCircle } from './geo-circle.ts'

/** `null` fields don't narrow; the others narrow together (AND). */
export interface Filter {
  readonly platforms: readonly Platform[]
  readonly tags: readonly string[] | null
  /** `any` of `tags` or `all` of them. */
  readonly tagsMatch: 'any' | 'all'
  readonly exceptTags: readonly string[] | null
  readonly active: readonly string[] | null
  readonly exceptActive: readonly string[] | null
  readonly alias: string | null
  readonly exceptAlias: string | null
  // From here on a field that doesn't narrow is absent, as in stored pushes from before it existed.
  /** Leaves out devices without a location. */
  readonly near?: GeoCircle
  /** The last registration, as at every launch, is at most this long ago. */
  readonly seenWithinMs?: number
  /** The last registration is longer ago. */
  readonly notSeenForMs?: number
  /** The first registration is at most this long ago. */
  readonly registeredWithinMs?: number
  readonly where?: Where
  /** An empty list is nobody. */
  readonly users?: readonly string[]
  readonly exceptUsers?: readonly string[]
  /** What these times count back from, ms since the Unix epoch: fixed when a push is accepted. */
  readonly asOf?: number
  /** By `device.id`. */
  readonly devices?: readonly number[]
  /** `null` is a device without a known zone. */
  readonly zones?: readonly (string | null)[]
  /** Leaves out devices whose zone changed at or after this time, ms of service time. */
  readonly stayedSince?: number
  readonly missed?: Missed
  /** Only devices that an earlier push did not miss. */
  readonly reached?: Missed
}

export interface Missed {
  /** `push.number` of the push and its waves, for recipients that were rejected or expired. */
  readonly pushes: readonly number[]
  /** Devices it ended before reaching, by platform and wave; absent: it reached all. */
  readonly unsent?: readonly Unsent[]
}

export interface Unsent {
  readonly platform: Platform
  /** Of `device.id`, from and to. */
  readonly ranges: readonly (readonly [number, number])[]
  /** The wave's own filter. */
  readonly turn?: Pick<Filter, 'zones' | 'stayedSince'>
}

/** One device by `device.id`, or all that match. */
export type Audience =
  | { readonly device: number; readonly platform: Platform }
  | {
      readonly filter: Filter
      /** When clocks at the device show this: `2026-12-24T09:00`. */
      readonly local?: string
      /** When its first wave was let go, ms of service time. */
      readonly letGoAt?: number
    }

/** What a filter looks at. Times are ms since the Unix epoch. */
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

/** Neither `all` nor `any` of a `Where` is empty. */
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
  /** Has just this. */
  | { readonly column: PlainName; readonly value: string }
  /** Leaves out devices without a location. */
  | { readonly near: GeoCircle }
  /** Counts back from the filter's `asOf`. */
  | { readonly seenWithinMs: number }
  | { readonly notSeenForMs: number }
  | { readonly registeredWithinMs: number }

/** An expression in `where`, as it is stored too. */
export type Where = Combined<WhereLeaf>

/** What a field of a filter asks of a device. An empty list is nobody. */
export type Demand = Combined<
  | WhereLeaf
  /** Has one of these. */
  | { readonly tags: readonly string[] }
  | { readonly types: readonly string[] }
  | { readonly users: readonly string[] }
  | { readonly platforms: readonly Platform[] }
  /** By `device.id`. */
  | { readonly devices: readonly number[] }
  /** `null`: unknown zone. */
  | { readonly zones: readonly (string | null)[] }
  /** In the same time zone since before this time, ms of service time. */
  | { readonly stayedSince: number }
>
