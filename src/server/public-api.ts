import type { ApplicationDirectory } from '../application/application-directory.ts'
import type { CredentialStore } from '../application/credential-store.ts'
import type { JudgeProof } from '../application/user-proofs.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Commit } from '../database/group-commit.ts'
import { compatRoutes } from '../device/compat/compat-routes.ts'
import { compatShape } from '../device/compat/compat-schema.ts'
import { devicePropertyRoutes } from '../device/routes/device-property-routes.ts'
import { deviceRoutes } from '../device/routes/device-routes.ts'
import type { DeviceStore } from '../device/device-store.ts'
import { createFeedbackStore } from '../device/feedback-store.ts'
import { browserRoutes } from '../device/webpush/browser-routes.ts'
import { registryRoutes } from '../device/routes/registry-routes.ts'
import { userRoutes } from '../device/routes/user-routes.ts'
import { apnsIdOf } from '../gateway/apns/protocol.ts'
import { createApi } from '../http/api.ts'
import type { OnRefused } from '../http/failures.ts'
import type { Gate } from '../http/gate.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import { cancelRoutes } from '../push/cancel-routes.ts'
import { createCounting } from '../push/counting.ts'
import { createExplainStore } from '../push/explain/explain-store.ts'
import { previewRoutes } from '../push/preview/preview-routes.ts'
import { pushRoutes } from '../push/push-routes.ts'
import type { PushStore } from '../push/push-store.ts'
import { createPushing } from '../push/pushing.ts'
import type { Schedule } from '../push/schedule/schedule.ts'
import { statusRoutes } from '../push/status/status-routes.ts'
import { createStatusStore } from '../push/status/status-store.ts'
import type { Config } from '../settings/parse.ts'
import { statsRoutes } from '../stats/stats-routes.ts'
import { createStatsStore } from '../stats/stats-store.ts'
import { WEBHOOKS } from '../webhook/event-schema.ts'
import type { EventStore } from '../webhook/event-store.ts'
import { createForgetUser } from './erase-user.ts'
import { createGrowthBounds } from './growth-bounds.ts'
import type { Senders } from './senders.ts'

export interface PublicApiParts {
  readonly config: Pick<Config, 'compat' | 'docs' | 'headerPrefix' | 'pushServices'>
  readonly clock: Clock
  readonly log: Log
  readonly onRefused: OnRefused
  readonly database: Database
  readonly commit: Commit
  readonly gate: Gate
  readonly metrics: Metrics
  readonly devices: DeviceStore
  readonly judgeProof: JudgeProof
  readonly credentials: Pick<CredentialStore, 'summaries'>
  readonly directory: Pick<ApplicationDirectory, 'byId' | 'refresh'>
  readonly pushes: PushStore
  readonly events: Pick<EventStore, 'pushOpened'>
  readonly schedule: Pick<Schedule, 'wake'>
  readonly senders: Pick<Senders, 'pool' | 'providers'>
  /** Whether there is room on the disk for what is new. */
  readonly hasRoom: () => boolean
}

/** Pushes of the service: counted with care, and sent at once. */
export function servicePushing(parts: Omit<PublicApiParts, 'gate'>, counting = createCounting(parts)) {
  const { database, clock, commit, hasRoom, metrics, schedule, senders } = parts
  const { pool, providers } = senders
  return createPushing({
    database,
    clock,
    commit,
    credentials: parts.credentials,
    apnsIdentity: (application) => providers.apnsIdentity(application),
    counting,
    hasRoom,
    wake: (application, push) => pool.wake(application, push),
    wakeSchedule: () => schedule.wake(),
    onAccepted: (application, when) => metrics.pushes.note(application, when),
  })
}

/** The public API: every noun's routes behind the gate. */
export function createPublicApi(deps: PublicApiParts) {
  const { config, clock, log, database, commit, gate, metrics, devices, pushes, judgeProof } = deps
  const { pool } = deps.senders
  const { compat } = config
  const bounds = createGrowthBounds({ clock, log, metrics, hasRoom: deps.hasRoom })
  const counting = createCounting({ clock })
  const { accept, preview, cancel, checkSize, reach } = servicePushing(deps, counting)
  return createApi({
    gate,
    log,
    onRefused: deps.onRefused,
    compat,
    headerPrefixes: config.headerPrefix ?? [],
    documented: config.docs === 'on',
    webhooks: WEBHOOKS,
    pages: [browserRoutes({ directory: deps.directory, credentials: deps.credentials })],
    routes: [
      deviceRoutes({
        gate,
        commit,
        devices,
        bounds,
        judgeProof,
        pushServices: config.pushServices ?? [],
        log,
        aliasesOpen: compat,
      }),
      devicePropertyRoutes({
        gate,
        commit,
        devices,
        bounds,
        judgeProof,
        badgeSet: (application, platform, device) => pool.badgeSet(application, platform, device),
        aliasesOpen: compat,
      }),
      registryRoutes({
        gate,
        devices,
        feedback: createFeedbackStore({ database }),
        ...(compat && { shape: compatShape }),
      }),
      userRoutes({ gate, eraseUser: createForgetUser({ database }, commit) }),
      pushRoutes({
        gate,
        accept,
        devices,
        checkSize,
        reach,
        compat,
      }),
      previewRoutes({
        gate,
        clock,
        counting,
        devices,
        compat,
        preview,
        reach,
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
        compat,
        cancellations: { cancel },
        deliveries: pool,
      }),
      statsRoutes({
        gate,
        commit,
        clock,
        stats: createStatsStore({ database, pushes, events: deps.events }),
        counted: (application, event) => metrics.receipts.note(application, event),
      }),
      ...(compat ? [compatRoutes({ gate, commit, devices, bounds })] : []),
    ],
  })
}
