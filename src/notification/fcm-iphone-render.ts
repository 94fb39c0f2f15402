import { isJsonObject } from '../text/json-object.ts'
import type { JsonObject } from '../text/json-object.ts'
import { renderApns } from './apns-render.ts'
import type { RenderedApns } from './apns-render.ts'
import { inOneSpelling } from './message-type.ts'
import { NO_ID } from './notification.ts'
import type { Message, Notification } from './notification.ts'
import { following, inside, largestBadge } from './render-parts.ts'

/*
 * iPhones reached through FCM: Google, "REST Resource: projects.messages", `apns`. FCM
 * puts `data` beside `aps`, and passes the rest to APNs as it is.
 */

/**
 * What follows the token in `message`. Headers and `aps` are those for APNs, `data` as on Android. `badge`: `null`
 * leaves it.
 */
export function renderIphone(message: Message, data: JsonObject): (badge: number | null) => string {
  const { headers, rendered, options, others } = iphonePartsOf(message)
  const fields = following({ ...others, ...(Object.keys(data).length > 0 && { data }) })
  const before = `${fields},"apns":{"headers":${JSON.stringify(headers)},"payload":`
  const after = `${following(options)}}`
  return (badge) => `${before}${rendered.body(badge)}${after}`
}

/** Of the largest payload: FCM takes 4096, and so does APNs. */
export function iphoneBytes(notification: Notification, data: JsonObject): number {
  const { rendered, options } = iphonePartsOf({ push: NO_ID, notification, expiresAt: 0 })
  const beside = [data, options].map((part) => inside(part)).filter((fields) => fields !== '')
  return Buffer.byteLength([rendered.body(largestBadge(notification)), ...beside].join())
}

interface IphoneParts {
  readonly rendered: RenderedApns
  readonly headers: JsonObject
  /** Beside headers and payload in `apns`. */
  readonly options: JsonObject
  /** Beside `apns` in the message. */
  readonly others: JsonObject
}

function iphonePartsOf({ push, notification, expiresAt }: Message): IphoneParts {
  const { image, fcm, apns } = notification
  const { notification: shown = {}, data: _, android: __, webpush: ___, apns: rawApns, ...others } = fcm ?? {}
  const {
    headers: rawHeaders,
    payload: rawPayload,
    fcm_options: rawOptions,
    ...rest
  } = inOneSpelling(objectOf(rawApns))
  const { aps: rawAps, ...rawBesides } = objectOf(rawPayload)
  const { badge: rawBadge, ...aps } = objectOf(rawAps)
  const isCounted = notification.badge !== null || rawBadge === undefined
  const rendered = renderApns({
    push,
    expiresAt,
    notification: {
      ...withoutData(notification),
      ...textOf('title', shown['title']),
      ...textOf('msg', shown['body']),
      ...textOf('image', shown['image']),
      apns: { ...apns, ...rawBesides, aps: { ...apns?.aps, ...aps, ...(!isCounted && { badge: rawBadge }) } },
    },
  })
  const picture = textOf('image', shown['image'] ?? image)
  const options = { ...picture, ...objectOf(rawOptions) }
  return {
    rendered,
    headers: { ...headersOf(rendered), ...objectOf(rawHeaders) },
    // Firebase's notification service extension looks for the picture there.
    options: { ...(Object.keys(options).length > 0 && { fcm_options: options }), ...rest },
    others,
  }
}

function headersOf({ pushType, priority, expiration, collapseId }: RenderedApns): JsonObject {
  return {
    'apns-push-type': pushType,
    'apns-priority': priority,
    'apns-expiration': expiration,
    'apns-collapse-id': collapseId,
  }
}

function withoutData(whole: Notification): Notification {
  const { link: _, carriesId: __, withdraws: ___, ...notification } = whole
  return { ...notification, payload: null }
}

function textOf(name: string, value: unknown): JsonObject {
  return typeof value === 'string' ? { [name]: value } : {}
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
