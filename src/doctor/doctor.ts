import { examineApplications } from './applications/examine-applications.ts'
import type { DoctorConfig, DoctorContext } from './context.ts'
import { examineDatabase } from './database/examine-database.ts'
import { openInspectedDatabase } from './database/inspected-database.ts'
import { createCheckList, skipped, warning } from './finding.ts'
import type { DoctorCheck } from './finding.ts'
import { examineGateways } from './gateways/examine-gateways.ts'
import { examineMachine } from './machine/examine-machine.ts'
import { trustedAuthorities } from './machine/settings-check.ts'
import { examineMoving } from './moving/examine-moving.ts'

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
  { config, warnings, application, offline, full, moving }: DoctorOptions,
  context: DoctorContext,
): Promise<
  | { readonly kind: 'examined'; readonly checks: readonly DoctorCheck[] }
  | { readonly kind: 'no-application'; readonly names: readonly string[] }
> {
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
  const key = await examineDatabase(inspected, { data: config.data, key: config.key, full, watch: context.watch }, list)
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
