import { MAX_BADGE } from '../device/badge.ts'
import type { JsonObject } from '../text/json-object.ts'
import { idAlong, NO_ID } from './notification.ts'
import type { Message, Notification } from './notification.ts'

/*
 * What Apple's pages "Generating a remote notification" (the body) and "Sending notification requests to APNs" (the
 * headers) ask for.
 */

/** The part of a push's requests that is the same for all recipients. Header values. */
export interface RenderedApns {
  readonly pushType: 'alert' | 'background'
  readonly priority: '10' | '5'
  /** Seconds since the Unix epoch; 0: not kept for a phone that is off. */
  readonly expiration: string
  /** By it a repeat replaces what the phone already shows: the caller's, or the push's UUID (36 of 64 bytes). */
  readonly collapseId: string
  /** `null` leaves the badge alone. */
  body(badge: number | null): string
}

/**
 * Renders a push once, so that for each recipient only token, apns-id and badge are filled in. Without text, sound and
 * badge there is nothing to see: it goes as a background push, at the one priority Apple takes for those.
 */
export function renderApns({ push, notification, expiresAt }: Message): RenderedApns {
  const { aps, visible } = apsOf(notification)
  const urgent = visible && notification.priority !== 'normal'
  return {
    pushType: visible ? 'alert' : 'background',
    priority: urgent ? '10' : '5',
    expiration: notification.ttl === 0 ? '0' : String(Math.floor(expiresAt / 1000)),
    collapseId: notification.collapse ?? push,
    body: bodyOf(aps, besidesAps(push, notification)),
  }
}

/**
 * The headers of all requests of a push, besides HTTP's own and the apns-id. `authorization`: `undefined` where a
 * certificate stands for it.
 */
export function apnsHeaders(
  rendered: RenderedApns,
  topic: string,
  authorization: string | undefined,
): Readonly<Record<string, string>> {
  return {
    'apns-topic': topic,
    'apns-push-type': rendered.pushType,
    'apns-priority': rendered.priority,
    'apns-expiration': rendered.expiration,
    'apns-collapse-id': rendered.collapseId,
    ...(authorization !== undefined && { authorization }),
  }
}

/** Size in bytes of the largest body of a notification: APNs takes 4096. */
export function apnsBytes(notification: Notification): number {
  const { badge } = notification
  const largest = badge === null ? null : 'set' in badge ? badge.set : MAX_BADGE
  return Buffer.byteLength(bodyOf(apsOf(notification).aps, besidesAps(NO_ID, notification))(largest))
}

function apsOf(notification: Notification): { readonly aps: JsonObject; readonly visible: boolean } {
  const { msg, sound, badge, title, subtitle, category, thread, image, interruption, apns } = notification
  const mutable = notification.mutable ?? image !== undefined
  const alert =
    title !== undefined || subtitle !== undefined ? { title, subtitle, ...(msg ? { body: msg } : undefined) } : msg
  const aps: JsonObject = {
    ...(alert ? { alert } : undefined),
    // "For critical alerts, use the sound dictionary instead."
    ...(sound ? { sound: interruption === 'critical' ? { critical: 1, name: sound, volume: 1 } : sound } : undefined),
    'thread-id': thread,
    category,
    'mutable-content': mutable ? 1 : undefined,
    'interruption-level': interruption,
    ...apns?.aps,
  }
  const visible = Boolean(aps['alert']) || Boolean(aps['sound']) || badge !== null
  return { aps: visible ? aps : { ...aps, 'content-available': 1 }, visible }
}

/** Apple has no key for a picture or a link: the app, or its notification service extension, finds them here. */
function besidesAps(push: string, notification: Notification): JsonObject {
  const { payload, image, link, apns } = notification
  const { aps: _, ...raw } = apns ?? {}
  // Absent, they must not take the place of a key of the payload by that name.
  const own = { ...(image !== undefined && { image }), ...(link !== undefined && { link }) }
  return { ...idAlong(push, notification), ...payload, ...own, ...raw }
}

function bodyOf(aps: JsonObject, besides: JsonObject): (badge: number | null) => string {
  const inner = JSON.stringify(aps).slice(1, -1)
  const fields = JSON.stringify(besides).slice(1, -1)
  const head = `{"aps":{${inner}`
  const badgeKey = inner === '' ? '"badge":' : ',"badge":'
  const tail = fields === '' ? '}}' : `},${fields}}`
  // Nearly always the last one again: a whole broadcast has one badge.
  let lastBadge: number | null = null
  let lastBody = head + tail
  return (badge) => {
    if (badge !== lastBadge) {
      lastBadge = badge
      lastBody = badge === null ? head + tail : head + badgeKey + badge + tail
    }
    return lastBody
  }
}
