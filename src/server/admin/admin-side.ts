import { createSecondFactorStore } from '../../account/second-factor-store.ts'
import { startBackups } from '../../backup/start-backups.ts'
import { createAdminApi } from '../../admin/admin-api.ts'
import { createAdminGate } from '../../admin/admin-gate.ts'
import { createAdminLinkStore } from '../../admin/session/admin-link-store.ts'
import { createAdminLogStore } from '../../admin/admin-log-store.ts'
import { createAdminSessionStore } from '../../admin/session/admin-session-store.ts'
import { createAdminTokenStore } from '../../admin/admin-token-store.ts'
import { createAdministratorStore } from '../../admin/administrator-store.ts'
import { createRealThings } from '../../admin/real-things-store.ts'
import { createAuthorityOf } from '../../admin/authority.ts'
import { createPasswords } from '../../admin/password.ts'
import type { Argon2 } from '../../admin/password.ts'
import { pageRoutes } from '../../admin/page/page-routes.ts'
import { createAuditedCalls } from '../../admin/audited-calls.ts'
import { administratorRoutes } from '../../admin/routes/administrator-routes.ts'
import { auditRoutes } from '../../admin/routes/audit-routes.ts'
import { onBehalfRoutes } from '../../admin/routes/on-behalf-routes.ts'
import type { OnBehalf } from '../public/on-behalf.ts'
import { resendRoutes } from '../../admin/routes/resend-routes.ts'
import { sampleRoutes } from '../../admin/routes/sample-routes.ts'
import { createCounting } from '../../push/counting.ts'
import { commandRoutes } from '../../admin/routes/command-routes.ts'
import type { ServeCommand } from '../../admin/command-call.ts'
import { secondFactorRoutes } from '../../admin/routes/second-factor-routes.ts'
import { linkRoutes } from '../../admin/routes/link-routes.ts'
import { sessionRoutes } from '../../admin/routes/session-routes.ts'
import { createArrival } from '../../admin/session/arrival.ts'
import { createKnownBrowsers } from '../../admin/session/known-browsers.ts'
import { createSecondSteps } from '../../admin/session/second-step.ts'
import { createSignIn } from '../../admin/session/sign-in.ts'
import { createApplicationView } from '../../admin/view/application-view.ts'
import { arrivalRoutes } from '../../admin/routes/arrival-routes.ts'
import { applicationRoutes } from '../../admin/routes/application-routes.ts'
import { credentialRoutes } from '../../admin/routes/credential-routes.ts'
import { createApplicationStore } from '../../application/application-store.ts'
import { createUserKeyStore } from '../../application/user-key-store.ts'
import { createRegistrySizeStore } from '../../device/registry-size-store.ts'
import { createStatusStore } from '../../push/status/status-store.ts'
import { createHookStore } from '../../hook/hook-store.ts'
import { createWebhookStore } from '../../webhook/webhook-store.ts'
import { createEraseContents } from '../erasure/erase-application.ts'
import { createEventStreams } from '../../admin/event-stream.ts'
import { createOverview } from '../../admin/view/overview.ts'
import { createPushView } from '../../admin/view/push-view.ts'
import { pushOverviewRoutes } from '../../admin/routes/push-overview-routes.ts'
import type { Platform } from '../../device/device.ts'
import { createFeedbackStore } from '../../device/feedback-store.ts'
import { createRegistryDays } from '../../device/registry-day-store.ts'
import { createScheduleStore } from '../../push/schedule/schedule-store.ts'
import { createPushSummaryStore } from '../../push/status/push-summary-store.ts'
import { createTallyReader } from '../../stats/tally-store.ts'
import { createWebhookList } from '../../webhook/webhook-store.ts'
import { createDevicesView } from '../../admin/view/device-view.ts'
import { deviceViewRoutes } from '../../admin/routes/device-view-routes.ts'
import { operationRoutes } from '../../admin/routes/operation-routes.ts'
import type { RecentLines } from '../../admin/routes/operation-routes.ts'
import { alertRoutes } from '../../admin/routes/alert-routes.ts'
import { hookAdminRoutes } from '../../admin/routes/hook-routes.ts'
import { webhookRoutes } from '../../admin/routes/webhook-routes.ts'
import { createDeviceSearch } from '../../device/device-search-store.ts'
import { createNewestDevices } from '../../device/newest-device-store.ts'
import { createExplainStore } from '../../push/explain/explain-store.ts'
import { createCallerOf } from '../../http/client-address.ts'
import { logError } from '../../log.ts'
import { startMonitoring } from './monitoring-side.ts'
import type { Senders } from '../sending/senders.ts'
import type { MonitoringParts } from './monitoring-side.ts'

interface Dependencies extends Omit<MonitoringParts, 'schedule'> {
  readonly senders: MonitoringParts['senders'] & { readonly providers: Pick<Senders['providers'], 'apnsSigning'> }
  readonly onBehalf: () => OnBehalf
  readonly publicUrl: () => string
  readonly arrivals: Parameters<typeof arrivalRoutes>[0]['arrivals']
  readonly moves: Parameters<typeof applicationRoutes>[0]['moves']
  readonly recentLines: RecentLines
  readonly serveCommand: ServeCommand | null
  readonly argon2: Argon2 | undefined
}

export function startAdminSide(deps: Dependencies) {
  const { config, clock, damage, database, opened } = deps
  const schedule = opened.use(startBackups(config, { clock, log: damage.log }))
  const monitoring = startMonitoring({ ...deps, schedule })
  const stored = { database, clock }
  const stores = {
    administrators: createAdministratorStore(stored),
    sessions: createAdminSessionStore(stored),
    links: createAdminLinkStore(stored),
    adminLog: createAdminLogStore(stored),
  }
  const { administrators, sessions, links, adminLog } = stores
  const streams = createEventStreams({ clock })
  opened.defer(() => streams.close())
  let made: ReturnType<typeof createAdminApi> | null = null
  return {
    alerts: monitoring.alerts,
    api: () => (made ??= adminApi({ ...deps, ...stores, schedule, monitoring, streams })),
    /**
     * The secret of a link that creates the first administrator; `null`: there is one. Not necessarily on disk: after a
     * power cut the next start makes another.
     */
    setupLink: () => (administrators.any() ? null : database.transact(() => links.make(null, null))),
    readiness: monitoring.readiness,
    sweeps: [
      (now: number) => sessions.sweep(now),
      (now: number) => links.sweep(now),
      (now: number) => adminLog.sweep(now),
    ],
  }
}

interface Parts extends Dependencies {
  readonly schedule: ReturnType<typeof startBackups>
  readonly monitoring: ReturnType<typeof startMonitoring>
  readonly streams: ReturnType<typeof createEventStreams>
  readonly administrators: ReturnType<typeof createAdministratorStore>
  readonly sessions: ReturnType<typeof createAdminSessionStore>
  readonly links: ReturnType<typeof createAdminLinkStore>
  readonly adminLog: ReturnType<typeof createAdminLogStore>
}

function adminApi(parts: Parts) {
  const { config, clock, damage, database, commit, directory, credentials, ledger } = parts
  const { schedule, monitoring, streams, administrators, sessions, links, adminLog, publicUrl } = parts
  const { pool } = parts.senders
  const { log } = damage
  const { progress } = monitoring
  const onBehalf = parts.onBehalf()
  const stored = { database, clock }
  const tokens = createAdminTokenStore(stored)
  const passwords = createPasswords(parts.argon2)
  const names = new Set([config.adminListen.host, ...(config.adminHost ?? [])].map((name) => name.toLowerCase()))
  const secondFactors = createSecondFactorStore({ ...stored, key: parts.key })
  const secondSteps = createSecondSteps({ clock, administrators, secondFactors })
  const authorityOf = createAuthorityOf({ sessions, tokens, commit, onError: logError(log) })
  const calls = createAuditedCalls({ database, commit, log: adminLog, onError: logError(log) })
  const callerOf = createCallerOf({ trusted: config.trustedProxies, onStranger: () => {} })
  const gate = createAdminGate({ calls, names, authorityOf, tokens, callerOf, passwords })
  const sealed = { ...stored, key: parts.key }
  const webhooks = createWebhookStore(sealed)
  const sizes = createRegistrySizeStore({ database })
  const daily = createTallyReader({ database })
  const view = createApplicationView({
    clock,
    credentials,
    webhooks,
    userKeys: createUserKeyStore(sealed),
    sizes,
    daily,
    ledger,
    senders: () => pool.stats(),
  })
  const statuses = createStatusStore({ database })
  const summaries = createPushSummaryStore({ database })
  const pauseOf = (application: number, platform: Platform) => pool.pauseOf(application, platform)
  const holdSecondsOf = (application: number) => directory.byNumber(application)?.limits.holdSeconds ?? 0
  const { passedZones } = createScheduleStore({ database })
  const pushes = createPushView({ clock, statuses, summaries, passedZones, pauseOf, holdSecondsOf })
  const webhookList = createWebhookList({ database })
  const search = createDeviceSearch({ database })
  const overview = createOverview({
    clock,
    applications: () => directory.all(),
    daily,
    feedback: createFeedbackStore({ database }),
    registered: createRegistryDays({ database }).registeredSince,
    counts: monitoring.counts,
    store: monitoring.store,
    readiness: monitoring.readiness,
    credentials,
    webhooks: webhookList,
    summaries,
    pushes,
  })
  const isGood = (request: Request) => authorityOf(request, false) !== null
  const behind = { gate, clock, commit, directory, log: adminLog }
  const browsers = createKnownBrowsers({ key: parts.key, clock })
  const signIn = createSignIn({ clock, administrators, passwords, browsers })
  const arrival = createArrival({ administrators, sessions, browsers, log: adminLog, publicUrl })
  return createAdminApi({
    log,
    gate,
    calls,
    routes: [
      pageRoutes(),
      monitoring.routes(),
      sessionRoutes({ ...behind, administrators, sessions, passwords, signIn, secondSteps, arrival }),
      linkRoutes({ ...behind, administrators, links, passwords, secondSteps, arrival }),
      secondFactorRoutes({ ...behind, secondFactors, secondSteps }),
      applicationRoutes({
        ...behind,
        applications: createApplicationStore(stored),
        view,
        moves: parts.moves,
        realThings: createRealThings({ database, credentials }),
        eraseContents: createEraseContents({ database }, commit),
        onError: logError(log),
      }),
      arrivalRoutes({ ...behind, arrivals: parts.arrivals }),
      credentialRoutes({
        ...behind,
        view,
        credentials,
        async test({ number, id, name }, credential) {
          const stopwatch = () => performance.now()
          const examined = {
            application: { id, name },
            credential,
            signing: parts.senders.providers.apnsSigning({ number, id }),
          }
          const { examineCredential } = await import('../../doctor/gateways/examine-gateways.ts')
          const checks = await examineCredential(examined, { config, ca: parts.ca, clock, stopwatch })
          return checks.map(({ state, found, advice }) => ({ state, text: found, fix: advice }))
        },
      }),
      pushOverviewRoutes({ ...behind, progress, pushes, streams, isGood, overview }),
      deviceViewRoutes({
        ...behind,
        search,
        devices: createDevicesView({
          search,
          newest: createNewestDevices({ database }),
          statuses,
          summaries,
          explanations: createExplainStore({ database }),
          pauseOf,
        }),
      }),
      webhookRoutes({ ...behind, webhooks, webhookList, allowPrivate: config.webhookPrivate }),
      alertRoutes({ ...behind, alerts: monitoring.alerts }),
      hookAdminRoutes({ ...behind, hooks: createHookStore(sealed), devices: parts.devices, pushing: onBehalf.pushing }),
      operationRoutes({ ...behind, backups: schedule, streams, isGood, recentLines: parts.recentLines }),
      resendRoutes({
        ...behind,
        progress,
        counting: createCounting({ clock }),
        resend: onBehalf.pushing.resend,
        calls: onBehalf,
      }),
      onBehalfRoutes({ ...behind, api: onBehalf.api, calls: onBehalf }),
      administratorRoutes({ ...behind, administrators, links, tokens }),
      auditRoutes(behind),
      sampleRoutes(behind),
      ...(parts.serveCommand === null ? [] : [commandRoutes({ gate, clock, isGood, serve: parts.serveCommand })]),
    ],
  })
}
