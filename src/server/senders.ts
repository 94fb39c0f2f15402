import type { ApplicationDirectory } from '../application/application-directory.ts'
import type { CredentialStore } from '../application/credential-store.ts'
import { createProviderTokenStore } from '../application/provider-token-store.ts'
import { createTokenFileStore } from '../application/token-file-store.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Commit } from '../database/group-commit.ts'
import { startDeliveryPool } from '../delivery/delivery-pool.ts'
import { createDeliveryStore } from '../delivery/store/delivery-store.ts'
import type { DeviceStore } from '../device/device-store.ts'
import { createProviders } from '../gateway/providers.ts'
import type { RsaKeys } from '../gateway/simulator/fcm/rsa-keys.ts'
import type { Simulator } from '../gateway/simulator/simulator.ts'
import { chooseTransport } from '../gateway/transport/choose-transport.ts'
import type { OpenTransport } from '../gateway/transport/transport.ts'
import { HostAddresses } from '../gateway/webpush/host-addresses.ts'
import type { Resolve } from '../gateway/webpush/host-addresses.ts'
import { createKeyAgreement } from '../gateway/webpush/key-agreement.ts'
import type { KeyAgreement } from '../gateway/webpush/key-agreement.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import type { FinishedStore } from '../push/finished-store.ts'
import { addressesOf } from '../network/lookup.ts'
import { PLATFORM } from '../platform.ts'
import type { Config } from '../settings/parse.ts'
import type { ServiceClock } from '../time/service-clock.ts'
import type { EventStore } from '../webhook/event-store.ts'
import { garbageCollector } from './garbage-collector.ts'

interface Dependencies {
  readonly config: Config
  readonly clock: Clock
  readonly time: ServiceClock
  readonly log: Log
  /** In [0, 1). */
  readonly random: () => number
  /** For the simulator; `undefined`: fresh ones. */
  readonly rsaKeys: (() => Promise<RsaKeys>) | undefined
  /** The way to the gateways; `undefined`: the one that the settings ask for. */
  readonly openTransport: OpenTransport | undefined
  /** Looks up the hosts of push services; `undefined`: as the system does. */
  readonly resolve: Resolve | undefined
  /** With the keys of browsers; `undefined`: one that this machine has the processors for. */
  readonly keyAgreement: KeyAgreement | undefined
  readonly database: Database
  readonly commit: Commit
  /** 32 bytes, from `proveSealingKey`. */
  readonly key: Uint8Array
  readonly directory: ApplicationDirectory
  readonly credentials: CredentialStore
  readonly devices: DeviceStore
  readonly events: EventStore
  readonly finished: FinishedStore
  readonly metrics: Metrics
  /** Certificates to trust, in PEM; `undefined`: the system's. */
  readonly ca: string | undefined
  /** Closes what is opened here, in reverse. */
  readonly opened: AsyncDisposableStack
}

export type Senders = Awaited<ReturnType<typeof startSenders>>

/** Everything that sends: gateways with their credentials, and the pool that goes on with what is open. */
export async function startSenders(deps: Dependencies) {
  const { config, clock, log, database, commit, key, directory, credentials, devices, events, opened } = deps
  const moved = new Set<string>()
  const onSwitch = (origin: string, reason: string) => {
    moved.add(origin)
    log.warn('moved to the second transport', { origin, reason })
  }
  let started: Promise<Simulator> | null = null
  let running: Simulator | null = null
  const simulator = () => (started ??= startSimulator())

  /** Loaded when somebody needs it: with node-forge, which makes its certificates, it takes 4 ms of a start. */
  async function startSimulator(): Promise<Simulator> {
    const simulation = await import('../gateway/simulator/simulator.ts')
    return (running = await simulation.startSimulator({ clock, rsaKeys: deps.rsaKeys }))
  }

  opened.defer(async () => (await started)?.[Symbol.asyncDispose]())
  // What is damaged is told of at the start, and not when a first push needs it.
  for (const application of directory.all()) credentials.summaries(application)
  const providers = createProviders({
    credentials,
    tokens: createProviderTokenStore({ database, key }),
    tokenFile: createTokenFileStore(config.data, key),
    addresses: {
      apns: { production: config.apnsUrl, sandbox: config.apnsSandboxUrl },
      fcm: config.fcmUrl,
      fcmToken: config.fcmTokenUrl,
      pushServices: config.pushServices ?? [],
      ca: deps.ca,
    },
    clock,
    log,
    openTransport: deps.openTransport ?? chooseTransport(config, clock, onSwitch),
    hosts: config.proxy === null ? new HostAddresses(deps.resolve ?? addressesOf, clock) : null,
    keyAgreement: opened.use(deps.keyAgreement ?? createKeyAgreement()),
    openSimulated: chooseTransport({ ...config, proxy: null }, clock, onSwitch),
    simulator,
    onIphone(device, token) {
      commit(() => devices.learnIphone(device, token)).catch((error: unknown) =>
        log.error('device not updated', { device, error: String(error) }),
      )
    },
  })
  await providers.prepare(directory.all())

  const deliveries = createDeliveryStore({ database, clock: deps.time })
  const pool = startDeliveryPool({
    clock: deps.time,
    log,
    random: deps.random,
    commit,
    store: deliveries,
    platforms: PLATFORM,
    registry: {
      apply(verdict, now) {
        const { device } = verdict
        if (verdict.kind === 'environment') devices.rememberEnvironment(device, verdict.environment)
        else {
          const left =
            verdict.kind === 'gone'
              ? devices.markGone(device, { ...verdict, now })
              : devices.quarantine(device, { ...verdict, now })
          if (left) events.deviceGone(device, verdict.reason, now)
        }
      },
      giveBack: (application, platform, before) => devices.giveBack(application, platform, before),
      changeBadges: (changed, change) => devices.changeBadges(changed, change),
    },
    providerOf(number, platform) {
      const application = directory.byNumber(number)
      return application && providers.find(application, platform)
    },
    credentialOf(number, platform) {
      const application = directory.byNumber(number)
      return application === null ? 0 : providers.credentialOf(application, platform)
    },
    events: { ...events, pushFinished: deps.finished.tell },
    maxInFlight: config.maxInFlight,
    collectGarbage: garbageCollector(clock, deps.metrics.calls),
    latency: deps.metrics.latency,
  })
  opened.defer(() => pool.close())
  /** `runningSimulator`: `null` where nothing has needed it. `moved`: origins of gateways that are reached by the second transport only. */
  return { providers, deliveries, pool, simulator, runningSimulator: () => running, moved: () => [...moved] }
}
