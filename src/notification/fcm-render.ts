import { MAX_BADGE } from '../device/badge.ts'
import type { FcmPlatform } from '../device/device.ts'
import { isInstallationId } from '../device/push-token.ts'
import type { JsonObject } from '../text/json-object.ts'
import { iphoneBytes, renderIphone } from './fcm-iphone-render.ts'
import { idAlong, MAX_TTL_SECONDS, NO_ID } from './notification.ts'
import type { Message, Notification } from './notification.ts'

/* What Google's page "REST Resource: projects.messages" asks for. */

/** The part of a push's requests that is the same for all recipients. */
export interface RenderedFcm {
  /**
   * The body for one recipient at `now` (ms since the Unix epoch). `token`: a registration token or a Firebase
   * Installation ID. `badge`: `null` leaves it alone. `fcmPlatform`: default Android.
   */
  body(token: string, badge: number | null, now: number, fcmPlatform?: FcmPlatform | null): string
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
export function renderFcm(message: Message): RenderedFcm {
  const { push, notification, expiresAt } = message
  const { beforeBadge, badgeOf, afterBadge } = partsOf(push, notification)
  const keepUntil = notification.ttl === 0 ? 0 : expiresAt
  // Made for the first iPhone: most apps have none here.
  let iphone: ((badge: number | null) => string) | null = null
  return {
    body(token, badge, now, fcmPlatform = null) {
      const target = isInstallationId(token) ? 'fid' : 'token'
      const head = `{"message":{"${target}":${JSON.stringify(token)}`
      if (fcmPlatform === 'ios') {
        iphone ??= renderIphone(message, dataOf(push, notification))
        return `${head}${iphone(badge)}}}`
      }
      const count = badge === null ? '' : badgeOf(badge)
      const ttl = Math.min(Math.max(Math.ceil((keepUntil - now) / 1000), 0), MAX_TTL_SECONDS)
      return `${head}${beforeBadge}${count}${afterBadge}"ttl":"${ttl}s"}}}`
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

/** The same of the payload that an iPhone gets through FCM: of both of its halves, FCM's and APNs'. */
export function fcmIphoneBytes(notification: Notification): number {
  return iphoneBytes(notification, dataOf(NO_ID, notification))
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
  const { msg, sound, title, image, channel, collapse, priority, fcm } = notification
  const { notification: rawShown, data: _, android: rawAndroid, ...raw } = fcm ?? {}
  const { notification: rawOnAndroid, ...rawConfig } = rawAndroid ?? {}
  const data = dataOf(push, notification)
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

function dataOf(push: string, notification: Notification): JsonObject {
  const { payload, link, fcm } = notification
  return {
    ...textsOf({ ...idAlong(push, notification), ...payload }),
    ...(link === undefined ? undefined : { link }),
    ...fcm?.data,
  }
}

/**
 * FCM takes strings only; anything else goes as its JSON text. `null` is left out, and not the text "null": an app that
 * asks for the key gets null.
 */
function textsOf(payload: JsonObject): Record<string, string> {
  const entries = Object.entries(payload)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const)
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
