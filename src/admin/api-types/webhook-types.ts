import { count, listOf, objectSchema, orNull, shapeOf, text, time } from '../../http/answer-schema.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'
import { ApplicationName } from './application-types.ts'

const webhook = {
  url: text('For a token below `operate` only its origin.'),
  events: listOf(text()),
  disabledAt: orNull(time('When the receiver answered 410 Gone; `null`: it has not.')),
}

export const WebhookView = objectSchema('WebhookView', {
  application: ApplicationName,
  ...webhook,
  waiting: count('Undelivered events. Delivered ones are not stored.'),
  next: listOf(
    shapeOf({
      id: text(),
      type: text(),
      attempts: count('Tries so far.'),
      createdAt: time(),
      dueAt: time(),
    }),
    'The first 20, soonest first.',
  ),
})
export type WebhookView = AnswerOf<typeof WebhookView>

export const WebhooksAnswer = objectSchema('WebhooksAnswer', { webhooks: listOf(WebhookView) })
export type WebhooksAnswer = AnswerOf<typeof WebhooksAnswer>

const webhookOrNone = { webhook: orNull(shapeOf(webhook)) }

export const WebhookAnswer = objectSchema('WebhookAnswer', webhookOrNone)
export type WebhookAnswer = AnswerOf<typeof WebhookAnswer>

/** `PUT /api/applications/:id/webhook`: omitted fields stay unchanged. Waiting events become due now. */
export interface WebhookRequest {
  /** https, or http to a private address. Required for a new webhook. */
  readonly url?: string
  /** `push.finished`, `push.opened`, `device.gone`, `credential.paused`, `credential.resumed`. Default all but `push.opened`. */
  readonly events?: readonly string[]
  /** `new` creates another. Else `whsec_` and base64. Default: unchanged, or a new one. */
  readonly secret?: string
}

export const NewWebhookAnswer = objectSchema('NewWebhookAnswer', {
  ...webhookOrNone,
  secret: orNull(text('Only this answer contains a new one. `null`: none was created.')),
  note: orNull(text('When the service sends there, if not always: by http, or to a private address.')),
})
export type NewWebhookAnswer = AnswerOf<typeof NewWebhookAnswer>

/** Waiting events become due now. */
export const WebhookRetryAnswer = objectSchema('WebhookRetryAnswer', { waiting: count() })
export type WebhookRetryAnswer = AnswerOf<typeof WebhookRetryAnswer>
