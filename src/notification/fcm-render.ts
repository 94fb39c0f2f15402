import { MAX_BADGE } from '../device/badge.ts'
import { isInstallationId } from '../device/push-token.ts'
import type { JsonObject } from '../text/json-object.ts'
import { idAlong, MAX_TTL_SECONDS, NO_ID } from './notification.ts'
import type { Message, Notification } from './notification.ts'

/* What Google's page "REST Resource: projects.messages" asks for. */

/** The part of a push's requests that is the same for all recipients. */
export interface RenderedFcm {
  /**
   * The body for one recipient at `now` (ms since the Unix epoch). `token`: a registration token or a Firebase
   * Installation ID. `badge`: `null` leaves it alone.
   */
  body(token: string, badge: number | null, now: number): string
}

/**
 * Renders a push once, so that for each recipient only token, badge and time to live are filled in.
 *
 * A push with text or sound is a notification message, at high priority. One without is a data message, at normal
 * priority: Google lowers the rank of apps whose urgent messages show nothing. So is a badge alone, since Android would
 * show an empty notification to carry it: it travels as `badge` in `data`, unless the payload has a field of that name.
 *
 * Repeats replace each other by the notification's `tag`, not by a collapse key: a device keeps only four of those, and
 * FCM throttles them. A data message has no tag: the caller's `collapse` is its collapse key.
 */
export function renderFcm({ push, notification, expiresAt }: Message): RenderedFcm {
  const { beforeBadge, badgeOf, afterBadge } = partsOf(push, notification)
  const keepUntil = notification.ttl === 0 ? 0 : expiresAt
  return {
    body(token, badge, now) {
      const count = badge === null ? '' : badgeOf(badge)
      const ttl = Math.min(Math.max(Math.ceil((keepUntil - now) / 1000), 0), MAX_TTL_SECONDS)
      const target = isInstallationId(token) ? 'fid' : 'token'
      return `{"message":{"${target}":${JSON.stringify(token)}${beforeBadge}${count}${afterBadge}"ttl":"${ttl}s"}}}`
    },
  }
}

/**
 * Size in bytes of the largest body of a notification, without the token: FCM takes 4096. Google does not say how it
 * counts; this is the most it can be.
 */
export function fcmBytes(notification: Notification): number {
  const { badge } = notification
  const largest = badge === null ? null : 'set' in badge ? badge.set : MAX_BADGE
  const expiresAt = MAX_TTL_SECONDS * 1000
  return Buffer.byteLength(renderFcm({ push: NO_ID, notification, expiresAt }).body('', largest, 0))
}

/** A message in parts, between which the recipient's own go. */
interface Parts {
  /** From the token on. */
  readonly beforeBadge: string
  readonly badgeOf: (badge: number) => string
  /** Ends inside `android`, where the time to live goes. */
  readonly afterBadge: string
}

function partsOf(push: string, notification: Notification): Parts {
  const { msg, sound, title, image, channel, collapse, priority, payload, link, fcm } = notification
  const { notification: rawShown, data: rawData, android: rawAndroid, ...raw } = fcm ?? {}
  const { notification: rawOnAndroid, ...rawConfig } = rawAndroid ?? {}
  const data = {
    ...dataOf({ ...idAlong(push, notification), ...payload }),
    ...(link === undefined ? undefined : { link }),
    ...rawData,
  }
  const isShown = Boolean(msg || title || sound || rawShown || rawOnAndroid)
  const config = { priority: priority ?? (isShown ? 'high' : 'normal') }
  if (!isShown) {
    const android = { ...config, collapse_key: collapse, ...rawConfig }
    const entries = inside(data)
    const comma = entries === '' ? '' : ','
    const hasBadge = Object.hasOwn(data, 'badge')
    return {
      beforeBadge: `${following(raw)},"data":{${entries}`,
      badgeOf: (badge) => (hasBadge ? '' : `${comma}"badge":"${badge}"`),
      afterBadge: `},"android":{${inside(android)},`,
    }
  }
  const text = { ...(title && { title }), ...(msg && { body: msg }), ...(image && { image }), ...rawShown }
  const message = {
    ...raw,
    ...(Object.keys(text).length > 0 && { notification: text }),
    ...(Object.keys(data).length > 0 && { data }),
  }
  const onAndroid = { tag: collapse ?? push, ...(sound && { sound }), channel_id: channel, ...rawOnAndroid }
  const android = { ...config, ...rawConfig }
  return {
    beforeBadge: `${following(message)},"android":{${inside(android)},"notification":{${inside(onAndroid)}`,
    badgeOf: (badge) => `,"notification_count":${badge}`,
    afterBadge: '},',
  }
}

/** FCM takes strings only; anything else goes as its JSON text. */
function dataOf(payload: JsonObject): Record<string, string> {
  const entries = Object.entries(payload).map(
    ([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  )
  return Object.fromEntries(entries)
}

/** The JSON of an object without its braces. */
function inside(object: JsonObject): string {
  return JSON.stringify(object).slice(1, -1)
}

/** The same, to go on after another field. */
function following(object: JsonObject): string {
  const fields = inside(object)
  return fields === '' ? '' : `,${fields}`
}
