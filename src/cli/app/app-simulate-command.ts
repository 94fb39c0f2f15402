import { createRealThings } from '../../admin/real-things-store.ts'
import { createApplicationStore } from '../../application/application-store.ts'
import { createCredentialStore } from '../../application/credential-store.ts'
import { problem } from '../../failure.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { RunOnApplication } from '../command.ts'
import { dataFlagOf } from '../data-directory.ts'
import { NO_KEY, indented } from './app-text.ts'

/** A selection: `*-magic-tokens.ts` of the simulator have all. */
const ORDERS = [
  ['iOS', 'Android', 'answer'],
  ['bad41000…', 'unregistered:…', '410 Unregistered, 404 UNREGISTERED: the device is gone'],
  ['bad40000…', 'invalid:…', '400: not a token'],
  ['bad42901…', 'throttled-1:…', '429 the first time, and then accepted'],
  ['bad50300…', 'unavailable:…', '503, each time'],
  ['bad00000…', 'slow:…', 'accepted after 3 seconds'],
]

/** Uses the simulator for phones, and for browsers without a key; or the real gateways again. */
export const run: RunOnApplication = async ({ words: [app = ''], flags }, world) => {
  const { application } = world
  const { id, name } = application
  const simulated = !flags.has('off')
  const asks = simulated && !application.simulated && !flags.has('yes')
  const real = asks
    ? createRealThings({ ...world, credentials: createCredentialStore({ ...world, key: NO_KEY }) })(application)
    : null
  if (real !== null) {
    const browsers = real.hasBrowsers ? ' Browsers are not affected.' : ''
    return problem(
      `"${name}" has ${real.things.join(', ')}: what waits would go to the simulator and reach no phone, and devices whose tokens it does not like would leave the audience.${browsers} Add --yes to do so.`,
    )
  }
  const changed = createApplicationStore(world).setSimulated(id, simulated)
  if (changed.kind === 'not-found') return problem(`There is no application "${app}" any more.`)
  if (!simulated) return done(`"${escapeControls(name)}" sends to APNs, FCM and push services.\n`)
  return done(
    [
      `"${escapeControls(name)}" uses the built-in simulator: no real phone is reached.`,
      '',
      'Any token works: 64 hex digits for iOS, any text for Android. Tokens that start like this simulate an answer:',
      '',
      ...indented(ORDERS),
      '',
      `Browsers get real pushes once the application has a VAPID key: bellhop app webpush ${id}`,
      `See what arrives:  bellhop tail ${id}${dataFlagOf(flags.get('data'))}`,
      '',
    ].join('\n'),
  )
}
