import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createCredentialStore } from '../application/credential-store.ts'
import type { Clock } from '../clock.ts'
import { NEWEST_SCHEMA } from '../database/migration/migrations.ts'
import { judgeCredentials } from './applications/credential-check.ts'
import { examineApplications } from './applications/examine-applications.ts'
import type { DoctorConfig, DoctorContext } from './context.ts'
import {
  judgeAlerts,
  judgeForeignKeys,
  judgeFreePages,
  judgeIntegrity,
  judgeLog,
  judgeSchema,
} from './database/database-check.ts'
import { openInspectedDatabase } from './database/inspected-database.ts'
import type { InspectedDatabase } from './database/inspected-database.ts'
import type { FoundApplication } from './database/inspection-store.ts'
import { checkSealingKey } from './database/sealing-key-check.ts'
import { createCheckList, skipped, warning } from './finding.ts'
import type { CheckList, DoctorCheck, Finding } from './finding.ts'
import { examineGateways } from './gateways/examine-gateways.ts'
import { examineMachine } from './machine/examine-machine.ts'
import { trustedAuthorities } from './machine/settings-check.ts'
import {
  judgeAdoption,
  judgeBrowsers,
  judgeImported,
  judgeMoved,
  judgeRefusals,
  judgeSent,
  judgeTwins,
} from './moving/moving-check.ts'
import { createMovingStore } from './moving/moving-store.ts'
import type { MovingCount } from './moving/moving-store.ts'

export interface DoctorOptions {
  readonly config: DoctorConfig
  readonly warnings: readonly string[]
  /** ID or name; `null`: all applications. */
  readonly application: string | null
  readonly offline: boolean
  /** Also compare the database's indexes with their tables. */
  readonly full: boolean
  /** Check only the move from another service. */
  readonly moving: boolean
}

/** Checks everything that `serve` needs, and changes nothing. `names`: of all applications. */
export async function examine(
  options: DoctorOptions,
  context: DoctorContext,
): Promise<
  | { readonly kind: 'examined'; readonly checks: readonly DoctorCheck[] }
  | { readonly kind: 'no-application'; readonly names: readonly string[] }
> {
  const { config, warnings, application, offline, moving } = options
  const { clock, stopwatch } = context
  using inspected = openInspectedDatabase(config.data)
  const chosen = inspected.applications.filter(
    ({ id, name }) => application === null || id === application || name === application,
  )
  if (application !== null && chosen.length === 0 && inspected.inspection !== null) {
    return { kind: 'no-application', names: inspected.applications.map(({ name }) => name) }
  }

  const list = createCheckList(stopwatch)
  if (moving) {
    await examineMoving(inspected, chosen, list, clock)
    return { kind: 'examined', checks: list.checks() }
  }
  await examineMachine(config, warnings, list, context, offline)
  const key = await examineDatabase(inspected, options, context.watch, list)
  const subjects = await examineApplications(inspected, chosen, list, { data: config.data, clock, key, offline })
  if (inspected.database?.overtaken() === true) {
    await list.look({ id: 'server-start', group: 'database' }, () =>
      warning('A server or a command started meanwhile: the result may be inconsistent.', 'Run doctor again.'),
    )
  }

  if (offline) {
    await list.look({ id: 'clock', group: 'machine' }, () => skipped('No gateway was asked for the time (--offline).'))
    await list.look({ id: 'gateways', group: 'gateways' }, () => skipped('No gateway was asked (--offline).'))
  } else {
    const trusted = await trustedAuthorities(config.gatewayCa)
    // The check `gateway-ca` has reported a problem.
    const ca = typeof trusted === 'object' ? undefined : trusted
    await examineGateways(subjects, list, { config, ca, clock, stopwatch })
  }
  return { kind: 'examined', checks: list.checks() }
}

/** Returns the key that opens the database's seals, if there is one. */
async function examineDatabase(
  inspected: InspectedDatabase,
  { config: { data, key }, full }: DoctorOptions,
  watch: DoctorContext['watch'],
  list: CheckList,
): Promise<Uint8Array | null> {
  const look = (id: string, check: () => Finding) => list.look({ id, group: 'database' }, check)
  const { database, schema, inspection } = inspected
  await look('database', () => inspected.opened)
  if (database === null) return null
  if (inspected.opened.state === 'ok') {
    await look('schema', () => judgeSchema(schema, NEWEST_SCHEMA))
  }
  let opening: Uint8Array | null = null
  if (inspection !== null) {
    await look('integrity', () => {
      const step = { into: null, size: inspection.size().all }
      return judgeIntegrity(
        watch.during(step, () => inspection.damage(full)),
        full,
      )
    })
    await look('foreign-keys', () => judgeForeignKeys(inspection.orphans()))
    await look('free-pages', () => {
      const { all, free } = inspection.size()
      return judgeFreePages(all, free)
    })
    const alerts = inspection.alerts()
    if (alerts !== null) await look('alerts', () => judgeAlerts(alerts))
    await look('sealing-key', () => {
      try {
        const checked = checkSealingKey(database, schema, data, key)
        opening = checked.key
        return checked.finding
      } catch (error) {
        if (schema === NEWEST_SCHEMA) throw error
        return skipped('The sealing key is looked at when the database is upgraded: its tables are older ones.')
      }
    })
  }
  await look('log', () => judgeLog(statSync(join(data, 'bellhop.db-wal'), { throwIfNoEntry: false })?.size ?? null))
  return opening
}

/** How far applications have moved from another service. Asks no gateway. */
async function examineMoving(
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
