import { MAX_MESSAGE_BYTES } from '../../webpush/encryption.ts'
import { TRANSPORT_ANSWERS } from '../magic-tokens.ts'
import type { MagicAnswer, MagicToken } from '../magic-tokens.ts'
import { WEBPUSH_REFUSALS } from './webpush-answer.ts'
import type { WebPushRefusal } from './webpush-answer.ts'

/*
 * What is asked for is the word that the last segment of an endpoint's path begins with, spelt as for FCM tokens:
 * perhaps `-` and how often, then anything that is neither letter nor digit, then the rest.
 *
 *   …/invalid:…          400
 *   …/unauthenticated:…  401
 *   …/denied:…           403
 *   …/otherkey:…         403: subscribed with the key of another sender
 *   …/notfound:…         404
 *   …/proxy:…            404 of Traefik, which stands before the push service
 *   …/unregistered:…     410
 *   …/large:…            413
 *   …/encoding:…         415
 *   …/throttled:…        429
 *   …/quota:…            429, Retry-After
 *   …/internal:…         500
 *   …/bridge:…           502: Mozilla's bridge to FCM
 *   …/nginx:…            502, the page of a proxy
 *   …/frontend:…         400, the page of a front end
 *   …/unavailable:…      503
 *   …/busy:…             503, Retry-After
 *   …/nosubscriber:…     507: of ntfy
 *   …/dropped:…          201, and dropped
 *   …/channelthrottled:… 201, and throttled
 *   …/moved:…            301
 *   …/small:…            accepted up to 3,015 bytes, as by Firefox for Android; else 413
 *   …/tiny:…             accepted up to 2,048 bytes, as by UC Browser; else 413
 *   …/older:…            accepted, over HTTP/1.1 alone
 *   …/slow:…             accepted, but slowly
 *   …/reset:…            RST_STREAM, INTERNAL_ERROR
 *   …/refused:…          RST_STREAM, REFUSED_STREAM: not processed, safe to send again
 *   …/silent:…           no answer, ever
 *   …/close:…            the TCP connection is dropped
 *   …/farewell:…         accepted, and GOAWAY without error
 *   …/goaway:…           GOAWAY with ENHANCE_YOUR_CALM, and no answer
 *
 * Statuses and bodies are those of the push service that is played (`played-service.ts`): Mozilla's 401 with an errno in
 * place of 403, Microsoft's 406 in place of 429.
 */

/** What an endpoint asks for; `null` for one like any other. */
export function webPushMagicEndpoint(endpoint: string): MagicToken<WebPushRefusal> | null {
  const { word, times } = orderOf(endpoint)
  const answer = MAGIC_ENDPOINTS.get(word)
  return answer === undefined ? null : { answer, times: times === undefined ? Infinity : Number(times) }
}

/** Bytes of a message that the browser at an endpoint takes. */
export function maxBytesAt(endpoint: string): number {
  return SMALLER.get(orderOf(endpoint).word) ?? MAX_MESSAGE_BYTES
}

/** The word of a push service that offers HTTP/1.1 alone. */
export const OLDER = 'older'

/** Whether the push service of an endpoint offers HTTP/1.1 alone. */
export function isOlder(endpoint: string): boolean {
  return orderOf(endpoint).word === OLDER
}

/** The words of small browsers. */
export const SMALLER: ReadonlyMap<string, number> = new Map([
  ['small', 3015],
  ['tiny', 2048],
])

function orderOf(endpoint: string): { readonly word: string; readonly times: string | undefined } {
  const last = new URL(endpoint).pathname.split('/').at(-1) ?? ''
  const [, word = '', times] = /^([a-z]+)(?:-(\d{1,3}))?(?![a-z0-9])/i.exec(last) ?? []
  return { word, times }
}

const MAGIC_ENDPOINTS: ReadonlyMap<string, MagicAnswer<WebPushRefusal>> = new Map<string, MagicAnswer<WebPushRefusal>>([
  ...WEBPUSH_REFUSALS.map((refusal) => [refusal, { kind: 'refuse', refusal }] as const),
  ...Object.entries(TRANSPORT_ANSWERS),
])
