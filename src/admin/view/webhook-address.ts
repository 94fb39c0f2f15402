import type { Actor } from '../administrator.ts'
import { isEnough } from '../token-purpose.ts'

/** With the URL as `by` may see it. `by` omitted: whoever runs a command on this machine. */
export function shownWebhook<Webhook extends { readonly url: string }>(webhook: Webhook, by?: Actor | null): Webhook {
  const isWhole = by?.kind !== 'token' || isEnough(by.purpose, 'operate')
  return isWhole ? webhook : { ...webhook, url: webhookOrigin(webhook.url) }
}

/** Many receivers put a secret into the path. */
export function webhookOrigin(url: string): string {
  return new URL(url).origin
}
