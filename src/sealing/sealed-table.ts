import type { SealedFor } from './seal.ts'

/** Something sealed that cannot be had again from anywhere but its owner. */
export interface SealedRecord extends SealedFor {
  /** `Application.number`. */
  readonly number: number
  /** `Application.name`. */
  readonly name: string
  readonly provider: 'apns' | 'fcm' | 'webpush' | 'webhook secret' | 'user key'
  readonly sealed: Uint8Array
}

/** Something sealed that is only kept so that fewer are made: where one is lost, another is made. */
export interface SealedToken extends SealedFor {
  readonly number: number
  readonly provider: 'apns token'
  readonly sealed: Uint8Array
}

/** A table with something sealed, as the room that it belongs to lends it. What writes runs in a transaction of the caller. */
export interface SealedTable<Row extends SealedRecord | SealedToken> {
  records(): Row[]
  /** Replaces sealed records by records sealed anew. */
  put(record: Pick<Row, 'number' | 'provider'>, sealed: Uint8Array): void
  /** Erases records, with what is worth nothing without them. */
  erase(record: Pick<Row, 'number' | 'provider'>): void
}
