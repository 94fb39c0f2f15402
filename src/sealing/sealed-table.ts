import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { SealedFor } from './seal.ts'

/** Of a store with something sealed. */
export interface SealedStoreOptions {
  readonly database: Pick<Database, 'orm'>
  readonly clock: Pick<Clock, 'now'>
  /** 32 bytes, from `proveSealingKey`. */
  readonly key: Uint8Array
}

/** Secrets that only their owner has; a lost token is made again. */
export type SecretProvider = Exclude<SealedFor['provider'], 'apns token'>

export interface SealedRow<Provider extends SealedFor['provider'] = SealedFor['provider']> {
  /**
   * `Application.number`; of a second factor `Administrator.number`, of a hook `Hook.number`, of an alert
   * `Alert.number`.
   */
  readonly number: number
  readonly provider: Provider
  readonly sealed: Uint8Array
}

export interface SealedRecord extends SealedFor, SealedRow<SecretProvider> {
  readonly provider: SecretProvider
  /** Of the owner. */
  readonly name: string
}

/** Sealed rows of one table, provided by its room. */
export interface SealedTable<Provider extends SealedFor['provider']> {
  readonly providers: readonly Provider[]
  rows(): SealedRow<Provider>[]
  put(row: Pick<SealedRow, 'number' | 'provider'>, sealed: Uint8Array): void
  /** Also what is worth nothing without the row. */
  erase(row: Pick<SealedRow, 'number' | 'provider'>): void
}

type Keyed = Pick<SealedRow, 'number' | 'provider'>

interface SealedStatements {
  readonly all: { all(): Pick<SealedRow, 'number' | 'sealed'>[] }
  readonly put: { run(row: Keyed & Pick<SealedRow, 'sealed'>): unknown }
  readonly erase: { run(row: Keyed): unknown }
}

export function sealedTable<Provider extends SealedFor['provider']>(
  provider: Provider,
  { all, put, erase }: SealedStatements,
): SealedTable<Provider> {
  return {
    providers: [provider],
    rows: () => all.all().map((row) => Object.assign(row, { provider })),
    put: (row, sealed) => void put.run({ ...row, sealed }),
    erase: (row) => void erase.run(row),
  }
}
