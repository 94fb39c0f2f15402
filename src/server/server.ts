import { createAdminLogStore } from '../admin/admin-log-store.ts'
import { createCallLog } from '../admin/call-log.ts'
import { linkUrl } from '../admin/session/link-url.ts'
import { createApplicationDirectory } from '../application/application-directory.ts'
import { createApplicationStore } from '../application/application-store.ts'
import { createCredentialStore } from '../application/credential-store.ts'
import { createUserKeyStore } from '../application/user-key-store.ts'
import { createJudgeProof } from '../application/user-proofs.ts'
import { every, MINUTE_MS, systemClock, within } from '../clock.ts'
import type { Unwritten } from '../delivery/delivery-pool.ts'
import { createDeviceStore } from '../device/device-store.ts'
import type { Simulator } from '../gateway/simulator/simulator.ts'
import { authoritiesIn } from '../gateway/transport/authorities.ts'
import { createIdOf } from '../http/admission.ts'
import { createRefusalLog } from '../http/refusal-log.ts'
import { noted } from '../log.ts'
import { createInbox } from '../monitoring/inbox.ts'
import { createMetrics } from '../monitoring/metrics.ts'
import { LOOP_TICK_MS } from '../monitoring/loop-delay.ts'
import { diskOf } from '../monitoring/storage.ts'
import { createCancelStore } from '../push/cancel-store.ts'
import { createFinishedStore } from '../push/finished-store.ts'
import { createPushStore } from '../push/push-store.ts'
import { createScheduleStore } from '../push/schedule/schedule-store.ts'
import { startSchedule } from '../push/schedule/schedule.ts'
import type { Config } from '../settings/parse.ts'
import { VERSION } from '../version.ts'
import { createEventStore } from '../webhook/event-store.ts'
import { createPost } from '../webhook/post.ts'
import { startWebhookSender } from '../webhook/webhook-sender.ts'
import { createWebhookStore } from '../webhook/webhook-store.ts'
import { startAdminSide } from './admin-side.ts'
import { openCommandSocket } from './command-socket.ts'
import { openDurably } from './durable-database.ts'
import { createDiskGuard } from './disk-guard.ts'
import { followChanges } from './follow-changes.ts'
import { createOnBehalf } from './on-behalf.ts'
import type { Overrides } from './overrides.ts'
import { createPublicApi } from './public-api.ts'
import { publicParts, servicePushing } from './public-parts.ts'
import { openListeners } from './listeners.ts'
import { keepReserve } from './reserve-keeper.ts'
import { startRetention } from './retention.ts'
import { startSenders } from './senders.ts'
import { createServiceAdmission } from './service-admission.ts'
import { keepLedger } from './service-ledger.ts'
import { createServiceLog } from './service-log.ts'
import { keepServiceTime } from './service-time.ts'
import { holdDirectory, makeRoom, sealingKeyOf, tlsIn, tryProxy, upgradeFirst } from './start-checks.ts'
import { noteStart } from './started-settings.ts'
import { createSweeps } from './sweeps.ts'

/** Why it can go on no longer, in a sentence without its full stop. */
interface Breakdown {
  readonly kind: 'disk-failed' | 'database-gone'
  readonly message: string
}

export interface Server extends AsyncDisposable {
  /** Where the public API listens, such as `http://127.0.0.1:8790`. */
  readonly url: string
  readonly adminUrl: string
  /** Resolves when it can go on no longer, and the process must end at once. */
  readonly broken: Promise<Breakdown>
  /** Where somebody becomes the first administrator, once and within 30 minutes; `null`: there is one. */
  setupUrl(): Promise<string | null>
  /** The built-in stand-ins for APNs and FCM; started if need be. */
  simulator(): Promise<Simulator>
  /** Looks at the files of TLS now, not only within a minute. */
  reload(): void
  /** Takes up what another process has changed in the database. */
  changed(): void
  /** What was sent and is not on disk: once it is disposed, what the next start sends again. */
  unwritten(): Unwritten
}

/**
 * The whole service: wires everything together, and knows everybody; nobody knows it. Disposing it stops it
 * gracefully within `drainSeconds`. Throws `StartRefused` for what is the operator's to change.
 */
export async function createServer(config: Config, overrides: Overrides = {}): Promise<Server> {
  const clock = overrides.clock ?? systemClock
  const random = overrides.random ?? Math.random
  const serviceLog = createServiceLog(config, clock, overrides.log)
  const { damage } = serviceLog
  const { log } = damage
  const tls = tlsIn(config)
  // What was opened is closed in reverse, also when a later step refuses.
  await using opened = new AsyncDisposableStack()

  makeRoom(config.data, log)
  opened.use(holdDirectory(config.data))
  await upgradeFirst(config.data, { clock, log, onUpgrading: overrides.onUpgrading ?? (() => {}) })
  const metrics = createMetrics()
  const broken = Promise.withResolvers<Breakdown>()
  const { database, group, files } = openDurably({
    data: config.data,
    clock,
    log,
    observer: metrics.commits,
    ...(overrides.sync && { sync: overrides.sync }),
    ...(overrides.checkpoints && { checkpoints: overrides.checkpoints }),
    onSyncFailed: (error) => broken.resolve({ kind: 'disk-failed', message: `The disk failed: ${String(error)}` }),
    onGone: (message) => broken.resolve({ kind: 'database-gone', message }),
    opened,
  })
  const { commit } = group
  const directory = createApplicationDirectory({ database, applications: createApplicationStore({ database, clock }) })
  const ledger = keepLedger({ database, group, clock, log, opened })
  const time = keepServiceTime({ database, group, clock, log, ttlClock: config.ttlClock, opened })

  serviceLog.naming(directory)
  const key = sealingKeyOf(config, database, clock, log)
  const devices = createDeviceStore({ database, clock })
  const events = createEventStore({ database })
  const pushes = createPushStore({ database })
  const credentials = createCredentialStore({ database, clock, key })
  const finished = createFinishedStore({ database, events })
  const ca = await authoritiesIn(config.gatewayCa)
  if (config.proxy !== null) await tryProxy(config.proxy, config.apnsUrl, clock, log)
  const context = {
    config,
    clock,
    time,
    log,
    random,
    database,
    commit,
    key,
    directory,
    credentials,
    devices,
    events,
    pushes,
    finished,
    ledger,
    metrics,
  }
  const { rsaKeys, openTransport, resolve, keyAgreement } = overrides
  const senders = await startSenders({ ...context, ca, opened, rsaKeys, openTransport, resolve, keyAgreement })
  const { pool } = senders
  const webhookStore = createWebhookStore({ database, clock, key })
  const webhooks = startWebhookSender({
    clock: time,
    log,
    random,
    commit,
    events,
    webhooks: webhookStore,
    post: overrides.post ?? createPost({ clock, ca, allowPrivate: config.webhookPrivate }),
    onTry: (application, outcome) => metrics.webhooks.note(application, outcome),
  })
  opened.defer(() => webhooks.close())

  const cancellations = createCancelStore({ database })
  const scheduled = createScheduleStore({ database })
  const schedule = startSchedule({
    clock,
    time,
    log,
    commit,
    store: {
      next: scheduled.next,
      release(dueBy, now, limit) {
        const released = scheduled.release(dueBy, now, limit)
        // One that nobody is there for is over at once.
        for (const each of released) finished.tell(each, now)
        return released
      },
    },
    wake: (application, push) => pool.wake(application, push),
  })
  opened.defer(() => schedule.stop())

  opened.defer(followChanges({ ...context, senders, cancellations, schedule }))

  const disk = overrides.disk ?? (() => diskOf(config.data))
  const hasRoom = createDiskGuard({ clock, disk })
  opened.defer(keepReserve({ clock, log, directory: config.data, disk }))
  const idOf = createIdOf(config.headerPrefix ?? [])
  const refusals = createRefusalLog({
    clock,
    log,
    routeOf: (url) => api.routeOf(url),
    applicationOf: (headers) => directory.byId(idOf(headers) ?? '')?.id ?? null,
  })
  const onRefused = refusals.note
  const userKeys = createUserKeyStore({ database, clock, key })
  const service = {
    ...context,
    judgeProof: createJudgeProof({ clock, directory, userKeys }),
    onRefused,
    schedule,
    senders,
    hasRoom,
  }
  const makeApi = overrides.publicApi ?? createPublicApi
  const auditLog = createAdminLogStore(context)
  const calls = createCallLog({ ...context, log: auditLog, onError: noted(log) })
  const api = makeApi(publicParts({ ...service, calls }, createServiceAdmission({ ...context, onRefused })))
  let closing: Promise<void> | null = null
  const changed = () => {
    try {
      directory.refresh()
    } catch (error) {
      log.error('what a command has changed cannot be read', { error: String(error) })
    }
  }
  const settled = () => commit(() => undefined)
  const serveCommand = overrides.serveCommand?.({
    data: config.data,
    database,
    key,
    adminHost: () => new URL(listeners.adminUrl).host,
    pauseOf: (application, platform) => pool.pauseOf(application, platform),
    deliveries: pool,
    received: createInbox({ simulator: senders.runningSimulator, applications: () => directory.all() }),
    pushing: (view) =>
      servicePushing({
        ...service,
        calls: null,
        database: view,
        async commit(operation) {
          const result = view.transact(operation)
          await settled()
          return result
        },
      }),
    changed: () => directory.reload(),
    settled,
    isStopping: () => closing !== null,
    log,
  })
  const admin = startAdminSide({
    ...context,
    disk,
    damage,
    files,
    senders,
    opened,
    ca,
    recentLines: serviceLog.recentLines,
    publicUrl: () => config.publicUrl ?? listeners.url,
    earlyEnds: () => listeners.earlyEnds(),
    serveCommand: serveCommand ?? null,
    onBehalf: () => createOnBehalf(service),
  })

  const sweeps = [
    ...createSweeps({ database, devices, ledger, webhooks: webhookStore, keepGone: config.keepGone }),
    ...admin.sweeps,
  ]
  opened.defer(startRetention({ clock, log, commit, sweeps }))
  const sayTheRest = () => {
    serviceLog.look()
    refusals.look()
  }
  opened.defer(every(clock, MINUTE_MS, sayTheRest))
  opened.defer(every(clock, LOOP_TICK_MS, () => metrics.loop.tick()))

  const listeners = openListeners({
    config,
    clock,
    log,
    api: api.app,
    adminApi: admin.api,
    tls,
    ...(overrides.listen && { open: overrides.listen }),
    onAnswer: (request, response, ms) =>
      metrics.calls.note(api.routeOf(request.url), request.method, response.status, ms / 1000),
    onEnded: (connections) => (metrics.endedConnections += connections),
    opened,
  })
  const socket =
    serveCommand && openCommandSocket({ data: config.data, clock, log, serve: serveCommand, onChanged: changed })
  opened.defer(() => socket?.stop())
  const { url, adminUrl } = listeners
  const { startedBy } = overrides
  if (startedBy !== undefined) noteStart(startedBy, { config, commit, log: auditLog }).catch(noted(log))
  log.info('serving', { version: VERSION, url, admin: adminUrl, data: config.data })

  const stack = opened.move()
  return {
    url,
    adminUrl,
    broken: broken.promise,
    async setupUrl() {
      const link = admin.setupLink()
      return link === null ? null : linkUrl(adminUrl, link)
    },
    simulator: senders.simulator,
    reload: listeners.reload,
    changed,
    unwritten: () => pool.unwritten(),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  }

  async function close(): Promise<void> {
    log.info('stopping')
    files.giveUp()
    const drained = Promise.all([listeners.stop(), pool.stop(), webhooks.stop(), socket?.stop()])
    const inTime = await within(
      clock,
      config.drainSeconds * 1000,
      drained.then(() => true),
      false,
    )
    if (!inTime) log.warn('stopped before everything in flight was answered', { drainSeconds: config.drainSeconds })
    // Whatever the ledger still holds.
    await commit(() => undefined).catch(noted(log))
    await stack.disposeAsync()
    sayTheRest()
    const unwritten = pool.unwritten()
    if (unwritten.notifications > 0) log.error('what was sent could not be written down', { ...unwritten })
    log.info('stopped')
  }
}
