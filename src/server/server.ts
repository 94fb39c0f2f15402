import { linkUrl } from '../admin/admin-secret.ts'
import { createApplicationDirectory } from '../application/application-directory.ts'
import { createApplicationStore } from '../application/application-store.ts'
import { createCredentialStore } from '../application/credential-store.ts'
import { every, MINUTE_MS, systemClock, within } from '../clock.ts'
import type { Unwritten } from '../delivery/sender-stats.ts'
import { createDeviceStore } from '../device/device-store.ts'
import type { Simulator } from '../gateway/simulator/simulator.ts'
import { authoritiesIn } from '../gateway/transport/authorities.ts'
import { logError } from '../log.ts'
import { createMetrics } from '../monitoring/metrics.ts'
import { LOOP_TICK_MS } from '../monitoring/loop-delay.ts'
import { diskOf } from '../monitoring/storage.ts'
import { createFinishedStore } from '../push/finished-store.ts'
import { createPushStore } from '../push/push-store.ts'
import type { Config } from '../settings/parse.ts'
import { VERSION } from '../version.ts'
import { createEventStore } from '../webhook/event-store.ts'
import { createPost } from '../webhook/post.ts'
import { startWebhookSender } from '../webhook/webhook-sender.ts'
import { createWebhookStore } from '../webhook/webhook-store.ts'
import { startAdminSide } from './admin/admin-side.ts'
import { commandSide } from './command/command-side.ts'
import { openDurably } from './storage/durable-database.ts'
import { createDiskGuard, keepReserve } from './storage/disk-room.ts'
import { followChanges, takeUp } from './sending/follow-changes.ts'
import { createOnBehalf } from './public/on-behalf.ts'
import type { Overrides } from './overrides.ts'
import { startMoveSide, whereApplicationsAre } from './move/move-side.ts'
import { publicSide } from './public/public-side.ts'
import { openListeners } from './listen/listeners.ts'
import { createSweeps, startRetention } from './storage/retention.ts'
import { startScheduled, startSenders } from './sending/senders.ts'
import { keepLedger, keepServiceTime } from './storage/alongside.ts'
import { createServiceLog } from './log/service-log.ts'
import { lockDataDirectory, freeReserve, sealingKeyOf, tlsIn, probeProxy, upgradeFirst } from './start/start-checks.ts'
import { noteStart } from './start/started-settings.ts'
import type { Service } from './service.ts'

/** A sentence without its full stop. */
interface Breakdown {
  readonly kind: 'disk-failed' | 'database-gone'
  readonly message: string
}

export interface Server extends AsyncDisposable {
  /** Such as `http://127.0.0.1:8790`. */
  readonly url: string
  readonly adminUrl: string
  /** Resolves when the process must exit at once. */
  readonly broken: Promise<Breakdown>
  /** A link that creates the first administrator, valid once and for 30 minutes; `null`: there is one. */
  setupUrl(): Promise<string | null>
  /** Started on first use. */
  simulator(): Promise<Simulator>
  /** Reads the TLS files now instead of within a minute. */
  reload(): void
  /** Reads what another process has changed in the database. */
  changed(): void
  /** Sent but not on disk. The next start sends it again. */
  unwritten(): Unwritten
}

/**
 * Disposing it stops the service gracefully within `drainSeconds`. Throws `StartRefused` for what only the operator can
 * change.
 */
export async function createServer(config: Config, overrides: Overrides = {}): Promise<Server> {
  const clock = overrides.clock ?? systemClock
  const random = overrides.random ?? Math.random
  const serviceLog = createServiceLog(config, clock, overrides.log)
  const { damage } = serviceLog
  const { log } = damage
  const tls = tlsIn(config)
  // Closed in reverse, also when a later step refuses.
  await using opened = new AsyncDisposableStack()

  freeReserve(config.data, log)
  opened.use(lockDataDirectory(config.data))
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
  if (config.proxy !== null) await probeProxy(config.proxy, config.apnsUrl, clock, log)
  const stores = { credentials, devices, events, pushes, finished }
  const context: Service = {
    config,
    clock,
    time,
    log,
    random,
    database,
    commit,
    key,
    ca,
    directory,
    ledger,
    metrics,
    opened,
    ...stores,
  }
  const { rsaKeys, openTransport, resolve, keyAgreement } = overrides
  const senders = await startSenders({ ...context, rsaKeys, openTransport, resolve, keyAgreement })
  const { pool } = senders
  const webhookStore = createWebhookStore({ database, clock, key })
  const post = overrides.post ?? createPost({ clock, ca, allowPrivate: config.webhookPrivate })
  const webhooks = startWebhookSender({
    clock: time,
    log,
    random,
    commit,
    events,
    webhooks: webhookStore,
    post,
    onTry: (application, outcome) => metrics.webhooks.note(application, outcome),
  })
  opened.defer(() => webhooks.close())

  const { moves, hooks, forwarding } = whereApplicationsAre(context)
  const schedule = startScheduled(context, senders)
  opened.defer(followChanges(context, senders, schedule))

  const disk = overrides.disk ?? (() => diskOf(config.data))
  const hasRoom = createDiskGuard({ clock, disk })
  opened.defer(keepReserve(config.data, log, { clock, disk }))
  const { api, service, refusals } = publicSide(
    { ...context, schedule, senders, hasRoom, hooks, forwarding },
    overrides.publicApi,
  )
  let closing: Promise<void> | null = null
  const publicUrl = () => config.publicUrl ?? listeners.url
  const moving = startMoveSide({ ...context, moves, hooks, senders, webhooks, disk, hasRoom, publicUrl })
  const changed = () => takeUp(context)
  const commands = commandSide(
    {
      ...service,
      adminHost: () => new URL(listeners.adminUrl).host,
      isStopping: () => closing !== null,
      departures: moving.departures,
      testAlert: (alert) => admin.alerts.test(alert),
    },
    overrides.serveCommand,
  )
  const admin = startAdminSide({
    ...context,
    disk,
    damage,
    files,
    senders,
    recentLines: serviceLog.recentLines,
    publicUrl,
    ...moving,
    earlyEnds: () => listeners.earlyEnds(),
    serveCommand: commands?.serve ?? null,
    argon2: overrides.argon2,
    onBehalf: () => createOnBehalf(service),
    post,
  })

  const sweeps = createSweeps(context, webhookStore)
  opened.defer(startRetention({ clock, log, commit, sweeps: [...sweeps, ...admin.sweeps] }))
  const flushSuppressed = () => {
    serviceLog.look()
    refusals.look()
  }
  opened.defer(every(clock, MINUTE_MS, flushSuppressed))
  opened.defer(every(clock, LOOP_TICK_MS, () => metrics.loop.tick()))

  const listeners = openListeners({
    config,
    clock,
    log,
    api: api.app,
    adminApi: admin.api,
    tls,
    elsewhere: forwarding.answer,
    ...(overrides.listen && { open: overrides.listen }),
    onAnswer: (request, response, ms) =>
      metrics.calls.note(api.routeOf(request.url), request.method, response.status, ms / 1000),
    onEnded: (connections) => (metrics.endedConnections += connections),
    opened,
  })
  const socket = commands?.listen(changed, admin.readiness)
  opened.defer(() => socket?.stop())
  const { url, adminUrl } = listeners
  noteStart(overrides.startedBy, context).catch(logError(log))
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
    await commit(() => undefined).catch(logError(log))
    await stack.disposeAsync()
    flushSuppressed()
    const unwritten = pool.unwritten()
    if (unwritten.notifications > 0) log.error('results could not be stored', { ...unwritten })
    log.info('stopped')
  }
}
