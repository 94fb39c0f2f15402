import type { Environment } from '../../../device/device.ts'
import { TRANSPORT_ANSWERS } from '../magic-tokens.ts'
import type { MagicAnswer, MagicToken } from '../magic-tokens.ts'
import type { ApnsReason } from './apns-answer.ts'

/*
 * An APNs token is hex, so what is asked for is spelled in hex: `bad`, then four digits from this table (an HTTP status and a
 * variant), then how often: 0 = every time, 1 to f = the first so many times, after which the token is accepted.
 * A random token begins like this once in ten million.
 *
 *   token       answer
 *   bad4000n…   400 BadDeviceToken
 *   bad4001n…   400 BadDeviceToken in production; sandbox accepts
 *   bad4002n…   400 BadDeviceToken in sandbox; production accepts
 *   bad4003n…   400 DeviceTokenNotForTopic
 *   bad4004n…   400 TopicDisallowed
 *   bad4005n…   400 IdleTimeout
 *   bad4006n…   400 BadDeviceToken, and one stream at a time on this connection until a token is taken
 *   bad4030n…   403 InvalidProviderToken
 *   bad4031n…   403 ExpiredProviderToken
 *   bad4032n…   403 BadEnvironmentKeyInToken
 *   bad4033n…   403 Forbidden
 *   bad4034n…   403 BadCertificate
 *   bad4035n…   403 BadCertificateEnvironment in production; sandbox accepts
 *   bad4100n…   410 Unregistered, since now
 *   bad4101n…   410 Unregistered, since 1 January 2020: before any registration
 *   bad4102n…   410 ExpiredToken, since now
 *   bad4103n…   410 Unregistered, without a time
 *   bad4130n…   413 PayloadTooLarge
 *   bad4290n…   429 TooManyRequests
 *   bad4291n…   429 TooManyProviderTokenUpdates
 *   bad5000n…   500 InternalServerError
 *   bad5030n…   503 ServiceUnavailable
 *   bad5031n…   503 Shutdown
 *   bad0000n…   accepted, but slowly
 *   bad0001n…   RST_STREAM, INTERNAL_ERROR
 *   bad0002n…   RST_STREAM, REFUSED_STREAM: not processed, safe to send again
 *   bad0003n…   no answer, ever
 *   bad0004n…   the TCP connection is dropped
 *   bad0005n…   accepted, and GOAWAY without error
 *   bad0006n…   GOAWAY with ENHANCE_YOUR_CALM, and no answer
 *   bad0007n…   GOAWAY without error, last stream 0: BadCertificateEnvironment in production; sandbox accepts
 *   bad0008n…   GOAWAY without error, last stream 0: BadCertificate
 *   bad0009n…   GOAWAY without error, last stream 0: Shutdown
 *
 * So `bad429010000…` is throttled the first time and accepted the second.
 */
export interface MagicRefusal {
  readonly reason: ApnsReason
  /** For 410: ms since the Unix epoch; `'now'` is the time of the request. */
  readonly since?: number | 'now'
}

/** What `token` asks of the gateway of `environment`; `null` for a token like any other. */
export function apnsMagicToken(token: string, environment: Environment): MagicToken<MagicRefusal> | null {
  const [, code = '', times = '0'] = SPELLING.exec(token) ?? []
  const entry = MAGIC_TOKENS.get(code)
  if (entry === undefined || (entry.only ?? environment) !== environment) return null
  return { answer: entry.answer, times: times === '0' ? Infinity : Number.parseInt(times, 16) }
}

const SPELLING = /^bad(\d{4})([0-9a-f])/i

interface Entry {
  readonly answer: MagicAnswer<MagicRefusal>
  readonly only?: Environment
}

const refuse = (reason: ApnsReason, since?: number | 'now'): Entry => ({
  answer: { kind: 'refuse', refusal: since === undefined ? { reason } : { reason, since } },
})

const parting = (word: ApnsReason): Entry => ({ answer: { kind: 'parting', word } })

const MAGIC_TOKENS: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  ['4000', refuse('BadDeviceToken')],
  ['4001', { ...refuse('BadDeviceToken'), only: 'production' }],
  ['4002', { ...refuse('BadDeviceToken'), only: 'sandbox' }],
  ['4003', refuse('DeviceTokenNotForTopic')],
  ['4004', refuse('TopicDisallowed')],
  ['4005', refuse('IdleTimeout')],
  ['4006', { answer: { kind: 'narrow', refusal: { reason: 'BadDeviceToken' } } }],
  ['4030', refuse('InvalidProviderToken')],
  ['4031', refuse('ExpiredProviderToken')],
  ['4032', refuse('BadEnvironmentKeyInToken')],
  ['4033', refuse('Forbidden')],
  ['4034', refuse('BadCertificate')],
  ['4035', { ...refuse('BadCertificateEnvironment'), only: 'production' }],
  ['4100', refuse('Unregistered', 'now')],
  ['4101', refuse('Unregistered', Date.UTC(2020, 0, 1))],
  ['4102', refuse('ExpiredToken', 'now')],
  ['4103', refuse('Unregistered')],
  ['4130', refuse('PayloadTooLarge')],
  ['4290', refuse('TooManyRequests')],
  ['4291', refuse('TooManyProviderTokenUpdates')],
  ['5000', refuse('InternalServerError')],
  ['5030', refuse('ServiceUnavailable')],
  ['5031', refuse('Shutdown')],
  ['0000', { answer: TRANSPORT_ANSWERS.slow }],
  ['0001', { answer: TRANSPORT_ANSWERS.reset }],
  ['0002', { answer: TRANSPORT_ANSWERS.refused }],
  ['0003', { answer: TRANSPORT_ANSWERS.silent }],
  ['0004', { answer: TRANSPORT_ANSWERS.close }],
  ['0005', { answer: TRANSPORT_ANSWERS.farewell }],
  ['0006', { answer: TRANSPORT_ANSWERS.goaway }],
  ['0007', { ...parting('BadCertificateEnvironment'), only: 'production' }],
  ['0008', parting('BadCertificate')],
  ['0009', parting('Shutdown')],
])

/** Four digits each. */
export const APNS_MAGIC_TOKENS: readonly string[] = [...MAGIC_TOKENS.keys()]
