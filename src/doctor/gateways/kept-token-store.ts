import { createProviderTokenStore } from '../../application/provider-token-store.ts'
import { createTokenFileStore } from '../../application/token-file-store.ts'
import type { ReadOnlyDatabase } from '../../database/read-only-database.ts'
import type { Keep } from '../../gateway/apns/token.ts'
import { codeOf } from '../../text/error-code.ts'

/** The provider tokens of the server, and those that doctor has made before: the database is not written to. */
export function keepFor(database: ReadOnlyDatabase, data: string, key: Uint8Array): Keep {
  const file = createTokenFileStore(data, key)
  return {
    load: () => [...createProviderTokenStore({ database, key }).all(), ...file.load()],
    save(text) {
      try {
        file.save(text)
      } catch (error) {
        // Who may not write there can still ask Apple: at worst one token too many, and a pause of seconds.
        if (codeOf(error) === null) throw error
      }
    },
  }
}
