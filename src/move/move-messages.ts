import type { JWK } from 'jose'
import type { Failure } from '../failure.ts'
import type { Numbered } from './moved-tables.ts'
import type { Cell } from './row-mapping.ts'

/** What the server that has an application tells the one that is to have it, first. */
export interface MoveRequest {
  /** The number of the last migration: both must have the same. */
  readonly schema: number
  /** Of Bellhop, for messages. */
  readonly version: string
  readonly id: string
  readonly name: string
  readonly hooks: readonly string[]
  /** An estimate of the room that its rows take. */
  readonly bytes: number
}

export interface MoveOffer {
  /** What all that follows is proven with. */
  readonly secret: string
  /** X25519 */
  readonly publicKey: JWK
  /** Where calls of the application are answered; may not be reachable from everywhere. */
  readonly url: string
}

/** What follows, in this order. `activate` and `drop` may be repeated. */
export type MoveStep =
  | {
      readonly step: 'begin'
      /** The key that what is sealed travels with. */
      readonly jwe: string
      readonly highest: Readonly<Record<Numbered, number>>
      /** By how many ms the time of day is ahead of service time. */
      readonly wallAheadMs: number
    }
  | {
      readonly step: 'rows'
      readonly table: string
      readonly columns: readonly string[]
      readonly rows: readonly (readonly Cell[])[]
    }
  /** `rows`: by table. */
  | { readonly step: 'complete'; readonly rows: Readonly<Record<string, number>> }
  | { readonly step: 'activate' }
  | { readonly step: 'drop' }

export type OrRefusal<T> = T | { readonly why: Failure }

/** Of a step: some rows with texts as long as a push may have. */
export const MAX_STEP_BYTES = 8 * 1024 * 1024

export const MOVE_SECRET = /^bhm_[\w-]{43}$/
