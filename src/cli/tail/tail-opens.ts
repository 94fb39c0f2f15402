import type { PushChangesStore } from '../../push/push-changes-store.ts'
import type { createTallyReader } from '../../stats/tally-store.ts'
import type { TailEvent } from './tail-event.ts'

interface Dependencies {
  readonly daily: Pick<ReturnType<typeof createTallyReader>, 'opensSince'>
  readonly watch: Pick<PushChangesStore, 'opened'>
  readonly applications: () => readonly number[]
  /** Days since the Unix epoch. */
  readonly since: number
}

/** Older pushes' opens are not told apart. */
const LATEST = 50

/** `applications`: `application.number`. */
export function createOpenTail({ daily, watch, applications, since }: Dependencies) {
  const sums = new Map<number, number>()
  const known = new Map<number, ReadonlyMap<string, number>>()
  const openedOf = (application: number) =>
    new Map(watch.opened(application, LATEST).map(({ id, opened }) => [id, opened]))
  for (const application of applications()) {
    sums.set(application, daily.opensSince(application, since))
    known.set(application, openedOf(application))
  }

  return {
    *look(now: number): Generator<TailEvent> {
      for (const application of applications()) {
        const sum = daily.opensSince(application, since)
        let left = sum - (sums.get(application) ?? 0)
        if (left === 0) continue
        sums.set(application, sum)
        const before = known.get(application)
        const opened = openedOf(application)
        known.set(application, opened)
        for (const [push, count] of opened) {
          const more = count - (before?.get(push) ?? 0)
          if (more <= 0) continue
          left -= more
          yield { at: now, application, type: 'opened', count: more, push }
        }
        if (left > 0) yield { at: now, application, type: 'opened', count: left, push: null }
      }
    },
  }
}
