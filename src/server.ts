import { createAdminApi } from './admin/admin-api.ts'
import { createApplicationDirectory } from './application/application-directory.ts'
import { createApplicationStore } from './application/application-store.ts'
import { createCredentialStore } from './application/credential-store.ts'
import { createProviderTokenStore } from './application/provider-token-store.ts'
import { secretMatches } from './application/secret.ts'
import { systemClock } from './clock.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import { lockDirectory } from './database/directory-lock.ts'
import { createGroupCommit } from './database/group-commit.ts'
import { createHousekeeping } from './database/housekeeping-store.ts'
import { apnsIdOf } from './delivery/apns/protocol.ts'
import { apnsBytes } from './delivery/apns/render.ts'
import { startDeliveryPool } from './delivery/delivery-pool.ts'
import { createDeliveryStore } from './delivery/delivery-store.ts'
import { fcmBytes } from './delivery/fcm/render.ts'
import { previewApns, previewFcm } from './delivery/preview.ts'
import { createProviders } from './delivery/providers.ts'
import { startSimulator } from './delivery/simulator/simulator.ts'
import type { Simulator } from './delivery/simulator/simulator.ts'
import { chooseTransport } from './delivery/transport/choose-transport.ts'
import { compatRoutes } from './device/compat-routes.ts'
import { compatRecord } from './device/compat-schema.ts'
import { deviceRoutes } from './device/device-routes.ts'
import { createDeviceStore } from './device/device-store.ts'
import { createFeedbackStore } from './device/feedback-store.ts'
import { registryRoutes } from './device/registry-routes.ts'
import { admission } from './http/admission.ts'
import { createApi } from './http/api.ts'
import { createGate } from './http/gate.ts'
import { listen } from './http/listener.ts'
import { createLog } from './log.ts'
import type { Log } from './log.ts'
import { createAcceptance } from './push/accept.ts'
import { createAudienceCount } from './push/audience-count.ts'
import { cancelRoutes } from './push/cancel-routes.ts'
import { createCancelStore } from './push/cancel-store.ts'
import { createExplainStore } from './push/explain-store.ts'
import { createIdempotencyStore } from './push/idempotency-store.ts'
import { previewRoutes } from './push/preview-routes.ts'
import { createSampler } from './push/preview-store.ts'
import { pushRoutes } from './push/push-routes.ts'
import { createPushStore } from './push/push-store.ts'
import { createSizeCheck } from './push/rendered-size.ts'
import { createScheduleStore } from './push/schedule-store.ts'
import { startSchedule } from './push/schedule.ts'
import { statusRoutes } from './push/status-routes.ts'
import { createStatusStore } from './push/status-store.ts'
import { authoritiesIn, databaseIn, sealingKeyOf, tryProxy } from './start-checks.ts'
import { StartRefused } from './start-refused.ts'
import { statsRoutes } from './stats/stats-routes.ts'
import { createStatsStore } from './stats/stats-store.ts'
import { userKey } from './usage/address.ts'
import { createFailureThrottle } from './usage/failure-throttle.ts'
import { createQuotaLedger } from './usage/quota-ledger.ts'
import { createRateLimiter } from './usage/rate-limiter.ts'
import { VERSION } from './version.ts'
import { createEventStore } from './webhook/event-store.ts'
import { createPost } from './webhook/post.ts'
import { startWebhookSender } from './webhook/webhook-sender.ts'
import { createWebhookStore } from './webhook/webhook-store.ts'

/** How soon a running server follows what a command changes. A second is promised. */
const FOLLOW_MS = 250

/** How much of the quota ledger a crash may forget, when no other write takes it along. */
const LEDGER_MS = 1000

const HOUR_MS = 60 * 60 * 1000

/** Between two steps of the housekeeping, where one was not enough. */
const TIDY_PAUSE_MS = 100

export interface Server extends AsyncDisposable {
  /** Where the public API listens, such as `http://127.0.0.1:8790`. */
  readonly url: string
  readonly adminUrl: string
  /** Resolves when it can go on no longer, and the process must end at once. */
  readonly broken: Promise<Error>
  /** The built-in stand-ins for APNs and FCM; started if need be. */
  simulator(): Promise<Simulator>
}

/** What tests put in the place of the world. */
export interface Overrides {
  readonly clock?: Clock
  /** In [0, 1). */
  readonly random?: () => number
  readonly log?: Log
}

/**
 * The whole service: wires everything together, and knows everybody; nobody knows it. Disposing it stops it
 * gracefully within `drainSeconds`. Throws `StartRefused` for what is the operator's to change.
 */
export async function createServer(config: Config, overrides: Overrides = {}): Promise<Server> {
  const clock = overrides.clock ?? systemClock
  const random = overrides.random ?? Math.random
  const log = overrides.log ?? createLog(config.logLevel, clock.now)
  // What was opened is closed in reverse, also when a later step refuses.
  await using opened = new AsyncDisposableStack()

  const lock = lockDirectory(config.data)
  if (lock === null) throw new StartRefused(`Another Bellhop serves the data directory ${config.data}.`)
  opened.use(lock)
  const database = opened.use(databaseIn(config.data))
  const broken = Promise.withResolvers<Error>()
  const group = opened.use(
    createGroupCommit(database, (error) => broken.resolve(new Error(`The disk failed: ${String(error)}`))),
  )
  const { commit } = group
  const ledger = createQuotaLedger({ database, clock })
  group.alongside(() => ledger.flush())

  const applications = createApplicationStore({ database, clock })
  const directory = createApplicationDirectory({ database, applications })
  const key = sealingKeyOf(config, database)
  const credentials = createCredentialStore({ database, clock, key })
  const { compat } = config
  const headerPrefixes = config.headerPrefix ?? []
  const devices = createDeviceStore({ database, clock, aliasesMove: compat })
  const feedback = createFeedbackStore({ database })
  const stats = createStatsStore({ database })
  const events = createEventStore({ database })

  const ca = await authoritiesIn(config.gatewayCa)
  const moved = new Set<string>()
  const onSwitch = (origin: string, reason: string) => {
    moved.add(origin)
    log.warn('moved to the second transport', { origin, reason })
  }
  if (config.proxy !== null) await tryProxy(config.proxy, config.apnsUrl, clock, log)
  let simulator: Promise<Simulator> | null = null
  const startedSimulator = () => (simulator ??= startSimulator({ clock }))
  opened.defer(async () => (await simulator)?.[Symbol.asyncDispose]())
  const providers = createProviders({
    credentials,
    tokens: createProviderTokenStore({ database, key }),
    gateways: {
      apns: { production: config.apnsUrl, sandbox: config.apnsSandboxUrl },
      fcm: config.fcmUrl,
      fcmToken: config.fcmTokenUrl,
      ca,
    },
    clock,
    log,
    openTransport: chooseTransport(config, clock, onSwitch),
    openSimulated: chooseTransport({ ...config, proxy: null }, clock, onSwitch),
    simulator: startedSimulator,
  })
  await providers.prepare(directory.all())

  const deliveries = createDeliveryStore({ database })
  const pool = startDeliveryPool({
    clock,
    log,
    random,
    commit,
    store: deliveries,
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
      storeBadge: (device, badge) => devices.storeBadge(device, badge),
    },
    providerOf(number, platform) {
      const application = directory.byNumber(number)
      return application && providers.of(application, platform)
    },
    isProven(number, platform) {
      const application = directory.byNumber(number)
      return application !== null && providers.isProven(application, platform)
    },
    prove(number, platform) {
      const application = directory.byNumber(number)
      if (application !== null) providers.prove(application, platform)
    },
    events,
    maxInFlight: config.maxInFlight,
  })
  opened.defer(() => pool.close())
  const webhooks = startWebhookSender({
    clock,
    log,
    random,
    commit,
    events,
    webhooks: createWebhookStore({ database, clock, key }),
    post: createPost({ clock, ca, allowPrivate: config.webhookPrivate }),
  })
  opened.defer(() => webhooks.close())

  const pushes = createPushStore({ database })
  const cancellations = createCancelStore({ database })
  const scheduled = createScheduleStore({ database, pushes })
  const schedule = startSchedule({
    clock,
    log,
    commit,
    store: {
      next: scheduled.next,
      release(now, limit) {
        const released = scheduled.release(now, limit)
        // One that nobody is there for is over at once.
        for (const each of released) events.pushFinished(each, now)
        return released
      },
    },
    wake: (of, push) => pool.wake(of, push),
  })
  opened.defer(() => schedule.stop())

  const count = createAudienceCount({ database })
  const checkSize = createSizeCheck({ 0: apnsBytes, 1: fcmBytes })

  const limiter = createRateLimiter({ clock })
  const throttle = createFailureThrottle({ clock })
  const gate = createGate(
    admission({
      versionOptional: compat,
      headerPrefixes,
      byId: (id) => directory.byId(id),
      refresh: () => directory.refresh(),
      secretMatches,
      throttleFailure: (address) => throttle.failed(address),
      takeCall({ number, limits }, address) {
        const { rate, burst, backendRate, backendBurst } = limits
        const own = address === null ? { rate: backendRate, burst: backendBurst } : { rate, burst }
        return limiter.take(userKey(number, address), own)
      },
      chargeQuota: (application) => ledger.charge(application),
    }),
  )
  const api = createApi({
    gate,
    log,
    compat,
    headerPrefixes,
    routes: [
      deviceRoutes({ gate, commit, devices }),
      registryRoutes({ gate, devices, feedback, ...(compat && { reshape: compatRecord }) }),
      pushRoutes({
        gate,
        accept: createAcceptance({
          commit,
          clock,
          pushes,
          schedule: scheduled,
          idempotency: createIdempotencyStore({ database }),
          count,
          wake: (application) => pool.wake(application),
          look: () => schedule.look(),
        }),
        devices,
        checkSize,
      }),
      previewRoutes({
        gate,
        clock,
        devices,
        checkSize,
        count,
        sample: createSampler({ database }),
        render: {
          apns: (application, message, to) => previewApns(message, to, providers.apnsIdentity(application)),
          fcm: previewFcm,
        },
      }),
      statusRoutes({
        gate,
        clock,
        statuses: createStatusStore({ database }),
        explanations: createExplainStore({ database }),
        pauseOf: (application, platform) => pool.pauseOf(application, platform),
        apnsIdOf,
      }),
      cancelRoutes({
        gate,
        commit,
        clock,
        cancellations: {
          cancel(application, id, now) {
            const outcome = cancellations.cancel(application, id, now)
            if (outcome.kind === 'cancelled') events.pushCancelled(application, id, now)
            return outcome
          },
        },
        deliveries: pool,
      }),
      statsRoutes({ gate, commit, clock, stats }),
      ...(compat ? [compatRoutes({ gate, commit, devices })] : []),
    ],
  })
  const admin = createAdminApi({
    log,
    probeDatabase: () => commit(() => undefined),
    senders: () => pool.states(),
    statusOf: (pushId) => deliveries.status(pushId),
    moved: () => [...moved],
  })

  const known = new Map(directory.all().map((one) => [one.number, providers.fingerprint(one)]))
  directory.onChange(() => void follow().catch(noted(log)))
  async function follow(): Promise<void> {
    await providers.prepare(directory.all())
    for (const application of directory.all()) {
      const fingerprint = providers.fingerprint(application)
      if (known.get(application.number) === fingerprint) continue
      known.set(application.number, fingerprint)
      pool.reload(application.number)
    }
    for (const number of known.keys()) {
      if (directory.byNumber(number) !== null) continue
      known.delete(number)
      pool.forget(number)
    }
    // What a command has pushed.
    for (const { application } of deliveries.senders()) pool.wake(application)
    schedule.look()
  }

  const housekeeping = createHousekeeping({ database })
  opened.defer(every(clock, FOLLOW_MS, () => void directory.refresh()))
  opened.defer(every(clock, LEDGER_MS, () => ledger.dirty && void commit(() => undefined).catch(noted(log))))
  let stopTidying = () => {}
  opened.defer(every(clock, HOUR_MS, tidy))
  opened.defer(() => stopTidying())
  function tidy(): void {
    stopTidying()
    commit(() => housekeeping.sweep(clock.now())).then((more) => {
      if (more) stopTidying = clock.after(TIDY_PAUSE_MS, tidy)
    }, noted(log))
  }

  const publicListener = listen(api, config.listen, log)
  opened.defer(() => publicListener.abort())
  const adminListener = listen(admin, config.adminListen, log)
  opened.defer(() => adminListener.abort())
  log.info('serving', { version: VERSION, url: publicListener.url, admin: adminListener.url, data: config.data })

  const stack = opened.move()
  let closing: Promise<void> | null = null
  return {
    url: publicListener.url,
    adminUrl: adminListener.url,
    broken: broken.promise,
    simulator: startedSimulator,
    [Symbol.asyncDispose]: () => (closing ??= close()),
  }

  async function close(): Promise<void> {
    log.info('stopping')
    const drained = Promise.all([publicListener.stop(), pool.stop(), webhooks.stop()])
    const inTime = await within(clock, config.drainSeconds * 1000, drained)
    if (!inTime) log.warn('stopped before everything in flight was answered', { drainSeconds: config.drainSeconds })
    // Whatever the ledger still holds.
    await commit(() => undefined).catch(noted(log))
    await stack.disposeAsync()
    log.info('stopped')
  }
}

function every(clock: Clock, periodMs: number, run: () => void): () => void {
  let cancel = clock.after(periodMs, again)
  function again(): void {
    cancel = clock.after(periodMs, again)
    run()
  }
  return () => cancel()
}

function noted(log: Log): (error: unknown) => void {
  return (error) => log.error('a routine write failed', { error: String(error) })
}

/** Whether `work` was done within `limitMs` milliseconds. */
async function within(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<boolean> {
  let cancel = () => {}
  const late = new Promise<false>((resolve) => {
    cancel = clock.after(limitMs, () => resolve(false))
  })
  const inTime = await Promise.race([work.then(() => true as const), late])
  cancel()
  return inTime
}
