import { count, yesOrNo, listOf, number, objectSchema, oneOf, orNull, text, time } from '../../http/answer-schema.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'
import { ApplicationName } from './application-types.ts'

const summary = {
  id: text(),
  title: orNull(text()),
  msg: orNull(text('What is shown of it; `null`: it shows nothing.')),
  state: oneOf(
    ['scheduled', 'held', 'sending', 'paused', 'finished', 'cancelled'],
    "`held`: nothing but the application's hold keeps it back, and it can be cancelled; `scheduled`: it waits for its moment. `paused`: all that is left waits; `reason` says for what.",
  ),
  reason: orNull(text()),
  many: yesOrNo('For one device, or for many.'),
  addressed: count(
    'Devices addressed, taken by a gateway, given up, and without an outcome: `addressed` is the sum of the three.',
  ),
  accepted: count(),
  failed: count(),
  waiting: count(),
  opened: count(),
  received: count(),
  rate: number('Accepted a second.'),
  createdAt: time(),
  sendAt: orNull(time('`null`: at once.')),
  startedAt: orNull(time()),
  finishedAt: orNull(time()),
}

/** A push by local time is one. */
export const PushSummary = objectSchema('PushSummary', summary)
export type PushSummary = AnswerOf<typeof PushSummary>

/** Pushes of an application, the newest first. */
export const PushesAnswer = objectSchema('PushesAnswer', {
  pushes: listOf(PushSummary),
  next: orNull(count('`before` of the next page; `null`: that was all.')),
})
export type PushesAnswer = AnswerOf<typeof PushesAnswer>

export const pushOfApplication = { ...summary, application: ApplicationName }

/**
 * Server-sent events. `event: progress` when something has changed, at most twice a second; after the last one
 * `event: end`, without data, and the stream ends. The page must then close the EventSource, which otherwise connects again.
 */
export const PushProgressEvent = objectSchema('PushProgressEvent', pushOfApplication)
export type PushProgressEvent = AnswerOf<typeof PushProgressEvent>

/** `POST /api/pushes/:id/resend`. `GET` of the same shows to whom it would go, as `POST …/v1/push/preview` does. */
export interface ResendRequest {
  /** How many devices it is for: needed above the application's confirm-above. */
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
