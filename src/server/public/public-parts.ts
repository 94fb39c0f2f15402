import type { CallLog } from '../../admin/call-log.ts'
import type { JudgeProof } from '../../application/user-proofs.ts'
import { createFeedbackStore } from '../../device/feedback-store.ts'
import type { HookAdmission } from '../../hook/hook-routes.ts'
import type { HookStore } from '../../hook/hook-store.ts'
import type { Admit } from '../../http/admission.ts'
import type { OnRefused } from '../../http/failures.ts'
import type { GateOptions } from '../../http/gate.ts'
import { createCounting } from '../../push/counting.ts'
import { createExplainStore } from '../../push/explain/explain-store.ts'
import { createPushing } from '../../push/pushing.ts'
import type { Schedule } from '../../push/schedule/schedule.ts'
import { createStatusStore } from '../../push/status/status-store.ts'
import type { Config } from '../../settings/parse.ts'
import { createStatsStore } from '../../stats/stats-store.ts'
import { createForgetUser } from '../erasure/erase-user.ts'
import { createGrowthBounds } from './growth-bounds.ts'
import type { Senders } from '../sending/senders.ts'
import type { Service } from '../service.ts'

export interface PublicApiService extends Pick<
  Service,
  'clock' | 'log' | 'database' | 'commit' | 'metrics' | 'devices' | 'directory' | 'credentials' | 'pushes' | 'events'
> {
  readonly config: Pick<Config, 'compat' | 'docs' | 'headerPrefix' | 'pushServices'>
  readonly onRefused: OnRefused
  readonly judgeProof: JudgeProof
  readonly schedule: Pick<Schedule, 'wake'>
  readonly senders: Pick<Senders, 'pool' | 'providers'>
  /** For the audit log; `null`: the caller logs. */
  readonly calls: Pick<CallLog, 'commit' | 'during'> | null
  /** Left out: calls of hooks are not answered. */
  readonly hooks?: HookStore
  readonly hasRoom: () => boolean
}

export interface AdmissionRules extends GateOptions {
  readonly admit: Admit
  /** Left out: there are none. */
  readonly hookCalls?: HookAdmission
}

export type PublicParts = ReturnType<typeof publicParts>

export function publicParts(service: PublicApiService, admission: AdmissionRules) {
  const { commit, database, metrics, pushes, events } = service
  const counting = createCounting(service)
  return {
    ...service,
    admission,
    bounds: createGrowthBounds(service),
    feedback: createFeedbackStore({ database }),
    eraseUser: createForgetUser({ database }, service.calls?.commit ?? commit),
    counting,
    hooks: service.hooks ?? null,
    pushing: servicePushing(service, counting),
    statuses: createStatusStore({ database }),
    explanations: createExplainStore({ database }),
    stats: createStatsStore({ database, pushes, events }),
    receipts: metrics.receipts,
    pool: service.senders.pool,
  }
}

/** Shares `counting`, which counts in turns. */
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
