import { createHash } from 'node:crypto'
import { MAX_BADGE } from '../device/badge.ts'
import type { JsonObject } from '../text/json-object.ts'
import { idAlong, MAX_TTL_SECONDS, NO_ID } from './notification.ts'
import type { Message, Notification } from './notification.ts'

/* What a browser gets: a declarative push message (Push API, "Declarative push message"), and the headers of RFC 8030. */

/** The part of a push's requests that is the same for all recipients. */
export interface RenderedWebPush {
  /** RFC 8030, 5.3. */
  readonly urgency: 'high' | 'normal'
  /** RFC 8030, 5.4: by it a push replaces one that still waits for the browser; `null`: none. */
  readonly topic: string | null
  /** Seconds for which the push service keeps it, from `now` (ms since the Unix epoch): RFC 8030, 5.2. */
  ttlSeconds(now: number): number
  /** JSON. `badge`: `null` leaves it alone. */
  body(badge: number | null): string
}

/**
 * Renders a push once, so that for each recipient only the badge is filled in.
 *
 * A push that shows something is declarative: Safari shows it by itself, and what it does with `navigate` any service
 * worker can do. One that shows nothing has no `notification`, and no `web_push`: it is for a service worker.
 */
export function renderWebPush({ push, notification, expiresAt }: Message): RenderedWebPush {
  const { collapse, priority } = notification
  const shown = shownOf(push, notification)
  const keepUntil = notification.ttl === 0 ? 0 : expiresAt
  return {
    urgency: (priority ?? (shown === null ? 'normal' : 'high')) === 'high' ? 'high' : 'normal',
    topic: collapse === undefined ? null : topicOf(collapse),
    ttlSeconds: (now) => Math.min(Math.max(Math.ceil((keepUntil - now) / 1000), 0), MAX_TTL_SECONDS),
    body: bodyOf(push, notification, shown),
  }
}

/** The headers of one request, besides HTTP's own. */
export function webPushHeaders(
  rendered: RenderedWebPush,
  authorization: string,
  ttlSeconds: number,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {
    authorization,
    ttl: String(ttlSeconds),
    urgency: rendered.urgency,
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    // Answers are too short to be worth compressing.
    'accept-encoding': 'identity',
  }
  if (rendered.topic !== null) headers['topic'] = rendered.topic
  return headers
}

/** Size in bytes of the largest body of a notification, before it is encrypted. */
export function webPushBytes(notification: Notification): number {
  const { badge } = notification
  const largest = badge === null ? null : 'set' in badge ? badge.set : MAX_BADGE
  return Buffer.byteLength(bodyOf(NO_ID, notification, shownOf(NO_ID, notification))(largest))
}

/** `null`: nothing is to be seen. */
function shownOf(push: string, notification: Notification): JsonObject | null {
  const { msg, title, image, link, collapse, actions } = notification
  if (!title && !msg) return null
  // An address to open is asked for, of buttons too; this one is the start of the site.
  const navigate = link ?? '/'
  return {
    // A title is asked for. Text alone takes its place.
    ...(title ? { title, ...(msg && { body: msg }) } : { title: msg }),
    navigate,
    image,
    tag: collapse ?? push,
    actions: actions?.map((one) => ({ action: one.action, title: one.title, navigate: one.link ?? navigate })),
    ...dataOf(push, notification),
  }
}

function dataOf(push: string, notification: Notification): { readonly data?: JsonObject } {
  const data = { ...idAlong(push, notification), ...notification.payload }
  return Object.keys(data).length > 0 ? { data } : {}
}

function bodyOf(push: string, notification: Notification, shown: JsonObject | null): (badge: number | null) => string {
  const { link } = notification
  const fields = shown === null ? { ...dataOf(push, notification), link } : { web_push: 8030, notification: shown }
  const inner = JSON.stringify(fields).slice(1, -1)
  const head = `{${inner}`
  const badgeKey = inner === '' ? '"app_badge":' : ',"app_badge":'
  return (badge) => (badge === null ? `${head}}` : `${head}${badgeKey}${badge}}`)
}

/** "No more than 32 characters from the URL and filename safe Base 64 alphabet" (RFC 8030, 5.4). */
function topicOf(collapse: string): string {
  if (/^[\w-]{1,32}$/.test(collapse)) return collapse
  return createHash('sha256').update(collapse).digest('base64url').slice(0, 32)
}
