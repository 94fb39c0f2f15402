import { ALERT_SINCE, alertOwners, createSealedAlerts } from '../alert/alert-store.ts'
import { createSealedSecondFactors, SECOND_FACTOR_SINCE, secondFactorOwners } from '../account/second-factor-store.ts'
import { createSealedCredentials, createSealedTokens } from '../application/credential-store.ts'
import { createSealedUserKeys, USER_KEY_SINCE } from '../application/user-key-store.ts'
import type { Database } from '../database/database.ts'
import { NEWEST_SCHEMA } from '../database/migration/migrations.ts'
import { application } from '../database/schema.ts'
import { createSealedMoves, MOVE_SINCE, moveOwners } from '../move/move-store.ts'
import { createSealedStore } from '../sealing/sealed-store.ts'
import type { SealedStore } from '../sealing/sealed-store.ts'
import type { SealedTable } from '../sealing/sealed-table.ts'
import { createSealedWebhooks } from '../webhook/webhook-erasure-store.ts'
import { createSealedHooks, HOOK_SINCE, hookOwners } from './hook-store.ts'

/**
 * All that is sealed in a database; here, since no room above seals anything. `schema`: the number of its last
 * migration.
 */
export function sealedRecordsOf(database: Pick<Database, 'orm'>, schema = NEWEST_SCHEMA): SealedStore {
  const { number, id, name } = application
  return createSealedStore({
    applications: () => database.orm.select({ number, id, name }).from(application).all(),
    credentials: createSealedCredentials(database),
    webhooks: createSealedWebhooks(database),
    userKeys: schema < USER_KEY_SINCE ? NONE : createSealedUserKeys(database),
    tokens: createSealedTokens(database),
    ...(schema < SECOND_FACTOR_SINCE
      ? { administrators: () => [], secondFactors: NONE }
      : { administrators: () => secondFactorOwners(database), secondFactors: createSealedSecondFactors(database) }),
    ...(schema < HOOK_SINCE
      ? { hooks: () => [], hookSecrets: NONE }
      : { hooks: () => hookOwners(database), hookSecrets: createSealedHooks(database) }),
    ...(schema < MOVE_SINCE
      ? { moves: () => [], moveSecrets: NONE }
      : { moves: () => moveOwners(database), moveSecrets: createSealedMoves(database) }),
    ...(schema < ALERT_SINCE
      ? { alerts: () => [], alertTargets: NONE }
      : { alerts: () => alertOwners(database), alertTargets: createSealedAlerts(database) }),
  })
}

/** For a schema without the table. */
const NONE: SealedTable<never> = { rows: () => [], put: () => {}, erase: () => {} }
