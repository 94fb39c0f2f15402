import { createCredentialStore } from '../../application/credential-store.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import { apnsIdentityOf } from '../../gateway/preview.ts'
import { createPushing } from '../../push/pushing.ts'
import type { Pushing } from '../../push/pushing.ts'

/**
 * Pushes into the database as the API does, whether or not a server runs on it: a server looks by itself for what other
 * processes have committed.
 */
export function openPushing({ database, clock }: { readonly database: Database; readonly clock: Clock }): Pushing {
  // Summaries are not sealed, so no key is needed.
  const credentials = createCredentialStore({ database, clock, key: new Uint8Array(32) })
  return createPushing({
    database,
    clock,
    commit: async (operation) => database.transact(operation),
    credentials,
    apnsIdentity: (application) => apnsIdentityOf(credentials.summaries(application)),
  })
}
