import { parseJsonObject } from '../../../text/json-object.ts'
import { MAX_MESSAGE_BYTES } from '../../webpush/encryption.ts'
import type { SimulatedAnswer } from '../http2/reply.ts'
import { MagicWords, wordIn } from '../magic-tokens.ts'
import type { MagicToken } from '../magic-tokens.ts'
import { pushServiceMaker } from '../../../device/webpush/push-services.ts'
import type { PushServiceMaker } from '../../../device/webpush/push-services.ts'

/** `other`: follows the RFCs, with a `reason`. */
export type PlayedService = PushServiceMaker | 'ntfy'

const PLAYED: readonly string[] = ['apple', 'google', 'mozilla', 'microsoft', 'ntfy'] satisfies PlayedService[]

/** By host; for unknown hosts by the start of the path: `https://…/apple/…`. */
export function playedService(endpoint: string): PlayedService {
  const url = new URL(endpoint)
  const maker = pushServiceMaker(url)
  if (maker !== 'other') return maker
  const [, first = ''] = url.pathname.split('/')
  return PLAYED.includes(first) ? (first as PlayedService) : 'other'
}

interface Refusal {
  readonly status: number
  /** Apple's, and `other`'s. */
  readonly reason: string
  /** Mozilla's. */
  readonly errno?: number
  /** Google's, Microsoft's and Mozilla's. */
  readonly sentence?: string
  readonly asksToWait?: true
}

type Played = Refusal & { readonly at?: Readonly<Partial<Record<PlayedService, Partial<Refusal>>>> }

const REFUSALS = {
  invalid: { status: 400, reason: 'BadRequest', errno: 110, at: { apple: { reason: 'BadWebPushRequest' } } },
  unauthenticated: {
    status: 401,
    reason: 'MissingAuthorization',
    errno: 109,
    sentence: 'Missing VAPID token',
    at: { apple: { status: 403, reason: 'BadJwtToken' } },
  },
  denied: {
    status: 403,
    reason: 'BadJwtToken',
    at: {
      mozilla: { status: 401, errno: 109, sentence: 'The VAPID token expiration is too long' },
      google: { status: 400, sentence: 'UnauthorizedRegistration' },
    },
  },
  // Subscribed with another sender's key, which RFC 8292, 4.2 does not name.
  otherkey: {
    status: 403,
    reason: 'Forbidden',
    at: {
      apple: { status: 400, reason: 'VapidPkHashMismatch' },
      mozilla: { status: 401, errno: 109, sentence: 'VAPID public key mismatch' },
      google: {
        sentence:
          'the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.',
      },
    },
  },
  notfound: {
    status: 404,
    reason: 'NotFound',
    errno: 102,
    sentence: 'Invalid token',
    at: {
      apple: { reason: 'BadPath' },
      google: {
        sentence:
          'A valid push subscription endpoint should be specified in the URL as such: https://fcm.googleapis.com/wp/dHIoDxE7Hdg:APA91bH1Zj0kNa...',
      },
    },
  },
  unregistered: {
    status: 410,
    reason: 'Unregistered',
    errno: 106,
    sentence: 'No such subscription',
    at: { google: { sentence: 'push subscription has unsubscribed or expired.' } },
  },
  large: { status: 413, reason: 'PayloadTooLarge', errno: 104, sentence: 'This message is too long' },
  encoding: { status: 415, reason: 'UnsupportedEncoding', at: { mozilla: { status: 400, errno: 110 } } },
  throttled: { status: 429, reason: 'TooManyRequests', at: { microsoft: { status: 406 } } },
  quota: { status: 429, reason: 'TooManyRequests', asksToWait: true, at: { microsoft: { status: 406 } } },
  internal: { status: 500, reason: 'InternalServerError' },
  unavailable: { status: 503, reason: 'ServiceUnavailable', errno: 201 },
  // When Mozilla's database times out for one subscription.
  busy: { status: 503, reason: 'ServiceUnavailable', errno: 201, sentence: 'Database error', asksToWait: true },
  bridge: { status: 502, reason: 'BadGateway', errno: 903, sentence: 'Bridge request timeout' },
  nosubscriber: { status: 507, reason: 'InsufficientStorage' },
  moved: { status: 301, reason: 'MovedPermanently' },
} as const satisfies Record<string, Played>

/** From something in front of a push service, or in headers: the same everywhere. */
const OTHERS = {
  proxy: { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: '404 page not found\n' },
  nginx: { status: 502, headers: { 'content-type': 'text/html' }, body: pageOf('502 Bad Gateway') },
  frontend: { status: 400, headers: { 'content-type': 'text/html' }, body: pageOf('Error 400 (Bad Request)!!1') },
  dropped: { status: 201, headers: { 'x-wns-notificationstatus': 'dropped' }, body: '' },
  channelthrottled: { status: 201, headers: { 'x-wns-notificationstatus': 'channelThrottled' }, body: '' },
} as const satisfies Record<string, SimulatedAnswer>

export type WebPushRefusal = keyof typeof REFUSALS | keyof typeof OTHERS

export const WEBPUSH_REFUSALS = [...Object.keys(REFUSALS), ...Object.keys(OTHERS)] as WebPushRefusal[]

/**
 * The magic word starts the last segment of an endpoint's path, spelled as in `fcm-answer.ts`. Statuses and
 * bodies are those of the played push service: Mozilla's 401 with an errno for 403, Microsoft's 406 for 429. The
 * manual's `simulator.md` has the table.
 */
export function webPushMagicEndpoint(endpoint: string): MagicToken<WebPushRefusal> | null {
  return WORDS.find(lastOf(endpoint))
}

export function maxBytesAt(endpoint: string): number {
  return SMALLER.get(wordIn(lastOf(endpoint)).word) ?? MAX_MESSAGE_BYTES
}

/** Speaks HTTP/1.1 only. */
export const OLDER = 'older'

export function isOlder(endpoint: string): boolean {
  return wordIn(lastOf(endpoint)).word === OLDER
}

export const SMALLER: ReadonlyMap<string, number> = new Map([
  ['small', 3015],
  ['tiny', 2048],
])

function lastOf(endpoint: string): string {
  return new URL(endpoint).pathname.split('/').at(-1) ?? ''
}

const WORDS = new MagicWords(WEBPUSH_REFUSALS)

export type FaultDetail = Readonly<Partial<Pick<Refusal, 'reason' | 'errno' | 'sentence'>>>

/** "201 (Created)", with the message's URL (RFC 8030, 5). */
export function webPushAcceptance(origin: string, id: string, by: PlayedService = 'other'): SimulatedAnswer {
  const received =
    by === 'microsoft' ? { 'x-wns-notificationstatus': 'received', 'x-wns-msg-id': '73B9D5431ABF0590' } : {}
  return { status: 201, headers: { location: `${origin}/message/${id}`, ...received }, body: '' }
}

export function webPushRefusal(
  refusal: WebPushRefusal,
  retryAfterSeconds: number,
  by: PlayedService = 'other',
  detail: FaultDetail = {},
): SimulatedAnswer {
  if (refusal in OTHERS) return OTHERS[refusal as keyof typeof OTHERS]
  const { at = {}, ...usual }: Played = REFUSALS[refusal as keyof typeof REFUSALS]
  const said: Refusal = { ...usual, ...at[by], ...detail }
  const wait = said.asksToWait === true ? { 'retry-after': String(retryAfterSeconds) } : {}
  const elsewhere = refusal === 'moved' ? { location: 'https://127.0.0.1/elsewhere' } : {}
  const { headers, body } = wordsOf(said, by)
  return { status: said.status, headers: { ...headers, ...wait, ...elsewhere }, body }
}

/** `null`: accepted. */
export function webPushReason({ status, headers, body }: SimulatedAnswer): string | null {
  const { reason, errno, code } = parseJsonObject(body) ?? {}
  if (typeof reason === 'string') return reason
  if (typeof errno === 'number') return `errno ${errno}`
  if (typeof code === 'number') return `code ${code}`
  const wns = headers['x-wns-error-description'] ?? headers['x-wns-notificationstatus'] ?? 'received'
  if (wns !== 'received') return wns
  const text = /<title>(.*?)<\/title>/.exec(body)?.[1] ?? body.trim()
  return text === '' && status < 300 ? null : text || `HTTP ${status}`
}

function wordsOf(said: Refusal, by: PlayedService): Pick<SimulatedAnswer, 'headers' | 'body'> {
  const { status, reason, errno, sentence = reason } = said
  switch (by) {
    case 'mozilla': {
      const more = {
        error: reason,
        message: sentence,
        more_info: 'http://autopush.readthedocs.io/en/latest/http.html#error-codes',
      }
      return inJson({ code: status, errno: errno ?? null, ...more })
    }
    case 'google':
      if (status === 400) return { headers: { 'content-type': 'text/html; charset=UTF-8' }, body: pageOf(sentence) }
      return { headers: { 'content-type': 'text/plain; charset=utf-8' }, body: `${sentence}\n` }
    case 'microsoft':
      return { headers: { 'x-wns-error-description': sentence, 'x-wns-msg-id': '73B9D5431ABF0590' }, body: '' }
    case 'ntfy':
      return inJson({ code: NTFY_CODES[status] ?? status * 100 + 1, http: status, error: reason })
    case 'apple':
    case 'other':
      return inJson({ reason })
  }
}

/** Not the first code of their status (binwiederhier/ntfy, server/errors.go). */
const NTFY_CODES: Readonly<Record<number, number>> = { 429: 42908 }

function inJson(body: object): Pick<SimulatedAnswer, 'headers' | 'body'> {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

function pageOf(title: string): string {
  return `<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center></body></html>`
}
