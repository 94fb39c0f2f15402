import type { CallLog } from '../admin/call-log.ts'
import type { ApplicationDirectory } from '../application/application-directory.ts'
import type { CredentialStore } from '../application/credential-store.ts'
import type { JudgeProof } from '../application/user-proofs.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Commit } from '../database/group-commit.ts'
import type { DeviceStore } from '../device/device-store.ts'
import { createFeedbackStore } from '../device/feedback-store.ts'
import type { Admit } from '../http/admission.ts'
import type { OnRefused } from '../http/failures.ts'
import type { GateOptions } from '../http/gate.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import { createCounting } from '../push/counting.ts'
import { createExplainStore } from '../push/explain/explain-store.ts'
import type { PushStore } from '../push/push-store.ts'
import { createPushing } from '../push/pushing.ts'
import type { Schedule } from '../push/schedule/schedule.ts'
import { createStatusStore } from '../push/status/status-store.ts'
import type { Config } from '../settings/parse.ts'
import { createStatsStore } from '../stats/stats-store.ts'
import type { EventStore } from '../webhook/event-store.ts'
import { createForgetUser } from './erase-user.ts'
import { createGrowthBounds } from './growth-bounds.ts'
import type { Senders } from './senders.ts'

export interface PublicApiService {
  readonly config: Pick<Config, 'compat' | 'docs' | 'headerPrefix' | 'pushServices'>
  readonly clock: Clock
  readonly log: Log
  readonly onRefused: OnRefused
  readonly database: Database
  readonly commit: Commit
  readonly metrics: Metrics
  readonly devices: DeviceStore
  readonly judgeProof: JudgeProof
  readonly credentials: Pick<CredentialStore, 'summaries'>
  readonly directory: Pick<ApplicationDirectory, 'byId' | 'refresh'>
  readonly pushes: PushStore
  readonly events: Pick<EventStore, 'pushOpened'>
  readonly schedule: Pick<Schedule, 'wake'>
  readonly senders: Pick<Senders, 'pool' | 'providers'>
  /** Has what backends do in the audit log; `null`: whoever hands on their calls sees to that. */
  readonly calls: Pick<CallLog, 'commit' | 'during'> | null
  /** Whether there is room on the disk for what is new. */
  readonly hasRoom: () => boolean
}

/** Who may call. */
export interface AdmissionRules extends GateOptions {
  readonly admit: Admit
}

export type PublicParts = ReturnType<typeof publicParts>

/** What the routes of the public API work with, of one service; they themselves keep nothing. */
export function publicParts(service: PublicApiService, admission: AdmissionRules) {
  const { clock, log, commit, database, devices, metrics, pushes, hasRoom, events } = service
  const counting = createCounting({ clock })
  return {
    config: service.config,
    clock,
    log,
    commit,
    onRefused: service.onRefused,
    admission,
    directory: service.directory,
    credentials: service.credentials,
    devices,
    judgeProof: service.judgeProof,
    bounds: createGrowthBounds({ clock, log, metrics, hasRoom }),
    feedback: createFeedbackStore({ database }),
    calls: service.calls,
    eraseUser: createForgetUser({ database }, service.calls?.commit ?? commit),
    counting,
    pushing: servicePushing(service, counting),
    statuses: createStatusStore({ database }),
    explanations: createExplainStore({ database }),
    stats: createStatsStore({ database, pushes, events }),
    receipts: metrics.receipts,
    pool: service.senders.pool,
  }
}

/** Pushes of the service: counted with care, and sent at once. */
export function servicePushing(service: PublicApiService, counting = createCounting(service)) {
  const { database, clock, commit, hasRoom, metrics, schedule, senders } = service
  const { pool, providers } = senders
  return createPushing({
    database,
    clock,
    commit,
    credentials: service.credentials,
    apnsIdentity: (application) => providers.apnsIdentity(application),
    counting,
    hasRoom,
    wake: (application, push) => pool.wake(application, push),
    wakeSchedule: () => schedule.wake(),
    onAccepted: (application, when) => metrics.pushes.note(application, when),
  })
}
