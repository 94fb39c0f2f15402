import type { FcmPlatform } from '../device/device.ts'
import { isInstallationId } from '../device/push-token.ts'
import { iphoneBytes, renderIphone } from './fcm-iphone-render.ts'
import type { JsonObject } from '../text/json-object.ts'
import { idAlong, NO_ID } from './notification.ts'
import type { Message, Notification } from './notification.ts'
import type { FcmDraft } from './option.ts'
import { fill } from './options.ts'
import { MAX_TTL_SECONDS } from './options/delivery.ts'
import { following, inside, largestBadge } from './render-parts.ts'

/* Google, "REST Resource: projects.messages". */

export interface RenderedFcm {
  /**
   * `token`: or Firebase Installation ID. `badge`: `null` leaves it. `fcmPlatform`: default Android. `now`: epoch ms.
   */
  body(token: string, badge: number | null, now: number, fcmPlatform?: FcmPlatform | null): string
}

/**
 * Renders a push once, without token, badge and time to live.
 *
 * Without text or sound it is a data message, at normal priority: Google lowers the rank of apps whose urgent messages
 * show nothing. So is a badge alone, since Android would show an empty notification: it travels as `badge` in `data`.
 *
 * Repeats replace each other by the notification's `tag`: of collapse keys a device keeps only four, and FCM throttles
 * them. A data message has no tag: the caller's `collapse` is its collapse key.
 */
export function renderFcm(message: Message): RenderedFcm {
  const { push, notification, expiresAt } = message
  const { beforeBadge, badgeOf, afterBadge } = partsOf(push, notification)
  const keepUntil = notification.ttl === 0 ? 0 : expiresAt
  // Most applications have no iPhones behind FCM.
  let iphone: ((badge: number | null) => string) | null = null
  return {
    body(token, badge, now, fcmPlatform = null) {
      const target = isInstallationId(token) ? 'fid' : 'token'
      const head = `{"message":{"${target}":${JSON.stringify(token)}`
      if (fcmPlatform === 'ios') {
        iphone ??= renderIphone(message, draftOf(push, notification).data)
        return `${head}${iphone(badge)}}}`
      }
      const count = badge === null ? '' : badgeOf(badge)
      const ttl = Math.min(Math.max(Math.ceil((keepUntil - now) / 1000), 0), MAX_TTL_SECONDS)
      return `${head}${beforeBadge}${count}${afterBadge}"ttl":"${ttl}s"}}}`
    },
  }
}

/** Bytes of the largest body without the token: FCM takes 4096, and doesn't say how it counts. */
export function fcmBytes(notification: Notification): number {
  const expiresAt = MAX_TTL_SECONDS * 1000
  return Buffer.byteLength(renderFcm({ push: NO_ID, notification, expiresAt }).body('', largestBadge(notification), 0))
}

/** In FCM's and APNs' part. */
export function fcmIphoneBytes(notification: Notification): number {
  return iphoneBytes(notification, draftOf(NO_ID, notification).data)
}

/** The recipient's own values go in between. */
interface Parts {
  readonly beforeBadge: string
  readonly badgeOf: (badge: number) => string
  /** Ends inside `android`, where the TTL goes. */
  readonly afterBadge: string
}

function partsOf(push: string, notification: Notification): Parts {
  const { msg, title, sound, collapse, priority, fcm } = notification
  const {
    notification: text,
    data,
    android,
    'android.notification': onAndroid,
    '': message,
  } = draftOf(push, notification)
  const isShown = Boolean(msg || title || sound || fcm?.notification || fcm?.android?.notification)
  const config = { priority: priority ?? (isShown ? 'high' : 'normal') }
  if (!isShown) {
    const entries = inside(data)
    const comma = entries === '' ? '' : ','
    const hasBadge = Object.hasOwn(data, 'badge')
    return {
      beforeBadge: `${following(message)},"data":{${entries}`,
      badgeOf: (badge) => (hasBadge ? '' : `${comma}"badge":"${badge}"`),
      afterBadge: `},"android":{${inside({ ...config, collapse_key: collapse, ...android })},`,
    }
  }
  const before = {
    ...message,
    ...(Object.keys(text).length > 0 && { notification: text }),
    ...(Object.keys(data).length > 0 && { data }),
  }
  const shown = { tag: collapse ?? push, ...onAndroid }
  return {
    beforeBadge: `${following(before)},"android":{${inside({ ...config, ...android })},"notification":{${inside(shown)}`,
    badgeOf: (badge) => `,"notification_count":${badge}`,
    afterBadge: '},',
  }
}

function draftOf(push: string, notification: Notification): FcmDraft {
  const data = idAlong(push, notification)
  const draft = fill('fcm', notification, { notification: {}, data, android: {}, 'android.notification': {}, '': {} })
  draft.data = stringsIn(draft.data)
  return draft
}

/** FCM takes only strings: others go as JSON. `null` is left out: an app asking for the key gets null. */
function stringsIn(data: JsonObject): Record<string, string> {
  const entries = Object.entries(data)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const)
  return Object.fromEntries(entries)
}
