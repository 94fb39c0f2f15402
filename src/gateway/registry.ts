import type { Application, SecretOwner } from '../application/application.ts'
import { readApnsKey, readServiceAccount } from '../application/credential.ts'
import type { CredentialStore } from '../application/credential-store.ts'
import type { ProviderTokenStore } from '../application/provider-token-store.ts'
import type { TokenFileStore } from '../application/token-file-store.ts'
import type { Clock } from '../clock.ts'
import { SIMULATED_SERVICE } from '../device/webpush/push-services.ts'
import type { Platform } from '../platform.ts'
import { createApnsProvider } from './apns/client.ts'
import type { Keep, Signing } from './apns/token.ts'
import { createFcmProvider } from './fcm/client.ts'
import type { OnIphone } from './fcm/client.ts'
import { ProjectQuota } from './fcm/project-quota.ts'
import type { Provider } from './gateway.ts'
import type { Simulator } from './simulator/simulator.ts'
import type { OpenTransport } from './transport/transport.ts'
import { createWebPushProvider } from './webpush/client.ts'
import type { KeyAgreement } from './webpush/key-agreement.ts'
import type { HostAddresses } from './webpush/host-addresses.ts'

/** From the operator's settings, never from a request. */
export interface GatewayAddresses {
  readonly apns: { readonly production: string; readonly sandbox: string }
  readonly fcm: string
  readonly fcmToken: string
  /** Allowed besides the known ones: see `endpointProblem`. */
  readonly pushServices: readonly string[]
  /** PEM; `undefined`: the system's. */
  readonly ca: string | undefined
}

export interface GatewayDependencies {
  readonly credentials: Pick<CredentialStore, 'credentialOf'>
  readonly tokens: ProviderTokenStore
  /** Provider tokens made by `doctor`. */
  readonly tokenFile: Pick<TokenFileStore, 'load'>
  readonly signing: Signing
  readonly addresses: GatewayAddresses
  readonly clock: Clock
  readonly openTransport: OpenTransport
  /** `null`: a proxy resolves names. */
  readonly hosts: HostAddresses | null
  readonly keyAgreement: KeyAgreement
  /** Never through a proxy. */
  readonly openSimulated: OpenTransport
  readonly onIphone: OnIphone
  readonly quotas: Map<string, ProjectQuota>
}

export interface Gateway {
  /** `null`: no credential. Throws if it can't be read. */
  own(application: SecretOwner, deps: GatewayDependencies): Provider | null
  simulated(application: Application, simulator: Simulator, deps: GatewayDependencies): Provider
}

const apns: Gateway = {
  own(application, deps) {
    const credential = deps.credentials.credentialOf(application, 'apns')
    const signing = apnsSigning(application, deps)
    return credential && createApnsProvider({ ...sharedBy(deps), ...signing, credential, origins: deps.addresses.apns })
  },
  simulated(application, simulator, deps) {
    const credential = readApnsKey({ ...simulator.issue(application.id).apnsKey, environment: 'auto' })
    if (credential.kind === 'problem') throw new Error(credential.problem)
    const origins = { production: simulator.apnsUrl, sandbox: simulator.apnsSandboxUrl }
    return createApnsProvider({ ...simulatedBy(simulator, deps), credential, origins })
  },
}

const fcm: Gateway = {
  own(application, deps) {
    const credential = deps.credentials.credentialOf(application, 'fcm')
    if (credential === null) return null
    const quota = deps.quotas.get(credential.projectId) ?? new ProjectQuota()
    deps.quotas.set(credential.projectId, quota)
    const { fcm: origin, fcmToken: tokenUrl } = deps.addresses
    return createFcmProvider({ ...sharedBy(deps), credential, quota, origin, tokenUrl, onIphone: deps.onIphone })
  },
  simulated(application, simulator, deps) {
    const credential = readServiceAccount(simulator.issue(application.id).serviceAccount)
    if (credential.kind === 'problem') throw new Error(credential.problem)
    const { fcmUrl: origin, fcmTokenUrl: tokenUrl } = simulator
    return createFcmProvider({
      ...simulatedBy(simulator, deps),
      credential,
      origin,
      tokenUrl,
      onIphone: deps.onIphone,
    })
  },
}

const webPush: Gateway = {
  own(application, deps) {
    const credential = deps.credentials.credentialOf(application, 'webpush')
    const { hosts, keyAgreement, addresses } = deps
    const named = addresses.pushServices
    return credential && createWebPushProvider({ ...sharedBy(deps), credential, named, hosts, keyAgreement })
  },
  simulated(application, simulator, deps) {
    const { vapid: credential } = simulator.issue(application.id)
    const { keyAgreement, addresses } = deps
    const named = [...addresses.pushServices, SIMULATED_SERVICE]
    const relay = (endpoint: string) => simulator.relayOf(endpoint)
    const shared = simulatedBy(simulator, deps)
    return createWebPushProvider({ ...shared, credential, named, hosts: null, keyAgreement, relay })
  },
}

export const GATEWAYS: Readonly<Record<Platform, Gateway>> = { 0: apns, 1: fcm, 2: webPush }

/** A key may have only one provider token, so all signers share these. */
export function apnsSigning(
  application: SecretOwner,
  { tokens, tokenFile, signing }: Pick<GatewayDependencies, 'tokens' | 'tokenFile' | 'signing'>,
): { readonly keepToken: Keep; readonly signing: Signing } {
  const keepToken = {
    load: () => [...tokens.all(), ...tokenFile.load()],
    save: (text: string) => tokens.save(application, text),
  }
  return { keepToken, signing }
}

function sharedBy({ clock, openTransport, addresses: { ca } }: GatewayDependencies) {
  return { clock, openTransport, ca }
}

function simulatedBy({ ca }: Simulator, { clock, openSimulated }: GatewayDependencies) {
  return { clock, openTransport: openSimulated, ca }
}
