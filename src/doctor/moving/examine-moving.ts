import { createCredentialStore } from '../../application/credential-store.ts'
import type { Clock } from '../../clock.ts'
import { NEWEST_SCHEMA } from '../../database/migration/migrations.ts'
import { judgeCredentials } from '../applications/credential-check.ts'
import { judgeSchema } from '../database/database-check.ts'
import type { InspectedDatabase } from '../database/inspected-database.ts'
import type { FoundApplication } from '../database/inspection-store.ts'
import type { CheckList, Finding } from '../finding.ts'
import {
  judgeAdoption,
  judgeBrowsers,
  judgeImported,
  judgeMoved,
  judgeRefusals,
  judgeSent,
  judgeTwins,
} from './moving-check.ts'
import { createMovingStore } from './moving-store.ts'
import type { MovingCount } from './moving-store.ts'

/** How far applications have moved from another service. Asks no gateway. */
export async function examineMoving(
  { database, schema, opened }: InspectedDatabase,
  applications: readonly FoundApplication[],
  list: CheckList,
  clock: Clock,
): Promise<void> {
  await list.look({ id: 'database', group: 'database' }, () => opened)
  if (database === null) return
  if (schema !== NEWEST_SCHEMA) {
    await list.look({ id: 'schema', group: 'database' }, () => judgeSchema(schema, NEWEST_SCHEMA))
    return
  }
  const moving = createMovingStore(database)
  // Summaries are not sealed.
  const credentials = createCredentialStore({ database, clock, key: new Uint8Array(32) })
  for (const { number, id, name, simulated } of applications) {
    const look = (check: string, judge: () => Finding) =>
      list.look({ id: check, group: 'application', application: { id, name } }, judge)
    const providers = credentials.summaries({ number }).map(({ provider }) => provider)
    let counts: readonly MovingCount[] = []
    await look('moving-imported', () => judgeImported((counts = moving.devices(number))))
    await look('credentials', () => judgeCredentials({ id, simulated }, providers, counts))
    await look('moving-browsers', () => judgeBrowsers(id, counts, providers.includes('webpush')))
    await look('moving-sent', () => judgeSent(moving.sent(number, clock.now())))
    await look('moving-refused', () => judgeRefusals(counts, moving.refusals(number)))
    await look('moving-adoption', () => judgeAdoption(id, counts, moving.adopts(number)))
    await look('moving-twins', () => judgeTwins(moving.twins(number)))
    await look('moving-registered', () => judgeMoved(counts))
  }
}
