import type { Environment } from '../../../device/device.ts'
import { TRANSPORT_ANSWERS } from '../magic-tokens.ts'
import type { MagicAnswer, MagicToken } from '../magic-tokens.ts'
import type { ApnsReason } from '../../apns/answers.ts'

/*
 * A magic APNs token is hex: `bad`, four digits from `MAGIC_TOKENS` (an HTTP status and a variant; 000: no refusal),
 * then how often: 0 = always, 1 to f = that many times, then the token is accepted. `bad429010000…` is throttled once.
 * The manual's `simulator.md` has the table.
 */

export interface MagicRefusal {
  readonly reason: ApnsReason
  /** For 410. */
  readonly since?: number | 'now'
}

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

export const APNS_MAGIC_TOKENS: readonly string[] = [...MAGIC_TOKENS.keys()]
