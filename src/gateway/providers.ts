import type { Application, SecretOwner } from '../application/application.ts'
import type { CredentialStore } from '../application/credential-store.ts'
import { isSqliteError } from '../database/sqlite-error.ts'
import { SIMULATED_SERVICE } from '../device/webpush/push-services.ts'
import type { Log } from '../log.ts'
import { PLATFORM } from '../platform.ts'
import type { Platform } from '../platform.ts'
import type { Provider, Recipient } from './gateway.ts'
import { apnsIdentityOf } from './preview.ts'
import type { ApnsIdentity } from './preview.ts'
import { apnsSigning, GATEWAYS } from './registry.ts'
import type { GatewayDependencies } from './registry.ts'
import type { Simulator } from './simulator/simulator.ts'

interface Dependencies extends Omit<GatewayDependencies, 'quotas' | 'signing'> {
  readonly credentials: Pick<CredentialStore, 'credentialOf' | 'summaries'>
  readonly log: Log
  readonly simulator: () => Promise<Simulator>
}

export function createProviders({ log, simulator, ...shared }: Dependencies) {
  const { credentials } = shared
  const deps: GatewayDependencies = { ...shared, quotas: new Map(), signing: new Map() }
  let simulated: Simulator | null = null
  const madeOf = new Map<number, Partial<Record<Platform, string>>>()

  function summaryOf(application: Application, platform: Platform) {
    return credentials.summaries(application).find(({ provider }) => provider === PLATFORM[platform].provider)
  }

  /** Changes exactly when the provider must be replaced. */
  function fingerprintOf(application: Application, platform: Platform): string {
    const kind = !application.simulated ? 'own' : simulated === null ? 'starting' : 'simulated'
    return `${kind} ${summaryOf(application, platform)?.createdAt}`
  }

  function isReal(application: Application, platform: Platform): boolean {
    if (!application.simulated) return true
    return PLATFORM[platform].isRealWhenSimulated && summaryOf(application, platform) !== undefined
  }

  return {
    /** `null`: no credential, or the simulator is still starting. Throws on database errors. */
    find(application: Application, platform: Platform): Provider | null {
      try {
        const { number } = application
        madeOf.set(number, { ...madeOf.get(number), [platform]: fingerprintOf(application, platform) })
        const gateway = GATEWAYS[platform]
        if (!application.simulated) return gateway.own(application, deps)
        if (simulated === null) return null
        const standIn = gateway.simulated(application, simulated, deps)
        const real = isReal(application, platform) ? gateway.own(application, deps) : null
        return real === null ? standIn : withRealBrowsers(real, standIn)
      } catch (error) {
        if (isSqliteError(error)) throw error
        // Can't be unsealed: pushes wait for another credential.
        log.error('credential unusable', { application: application.id, error: String(error) })
        return null
      }
    },

    /** Starts the simulator if needed. Returns whether it did. */
    async prepare(applications: readonly Application[]): Promise<boolean> {
      if (simulated !== null || !applications.some((application) => application.simulated)) return false
      simulated = await simulator()
      return true
    },

    apnsSigning: (application: SecretOwner) => apnsSigning(application, deps),

    apnsIdentity(application: Application): ApnsIdentity | null {
      if (application.simulated)
        return simulated && { topic: simulated.issue(application.id).apnsKey.topic, signed: true }
      return apnsIdentityOf(credentials.summaries(application))
    },

    /** When the credential was stored; 0: the simulator's, or none. */
    credentialOf(application: Application, platform: Platform): number {
      if (!isReal(application, platform)) return 0
      return summaryOf(application, platform)?.createdAt ?? 0
    },

    isStale(application: Application, platform: Platform): boolean {
      const made = madeOf.get(application.number)?.[platform]
      return made !== undefined && made !== fingerprintOf(application, platform)
    },
  }
}

/**
 * For a simulated application with a VAPID key: reaches real browsers and the simulator's. Disposes of both providers.
 */
function withRealBrowsers(real: Provider, simulated: Provider): Provider {
  const of = ({ token }: Recipient): Provider => (URL.parse(token)?.origin === SIMULATED_SERVICE ? simulated : real)
  return {
    ...constantsOf(real),
    send: (message, recipient, listener) => of(recipient).send(message, recipient, listener),
    originOf: (recipient) => of(recipient).originOf(recipient),
    get connections() {
      return (real.connections ?? 0) + (simulated.connections ?? 0)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([real[Symbol.asyncDispose](), simulated[Symbol.asyncDispose]()])
    },
  }
}

function constantsOf({ name, retry, weight }: Provider): Pick<Provider, 'name' | 'retry' | 'weight' | 'isOpen'> {
  return { name, retry, isOpen: true, ...(weight !== undefined && { weight }) }
}
