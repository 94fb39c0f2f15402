import type { Application } from '../application/application.ts'
import { DAY_MS, MINUTE_MS } from '../clock.ts'
import type { BadgeChange } from '../device/badge.ts'
import type { JsonObject } from '../text/json-object.ts'

/** What a language may say otherwise than the push itself. */
export const LANGUAGE_FIELDS = ['title', 'subtitle', 'msg', 'image', 'link'] as const

/** The text of a push in one language; what is not there is the push's own. */
export type LanguageText = { readonly [Name in (typeof LANGUAGE_FIELDS)[number]]?: string }

/** By language tag (BCP 47) in canonical form. */
export type Languages = Readonly<Record<string, LanguageText>>

/** What the phone shows, as read from a push request and stored with the push. */
export interface Notification {
  /** `null`: no alert is shown. */
  readonly msg: string | null
  /** `null` or `''`: silent. */
  readonly sound: string | null
  /** `null`: leave the badge alone. */
  readonly badge: BadgeChange | null
  /** Custom fields, beside `aps` for APNs and in `data` for FCM. */
  readonly payload: JsonObject | null
  // From here on a field that says nothing is absent, as in every push stored before there were these.
  /** The push's id goes along as `bellhop.push`, for the app to report the open with. */
  readonly carriesId?: true
  readonly title?: string
  /** iOS only. */
  readonly subtitle?: string
  /** An https URL. */
  readonly image?: string
  /** iOS only: the set of actions. */
  readonly category?: string
  /** iOS only: notifications of one thread are grouped. */
  readonly thread?: string
  /** What of the same name a phone shows already is replaced. 1 to 64 bytes of printable ASCII. */
  readonly collapse?: string
  /** Seconds; 0: now or never. */
  readonly ttl?: number
  /** Default high where something is shown, else normal. */
  readonly priority?: Priority
  /** Wakes the app and shows nothing; then nothing that shows is here. */
  readonly silent?: boolean
  /** iOS only: the app's extension may change it before it is shown. Default: if there is an image. */
  readonly mutable?: boolean
  /** iOS only. */
  readonly interruption?: Interruption
  /** Android only. */
  readonly channel?: string
  /** A URL for the app to open. */
  readonly link?: string
  /** Browsers only: the buttons, in their order. */
  readonly actions?: readonly Action[]
  /** The text in other languages. */
  readonly languages?: Languages
  /** Merged into the body for APNs last; `aps` is merged key by key. Has no badge. */
  readonly apns?: RawApns
  /**
   * Merged into FCM's message last; `notification`, `data`, `android` and its `notification` are merged key by key.
   * Names are in snake_case. Addresses nobody, and has neither time to live nor count.
   */
  readonly fcm?: RawFcm
}

/** A button below the text. */
export interface Action {
  /** What the app reports by PUT /stats when it was chosen. */
  readonly action: string
  readonly title: string
  /** An http or https URL to open. Default: the link of the push. */
  readonly link?: string
}

/** The notification as an application sends it. */
export function sentBy({ limits }: Pick<Application, 'limits'>, notification: Notification): Notification {
  return limits.pushId ? { ...notification, carriesId: true } : notification
}

/**
 * What goes along with a push beside its payload, which may have a key of this name itself: that one is then sent.
 * `push`: its UUID.
 */
export function idAlong(push: string, { carriesId }: Notification): { readonly bellhop?: { readonly push: string } } {
  return carriesId === true ? { bellhop: { push } } : {}
}

export type RawApns = JsonObject & { readonly aps?: JsonObject }

export type RawFcm = JsonObject & {
  readonly notification?: JsonObject
  readonly data?: JsonObject
  readonly android?: JsonObject & { readonly notification?: JsonObject }
}

export const PRIORITIES = ['high', 'normal'] as const
export type Priority = (typeof PRIORITIES)[number]

/** Apple, "Generating a remote notification", `interruption-level`. */
export const INTERRUPTIONS = ['passive', 'active', 'time-sensitive', 'critical'] as const
export type Interruption = (typeof INTERRUPTIONS)[number]

/** Stands where the id of a push would be, and is as long. */
export const NO_ID = '00000000-0000-7000-8000-000000000000'

/** FCM keeps a message for four weeks at the most (AndroidConfig, `ttl`); APNs keeps one for 30 days. */
export const MAX_TTL_SECONDS = 2_419_200

const DEFAULT_TTL_MS = DAY_MS

/** Now or never is up to the gateways: they must get it first. */
const NOW_OR_NEVER_MS = MINUTE_MS

/**
 * Milliseconds for which a push that could not be delivered is tried, and kept by the gateway for a phone that is off.
 * Default a day. With a `ttl` of 0 no gateway keeps it, and it is tried for a minute.
 */
export function timeToLiveMs({ ttl }: Notification): number {
  if (ttl === undefined) return DEFAULT_TTL_MS
  return ttl === 0 ? NOW_OR_NEVER_MS : ttl * 1000
}

/**
 * The fields of a notification that count towards the size of what a gateway gets, for a message. `language`: as it is
 * in this one; `null`: its own text.
 */
export function sizedFields(notification: Notification, language: string | null): string {
  const text: LanguageText = (language === null ? null : notification.languages?.[language]) ?? {}
  const more = MAY_BE_LONG.filter((name) => notification[name] !== undefined || Object.hasOwn(text, name))
  const fields = ['msg', 'sound', 'payload', ...more]
  const names = fields.map((name) => (Object.hasOwn(text, name) ? `languages.${language}.${name}` : name))
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

const MAY_BE_LONG = [
  'title',
  'subtitle',
  'image',
  'category',
  'thread',
  'channel',
  'link',
  'actions',
  'apns',
  'fcm',
] as const

/** The part of a push that is the same for all its recipients. */
export interface Message {
  /** UUID v7 of the push; repeats of it carry the same collapse id, so that a phone shows it once. */
  readonly push: string
  readonly notification: Notification
  /** Milliseconds since the Unix epoch after which the gateway need not deliver it. */
  readonly expiresAt: number
}
