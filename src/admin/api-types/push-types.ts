import { count, yesOrNo, listOf, number, objectSchema, oneOf, orNull, text, time } from '../../http/answer-schema.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'
import { ApplicationName } from './application-types.ts'

const summary = {
  id: text(),
  title: orNull(text()),
  msg: orNull(text('What is shown. `null`: nothing.')),
  state: oneOf(
    ['scheduled', 'held', 'sending', 'paused', 'finished', 'cancelled'],
    "`held`: delayed by the application's hold, and can be cancelled. `scheduled`: due later. `paused`: everything left is waiting; `reason` says for what.",
  ),
  reason: orNull(text()),
  many: yesOrNo('For one device or many.'),
  addressed: count('Devices addressed, accepted, failed and waiting. `addressed` is the sum of the other three.'),
  accepted: count(),
  failed: count(),
  waiting: count(),
  opened: count(),
  received: count(),
  rate: number('Accepted a second.'),
  createdAt: time(),
  sendAt: orNull(time('`null`: at once. By local time, when the first wave goes out.')),
  passed: listOf(text(), 'By local time: time zones of devices in which that time had passed.'),
  local: orNull(text('By local time: what the clocks of devices show, 2026-12-24T09:00.')),
  startedAt: orNull(time()),
  finishedAt: orNull(time()),
}

/** A push by local time counts as one. */
export const PushSummary = objectSchema('PushSummary', summary)
export type PushSummary = AnswerOf<typeof PushSummary>

/** Newest first. */
export const PushesAnswer = objectSchema('PushesAnswer', {
  pushes: listOf(PushSummary),
  next: orNull(count('`before` for the next page. `null`: no more.')),
})
export type PushesAnswer = AnswerOf<typeof PushesAnswer>

export const pushOfApplication = { ...summary, application: ApplicationName }

/**
 * Server-sent events: `event: progress` on a change, at most twice a second, then one `event: end` without data. Close
 * the EventSource then, or it reconnects.
 */
export const PushProgressEvent = objectSchema('PushProgressEvent', pushOfApplication)
export type PushProgressEvent = AnswerOf<typeof PushProgressEvent>

/** `POST /api/pushes/:id/resend`. Its `GET` previews the audience. */
export interface ResendRequest {
  /** Expected number of devices; required above the application's confirm-above. */
  readonly confirm?: number
}

export const ResendAnswer = objectSchema(
  'ResendAnswer',
  {
    message: oneOf(['Queued', 'Scheduled']),
    id: text('Of the new push.'),
    send_at: time('ISO 8601, UTC: when it goes out, where the application holds pushes back.'),
  },
  ['send_at'],
)
export type ResendAnswer = AnswerOf<typeof ResendAnswer>
