import { createSealedCredentials, createSealedTokens } from '../application/sealed-credential-store.ts'
import type { Database } from '../database/database.ts'
import { createSealedStore } from '../sealing/sealed-store.ts'
import type { SealedStore } from '../sealing/sealed-store.ts'
import { createSealedWebhooks } from '../webhook/sealed-webhook-store.ts'

/** All that is sealed in a database, with the rooms that it belongs to. */
export function sealedRecordsOf(database: Pick<Database, 'orm'>): SealedStore {
  return createSealedStore({
    credentials: createSealedCredentials(database),
    webhooks: createSealedWebhooks(database),
    tokens: createSealedTokens(database),
  })
}
