import type { PlainName } from '../device/columns.ts'
import type { Platform } from '../device/device.ts'
import type { GeoCircle } from './geo-circle.ts'

/** Neither `all` nor `any` is empty. */
export type Where =
  | { readonly all: readonly Where[] }
  | { readonly any: readonly Where[] }
  | { readonly not: Where }
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
