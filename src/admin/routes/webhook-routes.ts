import { randomBytes } from 'node:crypto'
import { Elysia } from 'elysia'
import { failure, Refused } from '../../failure.ts'
import { missing } from '../../http/fields.ts'
import { isoOrNull, isoTime } from '../../text/format.ts'
import { sendingNote } from '../../webhook/address-guard.ts'
import { setWebhook } from '../../webhook/set-webhook.ts'
import { newWebhookSecret } from '../../webhook/signature.ts'
import type { WebhookList } from '../../webhook/webhook-store.ts'
import type { Webhook, WebhookStore } from '../../webhook/webhook-store.ts'
import { adminCall } from '../admin-endpoint.ts'
import { NewWebhookAnswer, WebhookAnswer, WebhookRetryAnswer, WebhooksAnswer } from '../api-types/webhook-types.ts'
import { applicationNamed } from '../application-fields.ts'
import { ChangeWebhook } from '../application-schema.ts'
import { shownWebhook } from '../view/webhook-address.ts'
import type { AdminParts } from './admin-parts.ts'

interface Dependencies extends AdminParts {
  readonly webhooks: WebhookStore
  readonly webhookList: WebhookList
  /** Whether the service sends to private addresses. */
  readonly allowPrivate: boolean
}

const SHOWN_EVENTS = 20

export function webhookRoutes({ gate, directory, webhooks, webhookList, allowPrivate }: Dependencies) {
  return new Elysia({ name: 'webhook-routes' })
    .use(gate)
    .get(
      '/api/webhooks',
      ({ actor }): WebhooksAnswer => ({
        webhooks: webhookList.all().flatMap(({ application: number, url, events, disabledAt, waiting }) => {
          const application = directory.byNumber(number)
          if (application === null) return []
          const next = webhookList.next(number, SHOWN_EVENTS).map(({ id, type, attempt, createdAt, dueAt }) => ({
            id,
            type,
            attempts: attempt,
            createdAt: isoTime(createdAt),
            dueAt: isoTime(dueAt),
          }))
          const { id, name } = application
          const view = { application: { id, name }, url, events, disabledAt: isoOrNull(disabledAt), waiting, next }
          return [shownWebhook(view, actor)]
        }),
      }),
      adminCall('Service', 'Webhooks of all applications and their waiting events', { answer: WebhooksAnswer }),
    )
    .get(
      '/api/applications/:id/webhook',
      ({ actor, params }): WebhookAnswer => {
        const webhook = webhooks.find(applicationNamed(directory, params.id))
        return shown(webhook && shownWebhook(webhook, actor))
      },
      adminCall('Applications', 'The webhook of an application', { answer: WebhookAnswer }),
    )
    .put(
      '/api/applications/:id/webhook',
      async ({ change, params, body }): Promise<NewWebhookAnswer> => {
        const application = applicationNamed(directory, params.id)
        // Outside the operation, which may run twice.
        const made = newWebhookSecret(randomBytes)
        return change(application.id, (note) => {
          const set = setWebhook(webhooks, application, body, made)
          if (set === null) throw missing('url')
          note({ detail: { secret: set.keeps ? 'kept' : 'changed' } })
          return { ...shown(set.webhook), secret: set.secret, note: sendingNote(set.url, allowPrivate) }
        })
      },
      adminCall('Applications', 'Set the webhook. Only this answer contains a new secret', {
        action: 'set webhook',
        answer: NewWebhookAnswer,
        body: ChangeWebhook,
      }),
    )
    .delete(
      '/api/applications/:id/webhook',
      async ({ change, params }): Promise<WebhookAnswer> => {
        const application = applicationNamed(directory, params.id)
        if (!(await change(application.id, () => webhooks.remove(application)))) throw noWebhook()
        return shown(null)
      },
      adminCall('Applications', 'Remove the webhook and its waiting events', {
        action: 'remove webhook',
        answer: WebhookAnswer,
      }),
    )
    .post(
      '/api/applications/:id/webhook/retry',
      async ({ change, params }): Promise<WebhookRetryAnswer> => {
        const application = applicationNamed(directory, params.id)
        await change(application.id, () => {
          const webhook = webhooks.find(application)
          if (webhook === null) throw noWebhook()
          // Storing it unchanged makes its events due, and enables it again.
          webhooks.put(application, { ...webhook, secret: null })
        })
        return { waiting: webhookList.all().find((one) => one.application === application.number)?.waiting ?? 0 }
      },
      adminCall('Service', "Deliver a webhook's waiting events now", {
        action: 'retry webhook',
        answer: WebhookRetryAnswer,
      }),
    )
}

function shown(webhook: Webhook | null): WebhookAnswer {
  return { webhook: webhook && { ...webhook, disabledAt: isoOrNull(webhook.disabledAt) } }
}

function noWebhook(): Refused {
  return new Refused(failure('ResourceNotFound', 'No webhook found'))
}
