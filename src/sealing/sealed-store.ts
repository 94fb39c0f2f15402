import { damage } from '../database/damage.ts'
import type { ProviderName } from '../platform.ts'
import { open, seal } from './seal.ts'
import type { SealedRecord, SealedRow, SealedTable } from './sealed-table.ts'

/** Everything sealed in a database. Writes run in a transaction of the caller. */
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

interface Tables {
  readonly applications: () => readonly Owner[]
  readonly administrators: () => readonly Owner[]
  readonly hooks: () => readonly Owner[]
  readonly alerts: () => readonly Owner[]
  readonly credentials: SealedTable<ProviderName>
  readonly webhooks: SealedTable<'webhook secret'>
  readonly userKeys: SealedTable<'user key'>
  readonly tokens: SealedTable<'apns token'>
  readonly secondFactors: SealedTable<'second factor'>
  readonly hookSecrets: SealedTable<'hook secret'>
  /** Applications that another server has, or will have. */
  readonly moves: () => readonly Owner[]
  readonly moveSecrets: SealedTable<'move secret'>
  readonly alertTargets: SealedTable<'alert target'>
}

export function createSealedStore(tables: Tables): SealedStore {
  const { applications, administrators, hooks, moves, alerts } = tables
  const { credentials, webhooks, userKeys, tokens, secondFactors, hookSecrets, moveSecrets, alertTargets } = tables

  function tableOf({ provider }: Pick<SealedRecord, 'provider'>): SealedTable<SealedRecord['provider']> {
    if (provider === 'webhook secret') return webhooks
    if (provider === 'user key') return userKeys
    if (provider === 'hook secret') return hookSecrets
    if (provider === 'move secret') return moveSecrets
    if (provider === 'alert target') return alertTargets
    return provider === 'second factor' ? secondFactors : credentials
  }

  /** Drops rows whose owner was erased meanwhile. */
  function owned<Row extends SealedRow>(rows: readonly Row[], all = applications()) {
    const owners = new Map(all.map(({ number, id, name }) => [number, { application: id, name }]))
    return rows.flatMap((row) => {
      const owner = owners.get(row.number)
      return owner === undefined ? [] : [{ ...row, ...owner }]
    })
  }

  const records = (): SealedRecord[] => [
    ...owned([...credentials.rows(), ...webhooks.rows(), ...userKeys.rows()]).toSorted(
      (a, b) => a.number - b.number || (a.provider < b.provider ? -1 : 1),
    ),
    ...owned(secondFactors.rows(), administrators()),
    ...owned(hookSecrets.rows(), hooks()),
    ...owned(moveSecrets.rows(), moves()),
    ...owned(alertTargets.rows(), alerts()),
  ]

  function resealTokens(from: Uint8Array, to: Uint8Array): void {
    for (const token of owned(tokens.rows())) {
      const text = open(from, token, token.sealed)
      if (text === null) tokens.erase(token)
      else tokens.put(token, seal(to, token, text))
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
        tableOf(record).put(record, seal(to, record, text))
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
      for (const record of records) tableOf(record).erase(record)
    },
  }
}

export function recordsClosedTo(key: Uint8Array, records: readonly SealedRecord[]): SealedRecord[] {
  return records.filter((record) => open(key, record, record.sealed) === null)
}
