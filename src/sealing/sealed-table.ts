import type { SealedFor } from './seal.ts'

/** What cannot be had again from anywhere but its owner. */
export type SecretProvider = Exclude<SealedFor['provider'], 'apns token'>

/** Something sealed, as its table has it. A token that is lost is made again. */
export interface SealedRow<Provider extends SealedFor['provider'] = SealedFor['provider']> {
  /** `Application.number`; of a second factor `Administrator.number`, of a hook `Hook.number`, of an alert `Alert.number`. */
  readonly number: number
  readonly provider: Provider
  readonly sealed: Uint8Array
}

/** With whose it is. */
export interface SealedRecord extends SealedFor, SealedRow<SecretProvider> {
  readonly provider: SecretProvider
  /** `Application.name`, `Administrator.name`, `Hook.name` or `Alert.name`. */
  readonly name: string
}

/** A table with something sealed, as the room that it belongs to lends it. What writes runs in a transaction of the caller. */
export interface SealedTable<Provider extends SealedFor['provider']> {
  rows(): SealedRow<Provider>[]
  /** Replaces what is sealed by the same, sealed anew. */
  put(row: Pick<SealedRow, 'number' | 'provider'>, sealed: Uint8Array): void
  /** Erases a row, with what is worth nothing without it. */
  erase(row: Pick<SealedRow, 'number' | 'provider'>): void
}

type Keyed = Pick<SealedRow, 'number' | 'provider'>

interface SealedStatements {
  readonly all: { all(): Pick<SealedRow, 'number' | 'sealed'>[] }
  readonly put: { run(row: Keyed & Pick<SealedRow, 'sealed'>): unknown }
  readonly erase: { run(row: Keyed): unknown }
}

/** A table of which all rows have one `provider`, by statements of its own room. */
export function sealedTable<Provider extends SealedFor['provider']>(
  provider: Provider,
  { all, put, erase }: SealedStatements,
): SealedTable<Provider> {
  return {
    rows: () => all.all().map((row) => Object.assign(row, { provider })),
    put: (row, sealed) => void put.run({ ...row, sealed }),
    erase: (row) => void erase.run(row),
  }
}
