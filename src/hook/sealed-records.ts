import { ALERT_SINCE, alertOwners, createSealedAlerts } from '../alert/alert-store.ts'
import { createSealedSecondFactors, SECOND_FACTOR_SINCE, secondFactorOwners } from '../account/second-factor-store.ts'
import { createSealedCredentials, createSealedTokens } from '../application/credential-store.ts'
import { createSealedUserKeys, USER_KEY_SINCE } from '../application/user-key-store.ts'
import type { Database } from '../database/database.ts'
import { NEWEST_SCHEMA } from '../database/migration/migrations.ts'
import { application } from '../database/schema.ts'
import { createSealedMoves, MOVE_SINCE, moveOwners } from '../move/move-store.ts'
import { createSealedStore } from '../sealing/sealed-store.ts'
import type { SealedGroup, SealedStore } from '../sealing/sealed-store.ts'
import { createSealedWebhooks } from '../webhook/webhook-erasure-store.ts'
import { createSealedHooks, HOOK_SINCE, hookOwners } from './hook-store.ts'

/** Everything sealed in a database. It is here because no room above seals anything. `schema`: its last migration. */
export function sealedRecordsOf(database: Pick<Database, 'orm'>, schema = NEWEST_SCHEMA): SealedStore {
  const { number, id, name } = application
  const owners = () => database.orm.select({ number, id, name }).from(application).all()
  const userKeys = schema < USER_KEY_SINCE ? [] : [createSealedUserKeys(database)]
  const groups: readonly (SealedGroup & { readonly since: number })[] = [
    { since: 0, owners, tables: [createSealedCredentials(database), createSealedWebhooks(database), ...userKeys] },
    {
      since: SECOND_FACTOR_SINCE,
      owners: () => secondFactorOwners(database),
      tables: [createSealedSecondFactors(database)],
    },
    { since: HOOK_SINCE, owners: () => hookOwners(database), tables: [createSealedHooks(database)] },
    { since: MOVE_SINCE, owners: () => moveOwners(database), tables: [createSealedMoves(database)] },
    { since: ALERT_SINCE, owners: () => alertOwners(database), tables: [createSealedAlerts(database)] },
  ]
  return createSealedStore(
    groups.filter(({ since }) => since <= schema),
    { owners, tables: [createSealedTokens(database)] },
  )
}
