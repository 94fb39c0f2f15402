import type { Application } from '../../application/application.ts'
import { readApnsKey, readServiceAccount } from '../../application/credential.ts'
import type { Clock } from '../../clock.ts'
import type { Platform } from '../../device/device.ts'
import { SIMULATED_SERVICE } from '../../device/webpush/push-services.ts'
import { createApnsProvider } from '../apns/client.ts'
import { createFcmProvider } from '../fcm/client.ts'
import type { Provider } from '../gateway.ts'
import type { OpenTransport } from '../transport/transport.ts'
import { createWebPushProvider } from '../webpush/client.ts'
import type { KeyAgreement } from '../webpush/key-agreement.ts'
import type { Simulator } from './simulator.ts'

interface SimulatedProviderDependencies {
  readonly clock: Clock
  readonly openTransport: OpenTransport
  /** Origins of push services that the operator has named. */
  readonly pushServices: readonly string[]
  readonly keyAgreement: KeyAgreement
}

/** The real client of a platform, with credentials that the simulator has issued, aimed at the simulator. */
export function simulatedProvider(
  simulator: Simulator,
  application: Application,
  platform: Platform,
  { pushServices, keyAgreement, ...deps }: SimulatedProviderDependencies,
): Provider {
  const issued = simulator.issue(application.id)
  const shared = { ...deps, ca: simulator.ca }
  if (platform === 0) {
    const credential = readApnsKey({ ...issued.apnsKey, environment: 'auto' })
    if (credential.kind === 'problem') throw new Error(credential.problem)
    const origins = { production: simulator.apnsUrl, sandbox: simulator.apnsSandboxUrl }
    return createApnsProvider({ ...shared, credential, origins })
  }
  if (platform === 2) {
    const [credential, relay] = [issued.vapid, simulator.webPushUrl]
    const named = [...pushServices, SIMULATED_SERVICE]
    return createWebPushProvider({ ...shared, credential, named, resolve: null, keyAgreement, relay })
  }
  const credential = readServiceAccount(issued.serviceAccount)
  if (credential.kind === 'problem') throw new Error(credential.problem)
  return createFcmProvider({ ...shared, credential, origin: simulator.fcmUrl, tokenUrl: simulator.fcmTokenUrl })
}
