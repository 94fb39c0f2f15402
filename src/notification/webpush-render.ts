import { createHash } from 'node:crypto'
import { MAX_BADGE } from '../device/badge.ts'
import type { PushServiceMaker } from '../device/webpush/push-services.ts'
import type { JsonObject } from '../text/json-object.ts'
import { idAlong, MAX_TTL_SECONDS, NO_ID } from './notification.ts'
import type { Message, Notification } from './notification.ts'

/* What a browser gets: a declarative push message (Push API, "Declarative push message"), and the headers of RFC 8030. */

/** The part of a push's requests that is the same for all recipients. */
export interface RenderedWebPush {
  /** Whether there is something to be seen. */
  readonly isShown: boolean
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
 * A push that shows something and has a link is declarative: Safari shows it by itself, and what it does with `navigate`
 * any service worker can do. One without a link has no `web_push`, and one that shows nothing no `notification` either:
 * those are for a service worker.
 */
export function renderWebPush({ push, notification, expiresAt }: Message): RenderedWebPush {
  const { collapse, priority } = notification
  const shown = shownOf(push, notification)
  const keepUntil = notification.ttl === 0 ? 0 : expiresAt
  return {
    isShown: shown !== null,
    urgency: (priority ?? (shown === null ? 'normal' : 'high')) === 'high' ? 'high' : 'normal',
    topic: collapse === undefined ? null : topicOf(collapse),
    ttlSeconds: (now) => Math.min(Math.max(Math.ceil((keepUntil - now) / 1000), 0), MAX_TTL_SECONDS),
    body: bodyOf(push, notification, shown),
  }
}

/** The headers of one request, besides HTTP's own, to a push service of `maker`. */
export function webPushHeaders(
  rendered: RenderedWebPush,
  authorization: string,
  ttlSeconds: number,
  maker: PushServiceMaker = 'other',
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
  // Without, it answers 400: "Ttl value conflicts with X-WNS-Cache-Policy" (web-push-libs/pywebpush#162).
  if (maker === 'microsoft' && ttlSeconds === 0) headers['x-wns-cache-policy'] = 'no-cache'
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
  return {
    // A title is asked for. Text alone takes its place.
    ...(title ? { title, ...(msg && { body: msg }) } : { title: msg }),
    navigate: link,
    image,
    tag: collapse ?? push,
    actions: actions?.map((one) => ({ action: one.action, title: one.title, navigate: one.link ?? link })),
    ...dataOf(push, notification),
  }
}

function dataOf(push: string, notification: Notification): { readonly data?: JsonObject } {
  const data = { ...idAlong(push, notification), ...notification.payload }
  return Object.keys(data).length > 0 ? { data } : {}
}

/**
 * An address to open is required of a declarative message, and must be absolute: without one the message is not
 * declarative, and a service worker shows it.
 */
function bodyOf(push: string, notification: Notification, shown: JsonObject | null): (badge: number | null) => string {
  const { link } = notification
  if (shown === null) {
    const body = objectWith({ ...dataOf(push, notification), link })
    return (badge) => body(badge === null ? '' : `"app_badge":${badge}`)
  }
  const declared = link === undefined ? '' : '"web_push":8030,'
  const inner = objectWith(shown)
  return (badge) => {
    if (badge === null) return `{${declared}"notification":${inner('')}}`
    // iOS 18.4 and 18.5 look for it in the notification (WebKit/WebKit#45798).
    const field = `"app_badge":${badge}`
    return `{${declared}"notification":${inner(declared === '' ? '' : field)},${field}}`
  }
}

/** An object as JSON, to which a field is added last; `''`: none. */
function objectWith(fields: object): (last: string) => string {
  const inner = JSON.stringify(fields).slice(1, -1)
  return (last) => `{${inner}${inner === '' || last === '' ? '' : ','}${last}}`
}

/**
 * "No more than 32 characters from the URL and filename safe Base 64 alphabet" (RFC 8030, 5.4). Apple decodes it, and
 * refuses a length that base64 never has, 1 more than a multiple of 4: 400 BadWebPushTopic (AltanS/collie#90).
 */
function topicOf(collapse: string): string {
  if (/^[\w-]{1,32}$/.test(collapse) && collapse.length % 4 !== 1) return collapse
  return createHash('sha256').update(collapse).digest('base64url').slice(0, 32)
}
