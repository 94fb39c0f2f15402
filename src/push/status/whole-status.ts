import type { Clock } from '../../clock.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'
import { failedOf, languageStatusOf, platformsOf, pushStatusOf, receiptsOf } from './status-answer.ts'
import type { STATUS } from './status-schema.ts'
import type { StatusStore } from './status-store.ts'
import type { PauseOf } from './status.ts'

export type WholeStatus = AnswerOf<typeof STATUS>

interface Reading {
  readonly statuses: Pick<StatusStore, 'find' | 'reach' | 'failureCounts' | 'receipts' | 'languages'>
  readonly clock: Pick<Clock, 'now'>
  readonly pauseOf: PauseOf
}

/** What GET /push/{id} answers; `null`: no such push. */
export async function wholeStatus(
  { statuses, clock, pauseOf }: Reading,
  application: number,
  id: string,
): Promise<WholeStatus | null> {
  const asked = statuses.find(application, id)
  if (asked === null) return null
  const wasOpen = statuses.reach(asked.number).some(({ open }) => open)
  let failures = await statuses.failureCounts(asked.number)
  const push = statuses.find(application, id)
  if (push === null) return null
  const reach = statuses.reach(push.number)
  // It ended in between: read the final failures.
  if (wasOpen && !reach.some(({ open }) => open)) failures = await statuses.failureCounts(push.number)
  const receipts = statuses.receipts(push.number)
  const languages = statuses.languages(push.number, failures.languages)
  const status = pushStatusOf({ push, reach, receipts }, pauseOf, clock.now())
  const { s, failed } = status
  return {
    ...status,
    ...receiptsOf(receipts, s),
    failed: failedOf(failed.total, failures.reasons, push, reach),
    platforms: platformsOf(push, reach, pauseOf),
    ...(languages !== null && languageStatusOf(languages, { s, failed: failed.total })),
  }
}
