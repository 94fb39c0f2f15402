import { createAudienceCount } from '../audience/audience-count.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Commit } from '../database/group-commit.ts'
import { compatRoutes } from '../device/compat/compat-routes.ts'
import { compatShape } from '../device/compat/compat-schema.ts'
import { deviceRoutes } from '../device/device-routes.ts'
import type { DeviceStore } from '../device/device-store.ts'
import { createFeedbackStore } from '../device/feedback-store.ts'
import { registryRoutes } from '../device/registry-routes.ts'
import { apnsIdOf } from '../gateway/apns/protocol.ts'
import { previewApns, previewFcm } from '../gateway/preview.ts'
import { createApi } from '../http/api.ts'
import type { OnRefused } from '../http/failures.ts'
import type { Gate } from '../http/gate.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import { apnsBytes } from '../notification/apns-render.ts'
import { fcmBytes } from '../notification/fcm-render.ts'
import { createSizeCheck } from '../notification/rendered-size.ts'
import { createAcceptance } from '../push/accept.ts'
import { cancelRoutes } from '../push/cancel-routes.ts'
import type { CancelStore } from '../push/cancel-store.ts'
import { createCounting } from '../push/counting.ts'
import { createExplainStore } from '../push/explain-store.ts'
import type { FinishedStore } from '../push/finished-store.ts'
import { createIdempotencyStore } from '../push/idempotency-store.ts'
import { previewRoutes } from '../push/preview/preview-routes.ts'
import { createSampler } from '../push/preview/preview-store.ts'
import { pushRoutes } from '../push/push-routes.ts'
import type { PushStore } from '../push/push-store.ts'
import type { ScheduleStore } from '../push/schedule-store.ts'
import type { Schedule } from '../push/schedule.ts'
import { statusRoutes } from '../push/status-routes.ts'
import { createStatusStore } from '../push/status-store.ts'
import type { Config } from '../settings/parse.ts'
import { statsRoutes } from '../stats/stats-routes.ts'
import { createStatsStore } from '../stats/stats-store.ts'
import { WEBHOOKS } from '../webhook/event-schema.ts'
import { createGrowthBounds } from './growth-bounds.ts'
import type { Senders } from './senders.ts'

interface Dependencies {
  readonly config: Pick<Config, 'compat' | 'docs' | 'headerPrefix'>
  readonly clock: Clock
  readonly log: Log
  readonly onRefused: OnRefused
  readonly database: Database
  readonly commit: Commit
  readonly gate: Gate
  readonly metrics: Metrics
  readonly devices: DeviceStore
  readonly pushes: PushStore
  readonly scheduled: ScheduleStore
  readonly schedule: Pick<Schedule, 'look'>
  readonly cancellations: CancelStore
  readonly finished: FinishedStore
  readonly senders: Pick<Senders, 'pool' | 'providers'>
  /** Whether there is room on the disk for what is new. */
  readonly hasRoom: () => boolean
}

/** Of a caller that stays. */
const NEVER = new AbortController().signal

/** The public API: every noun's routes behind the gate. */
export function createPublicApi(deps: Dependencies) {
  const { config, clock, log, database, commit, gate, metrics, devices, cancellations, finished, pushes } = deps
  const { pool, providers } = deps.senders
  const { compat } = config
  const count = createAudienceCount({ database })
  const bounds = createGrowthBounds({ clock, log, metrics, hasRoom: deps.hasRoom })
  const counting = createCounting({ clock })
  const checkSize = createSizeCheck({ 0: apnsBytes, 1: fcmBytes })
  const accept = createAcceptance({
    commit,
    clock,
    pushes,
    schedule: deps.scheduled,
    idempotency: createIdempotencyStore({ database }),
    count: (application, filter, caller = NEVER) =>
      counting(application, caller, (signal) => count(application, filter, signal)),
    wake: (application) => pool.wake(application),
    look: () => deps.schedule.look(),
    hasRoom: deps.hasRoom,
  })
  return createApi({
    gate,
    log,
    onRefused: deps.onRefused,
    compat,
    headerPrefixes: config.headerPrefix ?? [],
    documented: config.docs === 'on',
    webhooks: WEBHOOKS,
    routes: [
      deviceRoutes({
        gate,
        commit,
        devices,
        bounds,
        badgeSet: (application, platform, device) => pool.badgeSet(application, platform, device),
        aliasesOpen: compat,
      }),
      registryRoutes({
        gate,
        devices,
        feedback: createFeedbackStore({ database }),
        ...(compat && { shape: compatShape }),
      }),
      pushRoutes({
        gate,
        async accept(application, request) {
          const accepted = await accept(application, request)
          metrics.pushes.note(application.number, accepted.message === 'Queued' ? 'now' : 'later')
          return accepted
        },
        devices,
        checkSize,
        compat,
      }),
      previewRoutes({
        gate,
        clock,
        counting,
        devices,
        compat,
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
        compat,
        cancellations: {
          cancel(application, id, now) {
            const outcome = cancellations.cancel(application, id, now)
            if (outcome.kind === 'cancelled') finished.tellCancelled(application, id, now)
            return outcome
          },
        },
        deliveries: pool,
      }),
      statsRoutes({ gate, commit, clock, stats: createStatsStore({ database, pushes }) }),
      ...(compat ? [compatRoutes({ gate, commit, devices, bounds })] : []),
    ],
  })
}
