import { createHash } from 'node:crypto'
import type { PushServiceMaker } from '../device/webpush/push-services.ts'
import type { JsonObject } from '../text/json-object.ts'
import { idAlong, NO_ID } from './notification.ts'
import type { Message, Notification } from './notification.ts'
import { fill } from './options.ts'
import { MAX_TTL_SECONDS } from './options/delivery.ts'
import { inside, largestBadge } from './render-parts.ts'

/* A declarative push message (Push API, "Declarative push message"), with the headers of RFC 8030. */

export interface RenderedWebPush {
  readonly isShown: boolean
  /** RFC 8030, 5.3. */
  readonly urgency: 'high' | 'normal'
  /** RFC 8030, 5.4: replaces a push that still waits for the browser. */
  readonly topic: string | null
  /** In seconds, from `now`: RFC 8030, 5.2. */
  ttlSeconds(now: number): number
  /** JSON. `badge`: `null` leaves it alone. */
  body(badge: number | null): string
}

/**
 * Renders a push once, without the badge. With text and a link it is declarative: Safari shows it by itself, and any
 * service worker can handle `navigate`. Without a link there is no `web_push`, without text no `notification`.
 */
export function renderWebPush({ push, notification, expiresAt }: Message): RenderedWebPush {
  const { collapse, priority } = notification
  const { isShown, body } = partsOf(push, notification)
  const keepUntil = notification.ttl === 0 ? 0 : expiresAt
  return {
    isShown,
    urgency: priority ?? (isShown ? 'high' : 'normal'),
    topic: collapse === undefined ? null : topicOf(collapse),
    ttlSeconds: (now) => Math.min(Math.max(Math.ceil((keepUntil - now) / 1000), 0), MAX_TTL_SECONDS),
    body,
  }
}

/** Besides HTTP's own. `maker`: of the push service. */
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
    // Answers are too short to compress.
    'accept-encoding': 'identity',
  }
  if (rendered.topic !== null) headers['topic'] = rendered.topic
  // Without it: 400 "Ttl value conflicts with X-WNS-Cache-Policy" (web-push-libs/pywebpush#162).
  if (maker === 'microsoft' && ttlSeconds === 0) headers['x-wns-cache-policy'] = 'no-cache'
  return headers
}

/** Before encryption, at most. */
export function webPushBytes(notification: Notification): number {
  return Buffer.byteLength(partsOf(NO_ID, notification).body(largestBadge(notification)))
}

/** A declarative message must have an absolute URL. */
function partsOf(push: string, notification: Notification): Pick<RenderedWebPush, 'isShown' | 'body'> {
  const { msg, title, link, collapse } = notification
  const draft = fill('webPush', notification, { '': {}, data: idAlong(push, notification) })
  const data = Object.keys(draft.data).length > 0 ? { data: draft.data } : {}
  if (!title && !msg) {
    const body = objectWith({ ...data, link })
    return { isShown: false, body: (badge) => body(badge === null ? '' : `"app_badge":${badge}`) }
  }
  const declared = link === undefined ? '' : '"web_push":8030,'
  // A title is required.
  const text = title ? {} : { title: msg, body: undefined }
  const inner = objectWith({ ...draft[''], ...text, tag: collapse ?? push, ...data })
  return {
    isShown: true,
    body(badge) {
      if (badge === null) return `{${declared}"notification":${inner('')}}`
      // iOS 18.4 and 18.5 look for it in the notification (WebKit/WebKit#45798).
      const field = `"app_badge":${badge}`
      return `{${declared}"notification":${inner(declared === '' ? '' : field)},${field}}`
    },
  }
}

/** As JSON with one more field; `''`: none. */
function objectWith(fields: JsonObject): (last: string) => string {
  const inner = inside(fields)
  return (last) => `{${inner}${inner === '' || last === '' ? '' : ','}${last}}`
}

/**
 * At most 32 characters of URL-safe base64 (RFC 8030, 5.4). Apple decodes it, and refuses a length of 1 more than a
 * multiple of 4: 400 BadWebPushTopic (AltanS/collie#90).
 */
function topicOf(collapse: string): string {
  if (/^[\w-]{1,32}$/.test(collapse) && collapse.length % 4 !== 1) return collapse
  return createHash('sha256').update(collapse).digest('base64url').slice(0, 32)
}
