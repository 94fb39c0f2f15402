import { createApplicationStore } from '../../application/application-store.ts'
import { createCredentialStore } from '../../application/credential-store.ts'
import { createDeviceSearch } from '../../device/device-search-store.ts'
import { factsOf, PLATFORM, PLATFORMS } from '../../platform.ts'
import { problem } from '../../failure.ts'
import { createStatusStore } from '../../push/status/status-store.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { counted } from '../../text/format.ts'
import { done } from '../command.ts'
import type { ApplicationWorld, RunOnApplication } from '../command.ts'
import { dataFlagOf } from '../data-directory.ts'
import { NO_KEY, indented } from './app-text.ts'

/** Some of what tokens can order: the files `*-magic-tokens.ts` of the simulator have all of it. */
const ORDERS = [
  ['iOS', 'Android', 'is answered'],
  ['bad41000…', 'unregistered:…', '410 Unregistered, 404 UNREGISTERED: the device is gone'],
  ['bad40000…', 'invalid:…', '400: not a token'],
  ['bad42901…', 'throttled-1:…', '429 the first time, and then accepted'],
  ['bad50300…', 'unavailable:…', '503, each time'],
  ['bad00000…', 'slow:…', 'accepted after 3 seconds'],
]

/**
 * Sends what an application has for phones to the simulator, and what it has for browsers where there is no key for them;
 * or everything to APNs, FCM and push services again.
 */
export const run: RunOnApplication = async ({ words: [app = ''], flags }, world) => {
  const { application } = world
  const { id, name } = application
  const simulated = !flags.has('off')
  const asks = simulated && !application.simulated && !flags.has('yes')
  const real = asks ? realThings(world) : []
  if (real.length > 0) {
    const isReached = PLATFORMS.some(
      (one) => PLATFORM[one].isRealWhenSimulated && real.includes(PLATFORM[one].credential),
    )
    const browsers = isReached ? ' Browsers would be reached as before.' : ''
    return problem(
      `"${name}" has ${real.join(', ')}: what waits would go to the simulator and reach no phone, and devices whose tokens it does not like would leave the audience.${browsers} Add --yes to do so.`,
    )
  }
  const changed = createApplicationStore(world).setSimulated(id, simulated)
  if (changed.kind === 'not-found') return problem(`There is no application "${app}" any more.`)
  if (!simulated) return done(`"${escapeControls(name)}" sends to APNs, FCM and push services.\n`)
  return done(
    [
      `"${escapeControls(name)}" sends to the built-in simulator: no phone is reached.`,
      '',
      'Any token will do that is 64 hex digits, for iOS, or any text, for Android. One that begins so orders an answer:',
      '',
      ...indented(ORDERS),
      '',
      `Browsers are reached for real as soon as it has a key for them: bellhop app webpush ${id}`,
      `What arrives is shown by  bellhop tail ${id}${dataFlagOf(flags.get('data'))}`,
      '',
    ].join('\n'),
  )
}

/** What of an application is for phones: `3 devices`, `an APNs credential`. */
function realThings({ application, database, clock }: ApplicationWorld): readonly string[] {
  const { number } = application
  const counts = createDeviceSearch({ database }).counts(number, PLATFORMS)
  const devices = counts.reduce((sum, { registered }) => sum + registered, 0)
  const pushes = createStatusStore({ database }).unfinished(number)
  const credentials = createCredentialStore({ database, clock, key: NO_KEY }).summaries(application)
  return [
    ...(devices > 0 ? [counted(devices, 'device')] : []),
    ...(pushes > 0 ? [`${counted(pushes, 'push', 'pushes')} to be sent`] : []),
    ...credentials.map(({ provider }) => factsOf(provider).credential),
  ]
}
