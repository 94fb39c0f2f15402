import type { NewPushName, PushName, PushChangesStore } from '../../push/push-changes-store.ts'
import type { StatusStore } from '../../push/status/status-store.ts'
import { finishedAtOf, startedAtOf, totalOf } from '../../push/status/status.ts'
import { MAX_AT_ONCE } from './tail-event.ts'
import type { TailEvent } from './tail-event.ts'

interface Dependencies {
  readonly watch: PushChangesStore
  readonly statuses: Pick<StatusStore, 'find' | 'reach'>
  /** `application.number`; `null`: all. */
  readonly application: number | null
}

interface Live extends PushName {
  started: boolean
}

interface Batch {
  readonly application: number
  readonly count: number
  readonly first: number
  readonly last: number
}

/** Of each kind; the end of older ones is not reported. */
const MAX_LIVE = 200
const MAX_BATCHES = 20

/** accepted → waiting (if scheduled) → being sent, or cancelled → reported and forgotten. */
export function createPushTail({ watch, statuses, application: wanted }: Dependencies) {
  let highest = watch.highest()
  let waiting = waitingNow()
  const live = new Map<number, Live>()
  let batches: readonly Batch[] = []
  for (const push of watch.open(wanted, MAX_LIVE)) follow(push, true)

  function waitingNow(): Map<number, PushName> {
    return new Map(watch.waiting(wanted, MAX_LIVE).map((push) => [push.number, push]))
  }

  function follow({ number, id, application }: PushName, started = false): void {
    live.set(number, { number, id, application, started })
    const [oldest] = live.keys()
    if (live.size > MAX_LIVE && oldest !== undefined) live.delete(oldest)
  }

  function* accepted(now: number): Generator<TailEvent> {
    const pushes = watch.since(highest, wanted, MAX_AT_ONCE + 1)
    if (pushes.length <= MAX_AT_ONCE) {
      for (const push of pushes) yield acceptedOne(push)
      highest = pushes.at(-1)?.number ?? highest
      return
    }
    for (const { application, count, first, last } of watch.countSince(highest, wanted)) {
      yield { at: now, application, type: 'pushes.accepted', count }
      batches = [...batches, { application, count, first, last }].slice(-MAX_BATCHES)
    }
    highest = Math.max(highest, ...batches.map(({ last }) => last))
  }

  function acceptedOne(push: NewPushName): TailEvent {
    if (push.sendAt === null) follow(push)
    // It may be released or cancelled before the next look.
    else waiting.set(push.number, push)
    return {
      at: push.createdAt,
      application: push.application,
      type: 'push.accepted',
      push: push.id,
      sendAt: push.sendAt,
    }
  }

  function* released(): Generator<TailEvent> {
    const before = waiting
    waiting = waitingNow()
    for (const push of before.values()) {
      if (waiting.has(push.number)) continue
      const { id, application } = push
      const stored = statuses.find(application, id)
      if (stored === null) continue
      if (stored.releasedAt !== null) {
        yield { at: stored.releasedAt, application, type: 'push.released', push: id }
        follow(push)
      } else if (stored.cancelledAt !== null) {
        yield { at: stored.cancelledAt, application, type: 'push.cancelled', push: id, t: 0, s: 0, failed: 0 }
      }
    }
  }

  function* moved(push: Live): Generator<TailEvent> {
    const { id, application, number } = push
    const stored = statuses.find(application, id)
    // Its application was deleted.
    if (stored === null) return void live.delete(number)
    const reach = statuses.reach(number)
    const { t, s, failed } = totalOf(reach)
    const startedAt = startedAtOf(reach)
    if (startedAt !== null && !push.started) {
      push.started = true
      yield { at: startedAt, application, type: 'push.started', push: id }
    }
    const finishedAt = finishedAtOf(stored, reach)
    if (finishedAt !== null) {
      const type = stored.cancelledAt === null ? 'push.finished' : 'push.cancelled'
      yield { at: finishedAt, application, type, push: id, t, s, failed }
      live.delete(number)
    }
  }

  function* ended(now: number): Generator<TailEvent> {
    for (const batch of batches) {
      const { application, first, last, count } = batch
      const progress = watch.batch(application, first, last)
      if (progress.some(({ open }) => open)) continue
      const { s, failed } = totalOf(progress)
      batches = batches.filter((one) => one !== batch)
      yield { at: now, application, type: 'pushes.finished', count, s, failed }
    }
  }

  return {
    *look(now: number): Generator<TailEvent> {
      yield* accepted(now)
      yield* released()
      for (const push of live.values()) yield* moved(push)
      yield* ended(now)
    },
  }
}
