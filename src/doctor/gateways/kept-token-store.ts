import { createProviderTokenStore } from '../../application/provider-token-store.ts'
import { createTokenFileStore } from '../../application/token-file-store.ts'
import type { ReadOnlyDatabase } from '../../database/read-only-database.ts'
import type { Keep } from '../../gateway/apns/token.ts'
import { codeOf } from '../../text/error-code.ts'

/** The provider tokens of the server, and those that doctor has made, kept in a file: it does not write to the database. */
export function keepFor(database: ReadOnlyDatabase, data: string, key: Uint8Array): Keep {
  const file = createTokenFileStore(data, key)
  return {
    load: () => [...createProviderTokenStore({ database, key }).all(), ...file.load()],
    save(text) {
      try {
        file.save(text)
      } catch (error) {
        // Without it, Apple is at worst asked with one token too many, and pauses for seconds.
        if (codeOf(error) === null) throw error
      }
    },
  }
}
