import { hasWnsHeader, wnsDescription, wnsStatus } from './answer.ts'
import type { Said } from './answer.ts'

/* Answers of push services, and who is at fault. A test compares the manual's `webpush.md` with this table. */

export type WebPushMeaning =
  | 'taken'
  | 'gone'
  /** Subscribed with another VAPID key. */
  | 'mismatch'
  | 'device'
  /** The device; the push service too if several get this and none is accepted in between. */
  | 'either'
  /** The device; the push service gets fewer at a time. */
  | 'strain'
  /** The VAPID key or token is refused. */
  | 'credential'
  | 'push'
  /** The push fails for this device alone. */
  | 'failed'

/** The first match counts. */
export interface AnswerRow {
  readonly by: string
  /** Statuses or ranges: `429, 500 to 599`. */
  readonly on: string
  /** How to recognize it in body or headers, in Markdown; empty: any. */
  readonly known: string
  readonly fits?: (said: Said) => boolean
  readonly means: WebPushMeaning
  /** Its name in reasons, if no field of the body gives one. */
  readonly word?: string
  /** Replaces `word`. */
  readonly note?: string | ((said: Said) => string)
  readonly source: string
}

const AUTOPUSH = 'autopush-rs, autoendpoint/src/error.rs'
const WNS = 'Microsoft, "Push notification service request and response headers"'
const ANOTHER_KEY = 'subscribed with another VAPID key'

export const ANSWERS: readonly AnswerRow[] = [
  {
    by: 'Microsoft',
    on: '200, 201',
    known: '`X-WNS-NotificationStatus: dropped`',
    fits: (said) => wnsStatus(said)?.toLowerCase() === 'dropped',
    means: 'failed',
    note: 'dropped by the push service',
    source: WNS,
  },
  {
    by: 'Microsoft',
    on: '200, 201',
    known: '`X-WNS-NotificationStatus: channelThrottled`',
    fits: (said) => wnsStatus(said)?.toLowerCase() === 'channelthrottled',
    means: 'device',
    note: 'throttled',
    source: WNS,
  },
  {
    by: 'a proxy',
    on: '200, 201, 202, 204',
    known: 'a web page',
    fits: ({ isPage }) => isPage,
    means: 'device',
    source: 'a portal that asks to sign in',
  },
  { by: 'all', on: '200, 201, 202, 204', known: '', means: 'taken', source: 'RFC 8030, 5' },
  { by: 'all', on: '410', known: '', means: 'gone', source: 'RFC 8030, 7.3' },
  {
    by: 'Mozilla',
    on: '400, 404',
    known: '`errno` 102, 103, 105 or 106',
    fits: ({ errno }) => errno !== null && [102, 103, 105, 106].includes(errno),
    means: 'gone',
    source: AUTOPUSH,
  },
  {
    by: 'Google',
    on: '404',
    known: '“A valid push subscription endpoint should be specified …”, `NotRegistered`',
    fits: ({ body }) => /valid push subscription endpoint|NotRegistered/i.test(body),
    means: 'gone',
    source: 'web-push-libs/web-push#940, web-push-libs/web-push-php#405',
  },
  {
    by: 'Apple',
    on: '404',
    known: 'a `reason`',
    fits: ({ reason }) => reason !== null,
    means: 'gone',
    source: 'Apple, "Sending web push notifications in web apps and browsers"',
  },
  {
    by: 'Microsoft',
    on: '404',
    known: 'a header `X-WNS-…`',
    fits: hasWnsHeader,
    means: 'gone',
    source: WNS,
  },
  {
    by: 'Apple',
    on: '400, 403',
    known: '`VapidPkHashMismatch`',
    fits: ({ reason }) => reason === 'VapidPkHashMismatch',
    means: 'mismatch',
    note: ANOTHER_KEY,
    source: 'met at web.push.apple.com',
  },
  {
    by: 'Mozilla',
    on: '401',
    known: '`errno` 109, of the key',
    // Mozilla uses this number for anything wrong with a token, with different sentences.
    fits: ({ errno, json }) => errno === 109 && !OF_TOKEN.test(String(json?.['message'])),
    means: 'mismatch',
    note: ANOTHER_KEY,
    source: 'autopush-rs, autoendpoint/src/headers/vapid.rs; okTurtles/group-income#2681',
  },
  {
    by: 'Google',
    on: '403',
    known: '“… in the authorization header do not correspond …”',
    fits: ({ body }) => /in the authorization header do(es)? not correspond/i.test(body),
    means: 'mismatch',
    note: ANOTHER_KEY,
    source: 'web-push-libs/web-push#462, laravel-notification-channels/webpush#149',
  },
  {
    by: 'Google',
    on: '403',
    known: '“invalid push subscription endpoint”',
    fits: ({ body }) => /invalid push subscription endpoint/i.test(body),
    means: 'device',
    source: 'zaru/webpush#89: the same endpoints are taken a day later',
  },
  {
    by: 'Google',
    on: '400',
    known: '`UnauthorizedRegistration`',
    fits: ({ body }) => /UnauthorizedRegistration/.test(body),
    means: 'credential',
    word: 'UnauthorizedRegistration',
    source: 'web-push-libs/web-push#237',
  },
  {
    by: 'a proxy',
    on: '400 to 599',
    known: 'a web page',
    fits: ({ isPage }) => isPage,
    means: 'either',
    source: 'mastodon/mastodon#3046; Google’s front ends',
  },
  {
    by: 'a proxy',
    on: '404',
    known: 'anything else, as Traefik’s `404 page not found`',
    means: 'either',
    note: 'not of the push service itself',
    source: 'binwiederhier/ntfy#664',
  },
  { by: 'all', on: '401, 403', known: '', means: 'credential', source: 'RFC 8292, 4.2' },
  {
    by: 'Microsoft',
    on: '406',
    known: '',
    means: 'either',
    note: 'throttled',
    source: `${WNS}; MicrosoftDocs/windows-dev-docs#4166`,
  },
  {
    by: 'Mozilla',
    on: '502',
    known: '`errno` 901, 902 or 903: its bridge',
    fits: ({ errno }) => errno !== null && [901, 902, 903].includes(errno),
    means: 'device',
    source: 'autopush-rs, autoendpoint/src/routers/mod.rs',
  },
  {
    by: 'ntfy',
    on: '429, 507',
    known: '`code` 42908, 50701 …',
    fits: ({ code }) => code !== null,
    means: 'device',
    source: 'binwiederhier/ntfy, server/errors.go',
  },
  {
    by: 'Apple',
    on: '429',
    known: '`TooManyRequests`',
    fits: ({ reason, header }) => reason === 'TooManyRequests' && header('retry-after') === null,
    means: 'device',
    source: 'Apple, "Handling notification responses from APNs": of one device',
  },
  {
    by: 'all',
    on: '429, 503',
    known: '`Retry-After`',
    fits: ({ header }) => header('retry-after') !== null,
    means: 'either',
    source: 'RFC 8030, 8.4; autopush-rs says so of one timeout of its database',
  },
  {
    by: 'all',
    on: '429, 500 to 599',
    known: '',
    means: 'strain',
    source: 'RFC 9110, 15.6',
  },
  {
    by: 'all',
    on: '300 to 399, 408',
    known: '',
    means: 'device',
    source: 'no push service moves a subscription so',
  },
  {
    by: 'all',
    on: '413',
    known: '',
    means: 'failed',
    source: 'web-push-libs/web-push-php#62 of Firefox for Android, #199 of UC Browser',
  },
  {
    by: 'Microsoft',
    on: '400 to 499',
    known: '`X-WNS-Error-Description`',
    fits: (said) => wnsDescription(said) !== null,
    means: 'push',
    note: (said) => wnsDescription(said) ?? '',
    source: 'web-push-libs/pywebpush#162',
  },
  {
    by: 'all',
    on: '400 to 499',
    known: '',
    means: 'push',
    source: `RFC 8030, 5; ${AUTOPUSH}`,
  },
]

/** Mozilla's sentences about a token rather than the subscription. */
const OF_TOKEN = /^(?!.*mismatch).*(expir|audience|signature|token|scheme|missing|invalid)/i

export function isOn({ on }: Pick<AnswerRow, 'on'>, status: number): boolean {
  return on.split(', ').some((part) => {
    const [first = '', last = first] = part.split(' to ')
    return Number(first) <= status && status <= Number(last)
  })
}
