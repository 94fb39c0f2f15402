import type { Application } from '../application/application.ts'
import { DEFAULT_EVENTS } from './event.ts'
import type { EventType } from './event.ts'
import type { createWebhookStore, Webhook } from './webhook-store.ts'

/** Omitted fields stay. Defaults of a new webhook: every event but opens, and a new secret. */
export interface WebhookChange {
  readonly url?: string | undefined
  readonly events?: readonly EventType[] | undefined
  /** `new`: create one. */
  readonly secret?: string | undefined
}

/**
 * Sets an application's webhook. `made`: a new secret, if one is needed. Returns `null` if a new webhook has no URL;
 * `secret` is `null` unless new.
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
