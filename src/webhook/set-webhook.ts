import type { Application } from '../application/application.ts'
import { DEFAULT_EVENTS } from './event.ts'
import type { EventType } from './event.ts'
import type { createWebhookStore, Webhook } from './webhook-store.ts'

/** What is to change of a webhook. What is left out stays; of a new one it is by default all but opens, and a new secret. */
export interface WebhookChange {
  readonly url?: string | undefined
  readonly events?: readonly EventType[] | undefined
  /** `new`: another one is made. */
  readonly secret?: string | undefined
}

/**
 * Sets the webhook of an application, in a transaction of the caller. `made`: the secret where one is to be made. `null`:
 * there is none yet, and no URL for one. Of the answer, `secret` is `null` unless it was made.
 */
export function setWebhook(
  webhooks: Pick<ReturnType<typeof createWebhookStore>, 'find' | 'put'>,
  application: Application,
  { url: wanted, events, secret: given }: WebhookChange,
  made: string,
): {
  readonly webhook: Webhook | null
  readonly url: string
  readonly secret: string | null
  readonly keeps: boolean
} | null {
  const before = webhooks.find(application)
  const url = wanted ?? before?.url
  if (url === undefined) return null
  const isNew = given === 'new' || (given === undefined && before === null)
  const secret = isNew ? made : (given ?? null)
  webhooks.put(application, { url, events: events ?? before?.events ?? DEFAULT_EVENTS, secret })
  return { webhook: webhooks.find(application), url, secret: isNew ? made : null, keeps: secret === null }
}
