import type { PlainName } from '../device/columns.ts'
import type { Platform } from '../device/device.ts'
import type { GeoCircle } from './geo-circle.ts'

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
