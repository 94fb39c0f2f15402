import type { Platform } from '../../device/device.ts'
import type { ReceivedPush } from './received-pushes.ts'
import { platformOfProvider } from '../../platform.ts'

export interface ReceivedRequest {
  readonly at: number
  readonly target: string | null
  readonly platform: Platform
  readonly token: string
  /** If the app receives it to report. */
  readonly push: string | null
  /** The id of the push that the app removes from the screen. */
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

export function receivedOf({ provider, target, token, body, status, reason, at }: ReceivedPush): ReceivedRequest {
  return { at, target, platform: platformOfProvider(provider), token, ...shownBy(provider, body), status, reason }
}

type Shown = Pick<
  ReceivedRequest,
  'push' | 'withdraws' | 'title' | 'subtitle' | 'text' | 'badge' | 'category' | 'hasImage'
>

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
    // Beside `aps`, for the app's extension.
    hasImage: textOf(inside({ body }, 'body')['image']) !== null,
  }
}

function ofFcm(body: unknown): Shown {
  const message = inside(body, 'message')
  const said = saidIn(parsed(inside(message, 'data')['bellhop']))
  // A message only for iPhones has no Android part.
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

/** FCM's data values are text: ours are JSON, others' may be anything. */
function parsed(data: unknown): Readonly<Record<string, unknown>> {
  try {
    return inside({ bellhop: JSON.parse(String(data)) }, 'bellhop')
  } catch {
    return {}
  }
}

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
