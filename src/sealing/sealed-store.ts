import { damage } from '../database/damage.ts'
import { open, seal } from './seal.ts'
import type { SealedFor } from './seal.ts'
import type { SealedRecord, SealedTable, SecretProvider } from './sealed-table.ts'

/** Everything sealed in a database. */
export interface SealedStore {
  /** In the order in which the applications were created; then those of administrators, hooks, moves and alerts. */
  records(): SealedRecord[]
  /** Opens every record with `from` and seals it with `to`. Throws if one does not open. */
  reseal(from: Uint8Array, to: Uint8Array): void
  /** Of a webhook, a hook or an alert also its row: nothing may be sent or taken unsigned. */
  erase(records: readonly Pick<SealedRecord, 'number' | 'provider'>[]): void
}

interface Owner {
  readonly number: number
  readonly id: string
  readonly name: string
}

/** Tables whose rows belong to the same owners. Rows whose owner was erased meanwhile count as gone. */
export interface SealedGroup<Provider extends SealedFor['provider'] = SecretProvider> {
  readonly owners: () => readonly Owner[]
  readonly tables: readonly SealedTable<Provider>[]
}

/** `groups`: that of the applications first. `tokens`: made from their credentials. */
export function createSealedStore(groups: readonly SealedGroup[], tokens: SealedGroup<'apns token'>): SealedStore {
  const tables = new Map(
    groups.flatMap((group) =>
      group.tables.flatMap((table) => table.providers.map((provider) => [provider, table] as const)),
    ),
  )
  const records = (): SealedRecord[] => groups.flatMap((group) => owned(group))

  function resealTokens(from: Uint8Array, to: Uint8Array): void {
    for (const token of owned(tokens)) {
      const text = open(from, token, token.sealed)
      for (const table of tokens.tables) {
        if (text === null) table.erase(token)
        else table.put(token, seal(to, token, text))
      }
    }
  }

  return {
    records,

    reseal(from, to) {
      const plain = new Map<string, string>()
      for (const record of records()) {
        const text = open(from, record, record.sealed)
        if (text === null) throw new Error(`The ${record.provider} of ${record.application} does not open.`)
        plain.set(`${record.number} ${record.provider}`, text)
        tables.get(record.provider)?.put(record, seal(to, record, text))
      }
      resealTokens(from, to)
      // Read back before the old ones are given up.
      for (const record of records()) {
        if (open(to, record, record.sealed) !== plain.get(`${record.number} ${record.provider}`)) {
          throw damage(
            `the ${record.provider} of ${record.application} does not open with the key that has just sealed it`,
          )
        }
      }
    },

    erase(records) {
      for (const { number, provider } of records) tables.get(provider)?.erase({ number, provider })
    },
  }
}

function owned<Provider extends SealedFor['provider']>({ owners, tables }: SealedGroup<Provider>) {
  const known = new Map(owners().map(({ number, id, name }) => [number, { application: id, name }]))
  return tables
    .flatMap((table) => table.rows())
    .flatMap((row) => {
      const owner = known.get(row.number)
      return owner === undefined ? [] : [{ ...row, ...owner }]
    })
    .toSorted((a, b) => a.number - b.number || (a.provider < b.provider ? -1 : 1))
}

export function recordsClosedTo(key: Uint8Array, records: readonly SealedRecord[]): SealedRecord[] {
  return records.filter((record) => open(key, record, record.sealed) === null)
}
