import type { Clock } from '../../clock.ts'
import type { Platform } from '../../device/device.ts'
import type { ScheduleStore } from '../../push/schedule/schedule-store.ts'
import { pushStatusOf } from '../../push/status/status-answer.ts'
import type { PushSummaryStore } from '../../push/status/push-summary-store.ts'
import type { StatusStore } from '../../push/status/status-store.ts'
import type { StoredPush } from '../../push/status/status.ts'
import type { PushesAnswer, PushSummary } from '../api-types/push-types.ts'

interface Dependencies {
  readonly clock: Pick<Clock, 'now'>
  readonly statuses: Pick<StatusStore, 'find' | 'list' | 'factsOf'>
  readonly summaries: Pick<PushSummaryStore, 'textOf'>
  readonly passedZones: ScheduleStore['passedZones']
  /** Why sending to a platform is paused; `null`: it is not. */
  readonly pauseOf: (application: number, platform: Platform) => string | null
  readonly holdSecondsOf: (application: number) => number
}

export type PushView = ReturnType<typeof createPushView>

/** `application` is `application.number`. */
export function createPushView({ clock, statuses, summaries, passedZones, pauseOf, holdSecondsOf }: Dependencies) {
  function summaryOf(application: number, push: StoredPush): PushSummary {
    const { t, s, o, failed, ...status } = pushStatusOf(
      statuses.factsOf(push),
      (platform) => pauseOf(application, platform),
      clock.now(),
    )
    const { id, state, reason, waiting, received, rate } = status
    const text = summaries.textOf(push.number) ?? { title: null, msg: null, many: true, local: null }
    return {
      id,
      ...text,
      state: state === 'scheduled' && text.many && text.local === null && isHeld(application, push) ? 'held' : state,
      reason,
      addressed: t,
      accepted: s,
      failed: failed.total,
      waiting,
      opened: o,
      received,
      rate,
      passed: text.local === null ? [] : passedZones(application, text.local, push.createdAt),
      createdAt: status.created_at,
      sendAt: status.send_at,
      startedAt: status.started_at,
      finishedAt: status.finished_at,
    }
  }

  /** Delayed only by the hold, unless that setting has changed since. */
  function isHeld(application: number, { createdAt, sendAt }: StoredPush): boolean {
    return sendAt !== null && sendAt - createdAt <= holdSecondsOf(application) * 1000
  }

  return {
    /** Pushes before the number `before`, newest first. */
    page(application: number, before: number, limit: number): PushesAnswer {
      const pushes = statuses.list(application, before, limit)
      const next = pushes.length < limit ? null : (pushes.at(-1)?.number ?? null)
      return { pushes: pushes.map((push) => summaryOf(application, push)), next }
    },

    /** `id`: lower case. `null`: not in the application. */
    one(application: number, id: string): PushSummary | null {
      const push = statuses.find(application, id)
      return push && summaryOf(application, push)
    },
  }
}
