import type { ApplicationStore } from '../../application/application-store.ts'
import type { Application } from '../../application/application.ts'
import type { CredentialSummary } from '../../application/credential-store.ts'
import type { Database } from '../../database/database.ts'
import { createDeviceSearch } from '../../device/device-search-store.ts'
import { PLATFORMS } from '../../device/device.ts'
import { problem } from '../../failure.ts'
import { createStatusStore } from '../../push/status-store.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { CommandOutcome } from '../command.ts'
import { counted } from '../terminal/figures.ts'
import { tableText } from '../terminal/table-text.ts'
import type { AppCommand } from './app-arguments.ts'
import { NAMES, dataFlagOf } from './app-text.ts'

interface Dependencies {
  readonly database: Database
  readonly applications: Pick<ApplicationStore, 'setSimulated'>
  readonly credentials: readonly CredentialSummary[]
}

/** Some of what tokens can order: the files `*-magic-tokens.ts` of the simulator have all of it. */
const ORDERS = [
  ['iOS', 'Android', 'is answered'],
  ['bad41000…', 'unregistered:…', '410 Unregistered, 404 UNREGISTERED: the device is gone'],
  ['bad40000…', 'invalid:…', '400: not a token'],
  ['bad42901…', 'throttled-1:…', '429 the first time, and then accepted'],
  ['bad50300…', 'unavailable:…', '503, each time'],
  ['bad00000…', 'slow:…', 'accepted after 3 seconds'],
]

/** Sends everything of an application to the simulator, or to APNs and FCM again. */
export function simulate(
  { data, simulated, yes }: Extract<AppCommand, { kind: 'app simulate' }>,
  application: Application,
  deps: Dependencies,
): CommandOutcome {
  const { id, name } = application
  const real = simulated && !application.simulated && !yes ? realThings(application, deps) : []
  if (real.length > 0) {
    return problem(
      `"${escapeControls(name)}" has ${real.join(', ')}: what waits would go to the simulator and reach no phone, and devices whose tokens it does not like would leave the audience. Add --yes to do so.`,
    )
  }
  if (deps.applications.setSimulated(id, simulated).kind === 'not-found')
    return problem(`There is no application ${id}.`)
  if (!simulated) return done(`"${escapeControls(name)}" sends to APNs and FCM.\n`)
  return done(
    [
      `"${escapeControls(name)}" sends to the built-in simulator: no phone is reached.`,
      '',
      'Any token will do that is 64 hex digits, for iOS, or any text, for Android. One that begins so orders an answer:',
      '',
      ...tableText(ORDERS).map((line) => `  ${line}`),
      '',
      `What arrives is shown by  bellhop tail ${id}${dataFlagOf(data)}`,
      '',
    ].join('\n'),
  )
}

/** What of an application is for phones: `3 devices`, `an APNs credential`. */
function realThings({ number }: Application, { database, credentials }: Dependencies): readonly string[] {
  const counts = createDeviceSearch({ database }).counts(number, PLATFORMS)
  const devices = counts.reduce((sum, { registered }) => sum + registered, 0)
  const pushes = createStatusStore({ database }).unfinished(number)
  return [
    ...(devices > 0 ? [counted(devices, 'device')] : []),
    ...(pushes > 0 ? [`${counted(pushes, 'push', 'pushes')} to be sent`] : []),
    ...credentials.map(({ provider }) => `an ${NAMES[provider]} credential`),
  ]
}
