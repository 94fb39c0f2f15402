import type { JWK } from 'jose'
import type { Failure } from '../failure.ts'
import type { Numbered } from './moved-tables.ts'
import type { Cell } from './row-mapping.ts'

/** The first message to the new server. */
export interface MoveRequest {
  /** Last migration; must be the same on both servers. */
  readonly schema: number
  /** For messages. */
  readonly version: string
  readonly id: string
  readonly name: string
  readonly hooks: readonly string[]
  /** Estimated disk space of its rows. */
  readonly bytes: number
}

export interface MoveOffer {
  /** Authenticates all later messages. */
  readonly secret: string
  /** X25519 */
  readonly publicKey: JWK
  /** Where the new server answers the application's calls; may not be reachable from everywhere. */
  readonly url: string
}

/** In this order. `activate` and `drop` may be repeated. */
export type MoveStep =
  | {
      readonly step: 'begin'
      /** Contains the key for sealed values in transit. */
      readonly jwe: string
      readonly highest: Readonly<Record<Numbered, number>>
      /** Time of day minus service time. */
      readonly wallAheadMs: number
    }
  | {
      readonly step: 'rows'
      readonly table: string
      readonly columns: readonly string[]
      readonly rows: readonly (readonly Cell[])[]
    }
  /** Number of rows, by table. */
  | { readonly step: 'complete'; readonly rows: Readonly<Record<string, number>> }
  | { readonly step: 'activate' }
  | { readonly step: 'drop' }

export type OrRefusal<T> = T | { readonly why: Failure }

/** Fits several rows with texts of maximal length. */
export const MAX_STEP_BYTES = 8 * 1024 * 1024

export const MOVE_SECRET = /^bhm_[\w-]{43}$/
