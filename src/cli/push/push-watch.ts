import type { Clock } from '../../clock.ts'
import { failedOf } from '../../push/status/status-answer.ts'
import type { StatusStore } from '../../push/status/status-store.ts'
import { finishedAtOf, pushStateOf, totalOf } from '../../push/status/status.ts'
import type { PauseOf, PlatformProgress, StoredPush } from '../../push/status/status.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { grouped } from '../../text/format.ts'
import type { startPolling } from '../terminal/poll.ts'
import type { createProgress } from '../terminal/progress.ts'
import type { PushResult } from './push-text.ts'

interface Watching {
  readonly application: number
  /** `push.id` */
  readonly id: string
  readonly statuses: Pick<StatusStore, 'find' | 'reach' | 'failureCounts'>
  /** Size of the audience: the server stores only what it has counted so far. */
  readonly expected: Promise<number>
  readonly clock: Pick<Clock, 'now'>
  readonly polling: Pick<ReturnType<typeof startPolling>, 'next'>
  readonly progress: ReturnType<typeof createProgress>
  readonly pauseOf: PauseOf
  /** How long without progress; `null`: until Ctrl-C. */
  readonly patienceMs: number | null
}

/**
 * `finished`: or cancelled. `stopped`: by a signal, or with the server. `standing`: no progress for `patienceMs`.
 * `gone`: the application was deleted.
 */
export type Watched =
  | { readonly kind: 'finished' | 'stopped' | 'standing'; readonly result: PushResult }
  | { readonly kind: 'gone' }

/** About as often as deliveries are committed. */
const LOOK_MS = 250

/** Then, and as often, the reason is looked up. */
const STILL_MS = 1000

export async function watchPush(options: Watching): Promise<Watched> {
  const { clock, progress } = options
  let seen = ''
  let movedAt = clock.now()
  let askedAt = clock.now()
  let waitsFor: string | null = null
  let expected: number | null = null
  // The caller reports a failure.
  void options.expected.then(
    (count) => (expected = count),
    () => null,
  )
  for (;;) {
    const push = options.statuses.find(options.application, options.id)
    if (push === null) return { kind: 'gone' }
    const reach = options.statuses.reach(push.number)
    const now = clock.now()
    const { t, s, failed } = totalOf(reach)
    const done = s + failed
    if (finishedAtOf(push, reach) !== null) return { kind: 'finished', result: await resultOf(push, reach, null) }

    const look = `${t} ${done}`
    if (look !== seen) [seen, movedAt, waitsFor] = [look, now, null]
    if (now - movedAt >= STILL_MS && now - askedAt >= STILL_MS) {
      askedAt = now
      waitsFor = reasonOf(reach, options.pauseOf)
    }
    if (options.patienceMs !== null && now - movedAt >= options.patienceMs) {
      return { kind: 'standing', result: await resultOf(push, reach, waitsFor) }
    }
    const failures = failed > 0 ? [`${grouped(failed)} failed`] : []
    const pause = waitsFor === null ? [] : [`waits: ${waitsFor}`]
    progress.show(
      done,
      expected === null ? null : Math.max(expected, t),
      [...failures, ...pause].join(', ') || undefined,
    )
    if ((await options.polling.next(LOOK_MS)) === 'stopped') {
      return { kind: 'stopped', result: await resultOf(push, reach, waitsFor) }
    }
  }

  async function resultOf(
    push: StoredPush,
    reach: readonly PlatformProgress[],
    pause: string | null,
  ): Promise<PushResult> {
    const { t: met, s, failed } = totalOf(reach)
    const finishedAt = finishedAtOf(push, reach)
    const t = finishedAt === null ? Math.max(met, expected ?? 0) : met
    const { reasons } = await options.statuses.failureCounts(push.number)
    return {
      id: push.id,
      state: pushStateOf(push, reach, () => pause).state,
      t,
      s,
      failed,
      reasons: failedOf(failed, reasons, push, reach).reasons,
      waitsFor: pause,
      createdAt: push.createdAt,
      finishedAt,
    }
  }
}

/** `null`: something is sent, or unknown. */
function reasonOf(reach: readonly PlatformProgress[], pauseOf: PauseOf): string | null {
  const open = reach.filter((one) => one.open).map(({ platform }) => pauseOf(platform))
  return open.length === 0 || open.includes(null) ? null : escapeControls([...new Set(open)].join('; '))
}
