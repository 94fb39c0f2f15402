import type { Application } from '../application/application.ts'
import type { CredentialStore } from '../application/credential-store.ts'
import type { ProviderTokenStore } from '../application/provider-token-store.ts'
import type { Clock } from '../clock.ts'
import { isSqliteError } from '../database/sqlite-error.ts'
import type { Platform } from '../device/device.ts'
import type { Log } from '../log.ts'
import { createApnsProvider } from './apns/client.ts'
import type { CredentialProvider } from '../application/credential.ts'
import { createFcmProvider } from './fcm/client.ts'
import { ProjectQuota } from './fcm/project-quota.ts'
import type { Provider } from './gateway.ts'
import { apnsIdentityOf } from './preview.ts'
import type { ApnsIdentity } from './preview.ts'
import { withRealBrowsers } from './simulator/real-browsers.ts'
import { simulatedProvider } from './simulator/simulated-provider.ts'
import type { Simulator } from './simulator/simulator.ts'
import type { OpenTransport } from './transport/transport.ts'
import { createWebPushProvider } from './webpush/client.ts'
import type { KeyAgreement } from './webpush/key-agreement.ts'
import type { Resolve } from './webpush/service-routes.ts'

/** Addresses of the gateways, and the authorities to trust. From the operator's settings, never from a request. */
export interface Gateways {
  readonly apns: { readonly production: string; readonly sandbox: string }
  readonly fcm: string
  readonly fcmToken: string
  /** Origins of push services for browsers that the operator has named besides those that everybody knows. */
  readonly pushServices: readonly string[]
  /** PEM; `undefined`: what the system trusts. */
  readonly ca: string | undefined
}

const PROVIDER: Readonly<Record<Platform, CredentialProvider>> = { 0: 'apns', 1: 'fcm', 2: 'webpush' }

interface Dependencies {
  readonly credentials: Pick<CredentialStore, 'apnsOf' | 'fcmOf' | 'webPushOf' | 'summaries'>
  readonly tokens: ProviderTokenStore
  readonly gateways: Gateways
  readonly clock: Clock
  readonly log: Log
  readonly openTransport: OpenTransport
  /** All addresses of a host; `null`: everything goes through a proxy, which looks names up itself. */
  readonly resolve: Resolve | null
  /** With the keys of browsers. */
  readonly keyAgreement: KeyAgreement
  /** For the simulator, which is on this machine: never through a proxy. */
  readonly openSimulated: OpenTransport
  /** The built-in stand-ins; started when the first application wants them. */
  readonly simulator: () => Promise<Simulator>
}

/** The provider of each application's platform, made from its credential or from the simulator's. */
export function createProviders({
  credentials,
  tokens,
  gateways,
  clock,
  log,
  openTransport,
  resolve,
  keyAgreement,
  openSimulated,
  simulator,
}: Dependencies) {
  let simulated: Simulator | null = null
  /** By application: what its providers were made of. */
  const madeOf = new Map<number, Partial<Record<Platform, string>>>()
  /** By project: two applications may share one. */
  const quotas = new Map<string, ProjectQuota>()

  function own(application: Application, platform: Platform): Provider | null {
    const { ca } = gateways
    const shared = { clock, openTransport, ...(ca !== undefined && { ca }) }
    if (platform === 0) {
      const credential = credentials.apnsOf(application)
      const keepToken = {
        load: () => tokens.load(application),
        save: (text: string) => tokens.save(application, text),
      }
      return credential && createApnsProvider({ ...shared, credential, origins: gateways.apns, keepToken })
    }
    if (platform === 2) {
      const credential = credentials.webPushOf(application)
      const named = gateways.pushServices
      return credential && createWebPushProvider({ ...shared, credential, named, resolve, keyAgreement })
    }
    const credential = credentials.fcmOf(application)
    if (credential === null) return null
    const quota = quotas.get(credential.projectId) ?? new ProjectQuota()
    quotas.set(credential.projectId, quota)
    return createFcmProvider({ ...shared, credential, quota, origin: gateways.fcm, tokenUrl: gateways.fcmToken })
  }

  /** Changes when, and only when, the provider of an application for a platform must be made anew. */
  function fingerprintOf(application: Application, platform: Platform): string {
    const of = (one: string) => one === PROVIDER[platform]
    const createdAt = credentials.summaries(application).find(({ provider }) => of(provider))?.createdAt
    const kind = !application.simulated ? 'own' : simulated === null ? 'starting' : 'simulated'
    return `${kind} ${createdAt}`
  }

  /** Whether anything is sent past the simulator: to browsers with a key of their own, and without it all. */
  function isReal(application: Application, platform: Platform): boolean {
    if (!application.simulated) return true
    return platform === 2 && credentials.summaries(application).some(({ provider }) => provider === 'webpush')
  }

  return {
    /** `null` while there is no credential, or the simulator is still starting. Throws where it cannot be read. */
    find(application: Application, platform: Platform): Provider | null {
      try {
        const { number } = application
        madeOf.set(number, { ...madeOf.get(number), [platform]: fingerprintOf(application, platform) })
        if (!application.simulated) return own(application, platform)
        if (simulated === null) return null
        const shared = { clock, openTransport: openSimulated, pushServices: gateways.pushServices, keyAgreement }
        const standIn = simulatedProvider(simulated, application, platform, shared)
        const real = isReal(application, platform) ? own(application, platform) : null
        return real === null ? standIn : withRealBrowsers(real, standIn)
      } catch (error) {
        // Of the disk: whoever asks tries again.
        if (isSqliteError(error)) throw error
        // A sealed record that does not open: the queue waits for a credential that does.
        log.error('credential unusable', { application: application.id, error: String(error) })
        return null
      }
    },

    /** Starts the simulator if one of these applications wants it; `true` if that made a difference. */
    async prepare(applications: readonly Application[]): Promise<boolean> {
      if (simulated !== null || !applications.some((application) => application.simulated)) return false
      simulated = await simulator()
      return true
    },

    /** By what APNs will know this application; `null` while there is no credential. */
    apnsIdentity(application: Application): ApnsIdentity | null {
      if (application.simulated)
        return simulated && { topic: simulated.issue(application.id).apnsKey.topic, signed: true }
      return apnsIdentityOf(credentials.summaries(application))
    },

    /** When the credential that is sent with was stored, ms since the Unix epoch; 0: it is the simulator's, or there is none. */
    credentialOf(application: Application, platform: Platform): number {
      if (!isReal(application, platform)) return 0
      const summaries = credentials.summaries(application)
      return summaries.find(({ provider }) => provider === PROVIDER[platform])?.createdAt ?? 0
    },

    /** Whether the provider that was made last must be made anew; `false` where none was. */
    isStale(application: Application, platform: Platform): boolean {
      const made = madeOf.get(application.number)?.[platform]
      return made !== undefined && made !== fingerprintOf(application, platform)
    },
  }
}
