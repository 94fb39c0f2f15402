import type { Database } from '../database/database.ts'
import { open, seal } from './seal.ts'
import type { SealedFor } from './seal.ts'

/** Something sealed that cannot be had again from anywhere but its owner. */
export interface SealedRecord extends SealedFor {
  /** `Application.number`. */
  readonly number: number
  /** `Application.name`. */
  readonly name: string
  readonly provider: 'apns' | 'fcm' | 'webhook secret'
  readonly sealed: Uint8Array
}

/** All that is sealed in a database, whatever table it is in. */
interface SealedStore {
  /** In the order in which the applications were created. */
  records(): SealedRecord[]
  /** Opens every record with `from` and seals it with `to`. Throws, and changes nothing, when one does not open. */
  reseal(from: Uint8Array, to: Uint8Array): void
  /** Credentials; of a webhook everything, since nothing may be sent unsigned. */
  erase(records: readonly Pick<SealedRecord, 'number' | 'provider'>[]): void
}

export function createSealedStore(database: Pick<Database, 'statement' | 'transact'>): SealedStore {
  const all = database.statement<Omit<SealedRecord, 'application'> & { readonly id: string }, []>(
    `SELECT a.number, a.id, a.name, c.provider, c.sealed FROM credential c JOIN application a ON a.number = c.application
     UNION ALL
     SELECT a.number, a.id, a.name, 'webhook secret', w.sealed FROM webhook w JOIN application a ON a.number = w.application
     ORDER BY number, provider`,
  )
  const tokens = database.statement<{ readonly number: number; readonly id: string; readonly sealed: Uint8Array }, []>(
    'SELECT a.number, a.id, t.sealed FROM provider_token t JOIN application a ON a.number = t.application',
  )
  const putCredential = database.statement<never, [Uint8Array, number, string]>(
    'UPDATE credential SET sealed = ? WHERE application = ? AND provider = ?',
  )
  const putWebhook = database.statement<never, [Uint8Array, number]>(
    'UPDATE webhook SET sealed = ? WHERE application = ?',
  )
  const putToken = database.statement<never, [Uint8Array, number]>(
    'UPDATE provider_token SET sealed = ? WHERE application = ?',
  )
  const removeToken = database.statement<never, [number]>('DELETE FROM provider_token WHERE application = ?')
  const removeCredential = database.statement<never, [number, string]>(
    'DELETE FROM credential WHERE application = ? AND provider = ?',
  )
  const removeWebhook = database.statement<never, [number]>('DELETE FROM webhook WHERE application = ?')
  const removeEvents = database.statement<never, [number]>('DELETE FROM event WHERE application = ?')
  const removePauses = database.statement<never, [number]>('DELETE FROM paused_credential WHERE application = ?')

  const records = () =>
    all.all().map(({ number, id, name, provider, sealed }) => ({ number, application: id, name, provider, sealed }))

  function resealTokens(from: Uint8Array, to: Uint8Array): void {
    for (const { number, id, sealed } of tokens.all()) {
      const sealedFor = { application: id, provider: 'apns token' } as const
      const text = open(from, sealedFor, sealed)
      // It is only kept so that there are fewer of them: where it is lost, another one is made.
      if (text === null) removeToken.run(number)
      else putToken.run(seal(to, sealedFor, text), number)
    }
  }

  return {
    records,

    reseal(from, to) {
      database.transact(() => {
        const plain = new Map<string, string>()
        for (const record of records()) {
          const text = open(from, record, record.sealed)
          if (text === null) throw new Error(`The ${record.provider} of ${record.application} does not open.`)
          plain.set(`${record.number} ${record.provider}`, text)
          const sealed = seal(to, record, text)
          if (record.provider === 'webhook secret') putWebhook.run(sealed, record.number)
          else putCredential.run(sealed, record.number, record.provider)
        }
        resealTokens(from, to)
        // Read back from the table before the old ones are given up.
        for (const record of records()) {
          if (open(to, record, record.sealed) !== plain.get(`${record.number} ${record.provider}`)) {
            throw new Error(`The ${record.provider} of ${record.application} does not open with the new key.`)
          }
        }
      })
    },

    erase(records) {
      database.transact(() => {
        for (const { number, provider } of records) {
          if (provider === 'webhook secret') {
            removeWebhook.run(number)
            removeEvents.run(number)
            removePauses.run(number)
          } else removeCredential.run(number, provider)
          if (provider === 'apns') removeToken.run(number)
        }
      })
    },
  }
}

/** Those that `key` does not open. */
export function recordsClosedTo(key: Uint8Array, records: readonly SealedRecord[]): SealedRecord[] {
  return records.filter((record) => open(key, record, record.sealed) === null)
}
