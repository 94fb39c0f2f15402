import type { JsonObject } from '../text/json-object.ts'
import { idAlong, NO_ID } from './notification.ts'
import type { Message, Notification } from './notification.ts'
import { fill } from './options.ts'
import { inside, largestBadge } from './render-parts.ts'

/* Apple, "Generating a remote notification" (the body) and "Sending notification requests to APNs" (the headers). */

/** Header values. */
export interface RenderedApns {
  readonly pushType: 'alert' | 'background'
  readonly priority: '10' | '5'
  /** Seconds since the Unix epoch; 0: not kept for a device that is off. */
  readonly expiration: string
  /** Lets a repeat replace what the device shows: the caller's, or the push's UUID. */
  readonly collapseId: string
  /** `null`: the badge stays. */
  body(badge: number | null): string
}

/** Renders a push once. Without text, sound or badge it is a background push: Apple takes only priority 5. */
export function renderApns({ push, notification, expiresAt }: Message): RenderedApns {
  const { aps, beside, visible } = partsOf(push, notification)
  const urgent = visible && notification.priority !== 'normal'
  return {
    pushType: visible ? 'alert' : 'background',
    priority: urgent ? '10' : '5',
    expiration: notification.ttl === 0 ? '0' : String(Math.floor(expiresAt / 1000)),
    collapseId: notification.collapse ?? push,
    body: bodyOf(aps, beside),
  }
}

/** Besides HTTP's own and the apns-id. `authorization`: `undefined` with a certificate. */
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

/** Bytes of the largest body: APNs takes 4096. */
export function apnsBytes(notification: Notification): number {
  const { aps, beside } = partsOf(NO_ID, notification)
  return Buffer.byteLength(bodyOf(aps, beside)(largestBadge(notification)))
}

interface ApnsParts {
  readonly aps: JsonObject
  readonly beside: JsonObject
  readonly visible: boolean
}

function partsOf(push: string, notification: Notification): ApnsParts {
  const draft = fill('apns', notification, { 'aps.alert': {}, aps: {}, '': idAlong(push, notification) })
  const { title, subtitle, body } = draft['aps.alert']
  const alert = title === undefined && subtitle === undefined ? body : draft['aps.alert']
  const aps: JsonObject = { ...(alert !== undefined && { alert }), ...draft.aps }
  const visible = Boolean(aps['alert']) || Boolean(aps['sound']) || notification.badge !== null
  return { aps: visible ? aps : { ...aps, 'content-available': 1 }, beside: draft[''], visible }
}

function bodyOf(aps: JsonObject, besides: JsonObject): (badge: number | null) => string {
  const inner = inside(aps)
  const fields = inside(besides)
  const head = `{"aps":{${inner}`
  const badgeKey = inner === '' ? '"badge":' : ',"badge":'
  const tail = fields === '' ? '}}' : `},${fields}}`
  // Most broadcasts have one badge.
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
