import type { Platform } from '../../../device/device.ts'
import type { ReceivedPush } from '../received-pushes.ts'
import { platformOfProvider } from '../../../platform.ts'

export interface ReceivedRequest {
  readonly at: number
  /** The apns-topic, the project of FCM, or the subject of the VAPID token. */
  readonly target: string | null
  readonly platform: Platform
  readonly token: string
  /** The push's id, if the app gets it to report; else `null`. */
  readonly push: string | null
  /** The id of a push that the app removes from the screen; `null`: of none. */
  readonly withdraws: string | null
  readonly title: string | null
  readonly subtitle: string | null
  readonly text: string | null
  readonly badge: number | null
  readonly category: string | null
  readonly hasImage: boolean
  readonly status: number | null
  readonly reason: string | null
}

/** Reads a request in Apple's, Google's or a browser's form. */
export function receivedOf({ provider, target, token, body, status, reason, at }: ReceivedPush): ReceivedRequest {
  return { at, target, platform: platformOfProvider(provider), token, ...shownBy(provider, body), status, reason }
}

type Shown = Pick<
  ReceivedRequest,
  'push' | 'withdraws' | 'title' | 'subtitle' | 'text' | 'badge' | 'category' | 'hasImage'
>

/** What a device shows of a body, and the push that its app would report. */
export function shownBy(provider: ReceivedPush['provider'], body: unknown): Shown {
  if (provider === 'webpush') return ofWebPush(body)
  return provider === 'apns' ? ofApns(body) : ofFcm(body)
}

function ofApns(body: unknown): Shown {
  const aps = inside(body, 'aps')
  const alert = aps['alert']
  const text = typeof alert === 'string' ? alert : inside(aps, 'alert')['body']
  return {
    ...saidIn(inside(body, 'bellhop')),
    title: textOf(inside(aps, 'alert')['title']),
    subtitle: textOf(inside(aps, 'alert')['subtitle']),
    text: textOf(text),
    badge: numberOf(aps['badge']),
    category: textOf(aps['category']),
    // Beside `aps`, where the app's extension looks for it.
    hasImage: textOf(inside({ body }, 'body')['image']) !== null,
  }
}

function ofFcm(body: unknown): Shown {
  const message = inside(body, 'message')
  const said = saidIn(parsed(inside(message, 'data')['bellhop']))
  // A message for an iPhone alone has no part for Android.
  if (message['android'] === undefined && message['apns'] !== undefined) {
    return { ...ofApns(inside(message['apns'], 'payload')), ...said }
  }
  const notification = inside(message, 'notification')
  const onAndroid = inside(message['android'], 'notification')
  const badge = onAndroid['notification_count'] ?? inside(message, 'data')['badge']
  return {
    ...said,
    title: textOf(onAndroid['title'] ?? notification['title']),
    subtitle: null,
    text: textOf(onAndroid['body'] ?? notification['body']),
    badge: numberOf(badge),
    category: null,
    hasImage: textOf(onAndroid['image'] ?? notification['image']) !== null,
  }
}

function ofWebPush(body: unknown): Shown {
  const notification = inside(body, 'notification')
  const along = inside(inside(notification, 'data'), 'bellhop')
  const silent = inside(inside(body, 'data'), 'bellhop')
  return {
    ...saidIn({ ...silent, ...along }),
    title: textOf(notification['title']),
    subtitle: null,
    text: textOf(notification['body']),
    badge: numberOf(inside({ body }, 'body')['app_badge']),
    category: null,
    hasImage: textOf(notification['image']) !== null,
  }
}

function saidIn({ push, withdrawn }: Readonly<Record<string, unknown>>): Pick<Shown, 'push' | 'withdraws'> {
  return { push: textOf(push), withdraws: textOf(withdrawn) }
}

/** FCM's data values are text: here JSON, or whatever the sender has put there. */
function parsed(data: unknown): Readonly<Record<string, unknown>> {
  try {
    return inside({ bellhop: JSON.parse(String(data)) }, 'bellhop')
  } catch {
    return {}
  }
}

/** An object inside another; `{}`: there is none. */
function inside(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const inner: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : null
  return typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {}
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' || (typeof value === 'string' && /^\d{1,10}$/.test(value)) ? Number(value) : null
}
