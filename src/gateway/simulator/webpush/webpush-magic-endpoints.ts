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
 *   …/notfound:…         404
 *   …/unregistered:…     410
 *   …/large:…            413
 *   …/encoding:…         415
 *   …/throttled:…        429
 *   …/quota:…            429, Retry-After
 *   …/internal:…         500
 *   …/unavailable:…      503
 *   …/busy:…             503, Retry-After
 *   …/moved:…            301
 *   …/slow:…             accepted, but slowly
 *   …/reset:…            RST_STREAM, INTERNAL_ERROR
 *   …/refused:…          RST_STREAM, REFUSED_STREAM: not processed, safe to send again
 *   …/silent:…           no answer, ever
 *   …/close:…            the TCP connection is dropped
 *   …/farewell:…         accepted, and GOAWAY without error
 *   …/goaway:…           GOAWAY with ENHANCE_YOUR_CALM, and no answer
 */

/** What an endpoint asks for; `null` for one like any other. */
export function webPushMagicEndpoint(endpoint: string): MagicToken<WebPushRefusal> | null {
  const last = new URL(endpoint).pathname.split('/').at(-1) ?? ''
  const [, word = '', times] = /^([a-z]+)(?:-(\d{1,3}))?(?![a-z0-9])/i.exec(last) ?? []
  const answer = MAGIC_ENDPOINTS.get(word)
  return answer === undefined ? null : { answer, times: times === undefined ? Infinity : Number(times) }
}

const MAGIC_ENDPOINTS: ReadonlyMap<string, MagicAnswer<WebPushRefusal>> = new Map<string, MagicAnswer<WebPushRefusal>>([
  ...WEBPUSH_REFUSALS.map((refusal) => [refusal, { kind: 'refuse', refusal }] as const),
  ...Object.entries(TRANSPORT_ANSWERS),
])
