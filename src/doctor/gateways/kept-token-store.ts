import { createProviderTokenStore } from '../../application/provider-token-store.ts'
import { createTokenFileStore } from '../../application/token-file-store.ts'
import type { ReadOnlyDatabase } from '../../database/read-only-database.ts'
import type { Keep } from '../../gateway/apns/token.ts'
import { codeOf } from '../../text/error-code.ts'

/** The server's provider tokens, and doctor's own in a file, since doctor must not write to the database. */
export function keepFor(database: ReadOnlyDatabase, data: string, key: Uint8Array): Keep {
  const file = createTokenFileStore(data, key)
  return {
    load: () => [...createProviderTokenStore({ database, key }).all(), ...file.load()],
    save(text) {
      try {
        file.save(text)
      } catch (error) {
        // At worst Apple gets one token too many and refuses new ones for seconds.
        if (codeOf(error) === null) throw error
      }
    },
  }
}
