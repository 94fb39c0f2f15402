import { createDeviceSearch } from '../../device/device-search-store.ts'
import type { Platform } from '../../device/device.ts'
import { canonicalToken, isApnsToken } from '../../device/push-token.ts'
import { createDeviceKeys } from '../../device/webpush/device-key-store.ts'
import { NEWEST_SCHEMA } from '../../database/migration/migrations.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { PLATFORM } from '../../platform.ts'
import { tokenPart } from '../../text/format.ts'
import type { DoctorConfig, DoctorContext } from '../context.ts'
import { checkSealingKey } from '../database/sealing-key-check.ts'
import { openInspectedDatabase } from '../database/inspected-database.ts'
import type { InspectedDatabase } from '../database/inspected-database.ts'
import { trustedAuthorities } from '../machine/settings-check.ts'
import { sendToDevice } from './send-probe.ts'
import type { SendReport, SendTarget, TestPush } from './send-probe.ts'

interface Options {
  readonly config: DoctorConfig
  /** ID or name. */
  readonly application: string
  /** A device token, or a prefix of a registered one. */
  readonly token: string
  readonly confirmed: boolean
}

/** `asks`: ask for confirmation first. */
export type TestPushes =
  | { readonly kind: 'sent'; readonly device: string; readonly report: SendReport; readonly left: string | null }
  | { readonly kind: 'asks'; readonly device: string; readonly left: string | null }
  | { readonly kind: 'no-application'; readonly names: readonly string[] }
  | Problem

/** Safari ends a subscription after three pushes that show nothing (WebKit, `incrementSilentPushCount`). */
const NO_SILENT_PUSH = 'Safari counts pushes that show nothing and ends a subscription after three: none is sent.'

/** Sends a silent and a visible push to the operator's own device, bypassing the queue. Changes nothing. */
export async function sendTestPushes(
  { config, application: named, token, confirmed }: Options,
  { clock, stopwatch }: Pick<DoctorContext, 'clock' | 'stopwatch'>,
): Promise<TestPushes> {
  using inspected = openInspectedDatabase(config.data)
  const { database, applications, schema } = inspected
  if (database === null || inspected.opened.state !== 'ok') return problem(inspected.opened.found)
  if (schema !== NEWEST_SCHEMA) return problem('The database has an older schema: serve upgrades it.')
  const application = applications.find(({ id, name }) => id === named || name === named)
  if (application === undefined) return { kind: 'no-application', names: applications.map(({ name }) => name) }

  const target = targetOf(database, application.number, token)
  if ('kind' in target) return target
  const { platform } = target
  const isSafari =
    PLATFORM[platform].tokens === 'endpoint' && new URL(target.token).hostname.endsWith('.push.apple.com')
  const pushes: readonly TestPush[] = isSafari ? ['shown'] : ['silent', 'shown']
  const left = isSafari ? NO_SILENT_PUSH : null
  const device = `${PLATFORM[platform].device} ${tokenPart(target.token)} of "${application.name}"`
  if (!confirmed) return { kind: 'asks', device, left }

  const { key, finding } = checkSealingKey(database, schema, config.data, config.key)
  if (key === null) return problem(`${finding.found} ${finding.advice ?? ''}`.trim())
  const ca = await trustedAuthorities(config.gatewayCa)
  if (typeof ca === 'object') return ca
  const report = await sendToDevice({ config, ca, database, key, application, target, pushes, clock, stopwatch })
  if (report === null) return problem(`"${application.name}" has no ${PLATFORM[platform].gateway} credential.`)
  return { kind: 'sent', device, report, left }
}

function targetOf(
  database: NonNullable<InspectedDatabase['database']>,
  application: number,
  token: string,
): SendTarget | Problem {
  const statement = database.statement.bind(database)
  const found = createDeviceSearch({ database: { reading: statement } }).byToken(application, token, 2)
  const [device, another] = found
  if (another !== undefined) return problem(`More than one token starts with ${tokenPart(token)}: use a longer prefix.`)
  if (device !== undefined) {
    const { id, platform, token } = device
    return { device: id, platform, token, keys: createDeviceKeys(statement)(id) }
  }
  if (token.startsWith('https://')) {
    return problem('This browser is not registered, and its messages are encrypted with the keys it registers.')
  }
  const platform: Platform = isApnsToken(token) ? 0 : 1
  return { device: 0, platform, token: canonicalToken(platform, token), keys: null }
}
