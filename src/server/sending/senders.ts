import { createProviderTokenStore } from '../../application/provider-token-store.ts'
import { createTokenFileStore } from '../../application/token-file-store.ts'
import { startDeliveryPool } from '../../delivery/delivery-pool.ts'
import { createDeliveryStore } from '../../delivery/store/delivery-store.ts'
import { createProviders } from '../../gateway/providers.ts'
import type { RsaKeys } from '../../gateway/simulator/certificate.ts'
import type { Simulator } from '../../gateway/simulator/simulator.ts'
import { chooseTransport } from '../../gateway/transport/choose-transport.ts'
import type { OpenTransport } from '../../gateway/transport/transport.ts'
import { HostAddresses } from '../../gateway/webpush/host-addresses.ts'
import type { Resolve } from '../../gateway/webpush/host-addresses.ts'
import { createKeyAgreement } from '../../gateway/webpush/key-agreement.ts'
import type { KeyAgreement } from '../../gateway/webpush/key-agreement.ts'
import { addressesOf } from '../../network/lookup.ts'
import { PLATFORM } from '../../platform.ts'
import { createScheduleStore } from '../../push/schedule/schedule-store.ts'
import { startSchedule } from '../../push/schedule/schedule.ts'
import { garbageCollector } from './garbage-collector.ts'
import type { Service } from '../service.ts'

interface Dependencies extends Service {
  /** For the simulator. Default: new ones. */
  readonly rsaKeys: (() => Promise<RsaKeys>) | undefined
  /** `undefined`: by the settings. */
  readonly openTransport: OpenTransport | undefined
  /** `undefined`: by the system. */
  readonly resolve: Resolve | undefined
  /** `undefined`: one that fits the processors of this machine. */
  readonly keyAgreement: KeyAgreement | undefined
}

export type Senders = Awaited<ReturnType<typeof startSenders>>

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

  /** Loaded on demand: with node-forge, for its certificates, it takes 4 ms of a start. */
  async function startSimulator(): Promise<Simulator> {
    const simulation = await import('../../gateway/simulator/simulator.ts')
    return (running = await simulation.startSimulator({ clock, rsaKeys: deps.rsaKeys }))
  }

  opened.defer(async () => (await started)?.[Symbol.asyncDispose]())
  // Reports damage at the start instead of at the first push.
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
  /** `runningSimulator`: `null` before it is needed. `moved`: origins reached by the second transport only. */
  return { providers, deliveries, pool, simulator, runningSimulator: () => running, moved: () => [...moved] }
}

export function startScheduled(service: Service, { pool }: Pick<Senders, 'pool'>) {
  const { clock, time, log, database, commit, finished, opened } = service
  const store = createScheduleStore({ database })
  const schedule = startSchedule({
    clock,
    time,
    log,
    commit,
    store: {
      next: store.next,
      release(dueBy, now, limit) {
        const released = store.release(dueBy, now, limit)
        // A push without recipients is over when it is released.
        for (const each of released) finished.tell(each, now)
        return released
      },
    },
    wake: (application, push) => pool.wake(application, push),
  })
  opened.defer(() => schedule.stop())
  return schedule
}
